import ObjectStore
import Testing

@testable import ChangeTracking

/// What a person can be asked about: what was written here, in a property that the application knows.
@Suite struct AnsweredConflictTests {
  private static let first = [
    EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("text", .string)])
  ]
  private static let second = [
    EntityDeclaration(
      "Card", attributes: [RenamingTests.syncID, .init("text", .string), .init("place", .string)])
  ]

  /// A device that has deleted a card, and the sets of another, which has made it anew since and written to it.
  private func restored(by entities: [EntityDeclaration], _ property: String) throws -> (
    device: VersionedDevice, sets: [ReceivedSet]
  ) {
    let here = try VersionedDevice("here", Self.first)
    let there = try VersionedDevice("there", entities)
    try there.insert("Card", "c", ["text": .string("first")])
    try here.receive(from: there)
    try here.edit { context in
      if let card = try here.object("Card", "c") { context.delete(card) }
    }
    try there.edit { context in
      if let card = try there.object("Card", "c") { context.delete(card) }
    }
    there.clock.advance(60_000)
    try there.insert("Card", "c")
    var sets = try there.replica.push()
    try there.set("Card", "c", property, .string("Rome"))
    sets += try there.replica.push()
    return (here, sets)
  }

  @Test func `what a deletion has left is no side of a conflict`() throws {
    let (here, sets) = try restored(by: Self.first, "text")

    let outcome = try here.replica.apply(sets, policy: .answers([:]))

    guard case .applied = outcome else {
      Issue.record("asks: \(outcome)")
      return
    }
    #expect(try here.text("Card", "c", "text") == "Rome")
  }

  @Test func `a property that the model does not know yet shows what was written once it does`() throws {
    let (here, sets) = try restored(by: Self.second, "place")

    _ = try here.replica.receive(sets, policy: .always(.value(.null)))
    try here.upgrade(to: Self.second)
    try here.replica.freeze()

    #expect(try here.text("Card", "c", "place") == "Rome")
  }

  @Test
  func `whoever asks for a long value that was overruled and is not here is told that the other remains`()
    throws
  {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p") }
    try there.receive(here.push())
    try there.edit { edit in
      let long = String(repeating: "x", count: LongValue.threshold + 1)
      try edit.set("Person", "p", "name", .string(long))
    }
    here.clock.advance(60_000)
    try here.edit { try $0.set("Person", "p", "name", .string("short")) }

    let report = try here.receive(there.push(), policy: .always(.remote))

    #expect(report.conflicts.map(\.outcome) == [.local])
  }
}
