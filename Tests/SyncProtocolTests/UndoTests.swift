import BackendConformance
import ChangeTracking
import Crypto
import Testing

@testable import SyncProtocol

/// Taking back what a synchronisation brought.
@Suite struct UndoTests {
  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device
  private let workplace: Workplace

  init() async throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
    try await a.register(remote, .none)
    try await b.register(remote, .none)
    try a.write("kept", "first")
    try a.write("deleted", "first")
    try await a.sync(remote)
    try await b.sync(remote)
  }

  /// What b did in many sets, so that it comes in several merges.
  private func editMuch() throws {
    for round in 0..<60 { try b.write("new \(round)", "from b") }
    for round in 0..<60 { try b.write("kept", "round \(round)") }
    try b.delete("deleted")
  }

  @Test func `what came is taken back here, and then everywhere`() async throws {
    let before = try a.notes
    try editMuch()
    try await b.sync(remote)
    let report = try await a.sync(remote, SyncOptions(keepsInverses: true))
    #expect(report.inverses.count > 1)
    #expect(try a.notes == b.notes)

    let undone = try await a.undo(report.inverses, remote)

    #expect(undone.kept.isEmpty)
    #expect(try a.notes == before)
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try b.notes == before)
  }

  @Test(arguments: [10, 1_000, 100_000])
  func `what holds more than is kept cannot be taken back, and is merged all the same`(limit: Int)
    async throws
  {
    try editMuch()
    try await b.sync(remote)
    var options = SyncOptions(keepsInverses: true)
    options.inverseLimit = limit

    let report = try await a.sync(remote, options)

    #expect(report.isTooMuchToUndo == (limit < 100_000))
    #expect(report.inverses.isEmpty == report.isTooMuchToUndo)
    #expect(try a.notes == b.notes)
  }

  @Test func `what was changed again since stays, and is told`() async throws {
    try b.write("kept", "from b")
    try await b.sync(remote)
    let report = try await a.sync(remote, SyncOptions(keepsInverses: true))
    try a.write("kept", "again")

    let undone = try await a.undo(report.inverses, remote)

    #expect(undone.objects == 0)
    #expect(undone.kept.map { $0.key } == ["text"])
    #expect(try a.notes.contains("kept: again"))
  }

  @Test(arguments: ["kept", "new"])
  func `a long value that came a synchronisation later is taken back with the merge that awaited it`(
    note: String
  ) async throws {
    let before = try a.notes
    try b.write(note, String(repeating: "long ", count: 20_000))
    try await b.sync(remote)
    let value = try #require(remote.paths { LongValueName($0) }.first)
    remote.hide(value)
    let report = try await a.sync(remote, SyncOptions(keepsInverses: true))
    try #require(report.findings.contains { if case .valueWaiting = $0 { true } else { false } })
    remote.showAll()
    try await a.sync(remote)
    try #require(try a.notes == b.notes)

    let undone = try await a.undo(report.inverses, remote)

    #expect(undone.kept.isEmpty)
    #expect(try a.notes == before)
  }

  /// A note whose long text a lacks, and what b did with it since, as a merge that a can take back.
  private func mergeBesideLostText(_ change: () throws -> Void) async throws -> SyncReport {
    try b.write("new", Self.text)
    try await b.sync(remote)
    remote.hide(try #require(remote.paths { LongValueName($0) }.first))
    try await a.sync(remote)
    workplace.clock.advance(1_000)
    try change()
    try await b.sync(remote)
    return try await a.sync(remote, SyncOptions(keepsInverses: true))
  }

  private static let text = String(repeating: "long ", count: 20_000)

  @Test func `taking back a short text that replaced one which never arrived empties the note nowhere`()
    async throws
  {
    let report = try await mergeBesideLostText { try b.write("new", "short") }

    let undone = try await a.undo(report.inverses, remote)

    #expect(undone.kept.map(\.key) == ["text"])
    for device in [a, b, a] { try await device.sync(remote) }
    #expect(try a.notes.contains("new: short"))
    #expect(try b.notes == a.notes)
  }

  @Test func `a note comes back with the long text that had not arrived when it was deleted`() async throws {
    let report = try await mergeBesideLostText { try b.delete("new") }
    try #require(try !a.notes.contains { $0.hasPrefix("new:") })

    let undone = try await a.undo(report.inverses, remote)

    #expect(undone.kept.isEmpty && undone.objects == 1)
    #expect(undone.awaited.map(\.key) == ["text"])
    try await a.sync(remote)
    try await b.sync(remote)
    remote.showAll()
    for device in [a, b, a, b] { try await device.sync(remote) }
    for device in [a, b] { #expect(try device.notes.contains("new: \(Self.text)")) }
  }

  /// Nothing was told to the program that takes back but the keys, if there are any.
  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `what a new program takes back reaches everybody under the author that the device had`(
    encryption: EncryptionChoice
  ) async throws {
    let remote = MemoryBackend()
    let devices = [Device("device-c", in: workplace), Device("device-d", in: workplace)]
    for device in devices { try await device.register(remote, encryption) }
    let (c, d) = (devices[0], devices[1])
    for number in 0..<10 { try d.write("new \(number)", "from d") }
    try await d.sync(remote)
    let report = try await c.sync(remote, SyncOptions(keepsInverses: true))
    let author = try c.author

    try await c.undo(report.inverses, remote)
    for device in devices { try await device.sync(remote) }

    #expect(try d.notes == [])
    #expect(try c.author == author)
  }

  @Test func `what is taken back where no key is at hand reaches everybody, sealed`() async throws {
    let remote = MemoryBackend()
    let (c, d) = (Device("device-c", in: workplace), Device("device-d", in: workplace))
    for device in [c, d] { try await device.register(remote, .password("pass")) }
    try d.write("new", "from d")
    try await d.sync(remote)
    let report = try await c.sync(remote, SyncOptions(keepsInverses: true))
    let (ring, author) = (c.ring, try c.author)
    c.forgetKeys()

    try await c.undo(report.inverses, remote)
    c.setKeys(ring)
    for device in [c, d] { try await device.sync(remote) }

    #expect(try d.notes == [])
    let sets = remote.paths { SetName($0) }
    #expect(try c.author == author)
    #expect(sets.count > 1 && sets.allSatisfy { SealedContainer.isSealed(remote.files[$0] ?? []) })
  }

  @Test func `nobody pays for an inverse who does not ask for it`() async throws {
    try b.write("kept", "from b")
    try await b.sync(remote)
    #expect(try await a.sync(remote).inverses.isEmpty)
  }
}
