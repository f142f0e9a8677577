import BackendConformance
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// Long values that do not come, and whoever is to know of it.
@Suite struct AwaitedValueTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device
  private let text = String(repeating: "All work and no play. ", count: 5_000)

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private var values: [RemotePath] {
    remote.files.keys.filter { $0.name.flatMap { LongValueName($0) } != nil }
  }

  /// A note of the first device that the other has merged, but for its text.
  private func loseValue(_ encryption: EncryptionChoice = .none) async throws -> RemotePath {
    for device in [a, b] { try await device.register(remote, encryption) }
    try a.write("one", text)
    try await a.sync(remote)
    let path = try #require(values.first)
    try await remote.remove(path)
    return path
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `a value that stays away blocks in the end, and the status names object, property and device`(
    _ encryption: EncryptionChoice
  ) async throws {
    _ = try await loseValue(encryption)
    var blocked: [Bool] = []
    for _ in 1...3 { blocked.append(try await b.sync(remote).isBlocked) }
    #expect(blocked == [false, false, true])

    b.forgetKeys()
    let awaited = try #require(try await b.status().awaited.first)
    #expect(awaited.change.object == SyncID("one"))
    #expect(awaited.change.key == "text")
    #expect(awaited.name == "Device device-a")
    #expect(awaited.length == text.utf8.count)
    #expect(awaited.syncs == 3)
  }

  @Test func `nobody waits for a value of a note that was deleted`() async throws {
    _ = try await loseValue()
    for _ in 1...2 { try await b.sync(remote) }
    try b.delete("one")

    // The first says that it is deleted; what was asked for is withdrawn then.
    for _ in 1...3 { try await b.sync(remote) }

    let report = try await b.sync(remote)
    #expect(
      report.findings.isEmpty && report.requests == 1, "\(report.findings), \(report.requests) requests")
    #expect(try await b.status().awaited.isEmpty)
  }

  @Test func `a value that did not come in thirty days blocks no more, and the status still names it`()
    async throws
  {
    _ = try await loseValue()
    for _ in 1...3 { try await b.sync(remote) }
    #expect(try await b.status().awaited.map(\.isGivenUp) == [false])
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    #expect(try await !b.sync(remote).isBlocked)
    #expect(try await b.status().awaited.map(\.isGivenUp) == [true])
    for device in [a, b] { try await device.sync(remote) }
    #expect(try a.notes == b.notes)
  }

  @Test func `a value that comes blocks no more`() async throws {
    _ = try await loseValue()
    for _ in 1...3 { try await b.sync(remote) }
    // It is asked for meanwhile, so its author sends it again.
    try await a.sync(remote)
    #expect(try await !b.sync(remote).isBlocked)
    #expect(try await b.status().awaited.isEmpty)
    #expect(try a.notes == b.notes)
  }

  @Test func `an author who cannot put a value in its place says so until he can`() async throws {
    let path = try await loseValue()
    try await remote.makeDirectory(path)
    for _ in 1...2 { try await b.sync(remote) }
    for _ in 1...2 {
      #expect(try await a.sync(remote).findings.contains(.obstructed(path)))
      #expect(try await a.status().obstructions.map(\.path) == [path])
    }
    try await remote.remove(path)
    for device in [b, a, b] { try await device.sync(remote) }
    #expect(try a.notes == b.notes)
    #expect(try await a.status().obstructions.isEmpty)
  }

  @Test func `a file in place of the folder of values stops nothing else, and is named`() async throws {
    for device in [a, b] { try await device.register(remote) }
    let folder = try await a.application(remote).hierarchy.document(#require(RemoteName("notes"))).longValues
    try await remote.upload([1], to: folder)
    try a.write("one", text)
    try a.write("two", "short")
    #expect(try await a.sync(remote).findings == [.obstructed(folder)])
    for _ in 1...2 { try await b.sync(remote) }
    #expect(try b.notes == ["one: -", "two: short"])
    #expect(try await b.sync(remote).isBlocked)

    try await remote.remove(folder)
    for device in [a, b] { try await device.sync(remote) }
    #expect(try a.notes == b.notes)
  }
}
