import BackendConformance
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// Long values that storage has lost, and whose writers cannot send them any more.
@Suite struct LongValueHealingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)
  private let text = String(repeating: "All work and no play. ", count: 5_000)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// The first device has written a long text, the second has it, and storage has lost it before the third has joined.
  private func lose(_ encryption: EncryptionChoice = .none) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    try a.write("one", text)
    for device in [a, b] { try await device.sync(remote) }
    for path in remote.paths({ LongValueName($0) }) { try await remote.remove(path) }
    try await c.register(remote, encryption)
  }

  private var requests: [RemotePath] { remote.paths { ResendRequest($0) } }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `whoever has the value sends it when its writer is gone`(_ encryption: EncryptionChoice) async throws {
    try await lose(encryption)
    var reports: [SyncReport] = []
    for _ in 0..<6 {
      try await c.sync(remote)
      reports.append(try await b.sync(remote))
    }
    #expect(reports.count { $0.findings.contains(.resentValues(count: 1)) } == 1)
    #expect(try c.notes == a.notes)
    try await c.sync(remote)
    #expect(requests.isEmpty)
    for device in [b, c] { #expect(try await device.sync(remote).requests == 1) }
  }

  @Test func `a writer whose store was restored gets back what another device has`() async throws {
    for device in [a, b, c] { try await device.register(remote) }
    try await a.sync(remote)
    let backup = try a.backUp()
    try a.write("one", text)
    for device in [a, b] { try await device.sync(remote) }
    try a.restore(backup)
    for path in remote.paths({ LongValueName($0) }) { try await remote.remove(path) }
    try await a.sync(remote)
    #expect(try await a.status().awaited.map(\.isOwn) == [true])
    for _ in 0..<6 { for device in [a, b, c] { try await device.sync(remote) } }
    #expect(try b.notes == ["one: \(text)"])
    for device in [a, c] { #expect(try device.notes == b.notes) }
    #expect(requests.isEmpty)
  }

  @Test func `the status of who has it tells that somebody asks, until it was sent`() async throws {
    try await lose()
    for _ in 0..<3 { try await c.sync(remote) }
    try await b.sync(remote)
    #expect(try await b.status().asking.map(\.answer) == [.lookedForNext])
    #expect(try await b.status().asking.map(\.sequence) == [nil])
    for _ in 0..<3 {
      try await c.sync(remote)
      try await b.sync(remote)
    }
    #expect(try await b.status().asking.isEmpty)
    #expect(try c.notes == b.notes)
  }

  @Test func `who has nothing of it looks once for each request, and says nothing`() async throws {
    try await lose()
    try b.delete("one")
    try await b.sync(remote)
    let request = try await b.protection().request(
      asker: AuthorID(bits: 7), subject: .value(ContentHash(of: Array(text.utf8))), count: 3)
    try await remote.upload([], to: DocumentHierarchy.notes.file(of: request))
    #expect(try await b.sync(remote).findings.isEmpty)
    #expect(try await b.sync(remote).requests == 1)
    #expect(try await b.status().asking.isEmpty)
  }
}
