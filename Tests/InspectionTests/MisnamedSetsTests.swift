import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// Sets whose names, or whose authors' folders, have been changed: nothing is lost, though nobody applies them.
@Suite struct MisnamedSetsTests {
  enum Change: CaseIterable {
    case digitOfAuthor, digitOfHash, digitOfSequence, exchangedAuthors
  }

  /// The text with another of two digits in one place.
  private func changed(_ text: String, at offset: Int) -> String {
    var letters = Array(text)
    letters[offset] = letters[offset] == "1" ? "2" : "1"
    return String(letters)
  }

  private func rename(_ file: URL, at offset: Int) throws {
    let name = changed(file.lastPathComponent, at: offset)
    try FileManager.default.moveItem(at: file, to: file.deletingLastPathComponent().appending(path: name))
  }

  private func make(_ change: Change, _ remote: SampleRemote) throws {
    let sets = try remote.sets()
    switch change {
    case .digitOfAuthor:
      let folder = try #require(sets.first).deletingLastPathComponent()
      try rename(folder, at: folder.lastPathComponent.count - 1)
    case .digitOfHash: for set in sets { try rename(set, at: 20) }
    case .digitOfSequence: try rename(try #require(sets.last), at: 0)
    case .exchangedAuthors:
      let changes = try #require(sets.first).deletingLastPathComponent().deletingLastPathComponent()
      let folders = try FileManager.default.contentsOfDirectory(atPath: changes.path).sorted()
        .map { changes.appending(path: $0).path }
      try #require(folders.count == 2)
      let aside = folders[0] + "-aside"
      for (from, to) in [(folders[0], aside), (folders[1], folders[0]), (aside, folders[1])] {
        try FileManager.default.moveItem(atPath: from, toPath: to)
      }
    }
  }

  private func files(_ remote: SampleRemote) throws -> [String: Data?] {
    try remote.contents().filter { $0.value != nil && $0.key.hasSuffix(".set") }
  }

  @Test(arguments: Change.allCases, [true, false])
  func `they get the names that their content proves, and undoing takes these away again`(
    change: Change, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    if change == .exchangedAuthors {
      let second = try await remote.device("second")
      for number in 1...2 { try await second.push("number \(number)") }
    }
    let before = try files(remote)
    try make(change, remote)
    let damaged = try remote.contents()
    #expect(try await remote.inspector.verify().outcome == .damaged)

    let plan = try await remote.inspector.planRepair()
    #expect(!plan.asksDevices, "\(plan.actions)")
    let repair = try await remote.apply(plan)

    #expect(try files(remote) == before)
    let verification = try await remote.inspector.verify()
    #expect(verification.outcome == .healthy, "\(verification.findings)")
    #expect(try await repair.undo() == [])
    #expect(try remote.contents() == damaged)
  }

  @Test(arguments: [true, false])
  func `of a number far off nothing is told to be missing before it`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let last = try #require(try remote.sets().last)
    try rename(last, at: 3)

    let verification = try await remote.inspector.verify()

    #expect(!verification.findings.contains { $0.code == .gap }, "\(verification.findings)")
    #expect(verification.findings.contains { $0.code == .missingSet })
    #expect(verification.findings.contains { [.misplaced, .notAuthentic].contains($0.code) })
  }

  @Test(arguments: [true, false])
  func `a state leaves out what lies in the folder of another author, and tells where that belongs`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let before = try await remote.inspector.state()
    try make(.digitOfAuthor, remote)

    let state = try await remote.inspector.state()

    let (shown, all) = (try state.store().objectCounts(), try before.store().objectCounts())
    #expect(shown.reduce(0, +) < all.reduce(0, +))
    #expect(state.omissions.count == 2, "\(state.omissions)")
    if !encrypted { #expect(state.omissions.contains { $0.contains("a repair gives it that place") }) }
    try await remote.repair()
    let repaired = try await remote.inspector.state()
    #expect(repaired.omissions == [])
    #expect(try repaired.store().objectCounts() == all)
    withExtendedLifetime((before, state, repaired)) {}
  }

  @Test func `a set that is damaged is not taken for another one though it can be read`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    for set in try remote.sets() {
      var bytes = [UInt8](try Data(contentsOf: set))
      // Before the mark of the document, which tells sooner.
      for index in bytes.indices.dropLast(8).reversed() {
        bytes[index] ^= 1
        if (try? CompactCodec.decode(DocumentMark.removed(from: bytes))) != nil { break }
        bytes[index] ^= 1
      }
      try Data(bytes).write(to: set)
    }

    let plan = try await remote.inspector.planRepair()

    #expect(plan.asksDevices)
    #expect(!plan.actions.contains { if case .write(.copy) = $0.change { true } else { false } })
  }

  @Test(arguments: [true, false])
  func `where all heads and sets are gone a whole store is told of, and shows what it contains`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    let before = try await remote.inspector.state()
    let objects = try before.store().objectCounts().reduce(0, +)
    for file in try remote.files(in: "SyncChanges") + remote.files(in: "RecentSyncs") {
      try? FileManager.default.removeItem(at: file)
    }

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.contains { $0.code == .authorsUntold }, "\(verification.findings)")
    #expect(verification.outcome == .warnings)
    let after = try await remote.inspector.state()
    #expect(try after.store().objectCounts().reduce(0, +) == objects)
    #expect(objects == 4)
    withExtendedLifetime((before, after)) {}
  }

  @Test(arguments: [true, false])
  func `sets of an author of whom nothing is left but what others have applied are asked for`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let author = folder.lastPathComponent
    try FileManager.default.removeItem(at: folder)
    for head in try remote.files(in: "RecentSyncs") where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }

    let plan = try await remote.inspector.planRepair()

    #expect(plan.asksDevices)
    #expect(plan.actions.count >= 3, "\(plan.actions)")
  }
}
