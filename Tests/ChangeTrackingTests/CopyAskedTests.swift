import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// A whole store is merged whose merge asks first: the loop of `DocumentSyncManager.merge(copyAt:)`, which hands the same path over again.
@Suite struct CopyAskedTests {
  private static let model = [
    EntityDeclaration(
      "Card", attributes: [.init("ticdsSyncID", .string, isIndexed: true), .init("text", .string)])
  ]

  @Test(arguments: [false, true])
  func `what the maker of a copy had not pushed is said by who merges it, also if the merge asks first`(
    asks: Bool
  ) throws {
    let maker = try VersionedDevice("maker", Self.model), other = try VersionedDevice("other", Self.model)
    let here = try VersionedDevice("here", Self.model), third = try VersionedDevice("third", Self.model)
    try maker.insert("Card", "p", ["text": .string("old")])
    try VersionedDevice.synchronize(maker, other, here, third)
    other.clock.advance(10_000)
    try other.set("Card", "p", "text", .string("of other"))
    try VersionedDevice.synchronize(maker, other, third)
    // The maker writes, and has pushed nothing of it when the copy is made.
    maker.clock.advance(20_000)
    try maker.insert("Card", "q", ["text": .string("only in the copy")])
    let folder = try TemporaryFolder()
    let path = folder.file("copy.sqlite")
    _ = try maker.replica.snapshot(to: path, keepingRemoteNotes: [])
    // Here is an edit that is not pushed either, and meets that of the other one.
    here.clock.advance(5_000)
    try here.set("Card", "p", "text", .string("of here"))
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    var rounds = 0
    merging: while true {
      rounds += 1
      let policy: ConflictPolicy = asks ? .answers(answers) : .always(.remote)
      switch try here.replica.mergeCopy(at: path, policy: policy, along: { _, _, _ in }) {
      case .merged: break merging
      case .undecided(let conflicts): for conflict in conflicts { answers[conflict.id] = .remote }
      case .unusable(let why):
        Issue.record("unusable: \(why)")
        return
      }
      try #require(rounds < 5)
    }
    #expect(try here.text("Card", "q", "text") == "only in the copy")
    // What is said now is all that there will ever be of the maker's edit.
    try third.receive(from: here)
    #expect(try third.text("Card", "p", "text") == "of other")
    #expect(try third.text("Card", "q", "text") == "only in the copy")
  }
}
