import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// Two devices have founded a document while apart, and when their folders meet one of them is gone for good.
@Suite struct LostFounderTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// - Returns: the founder who is left.
  private func foundApart(_ one: EncryptionChoice, _ other: EncryptionChoice, losingOlder: Bool) async throws
    -> Device
  {
    let elsewhere = MemoryBackend()
    try await a.register(remote, one)
    try a.write("one", "by a")
    try await a.sync(remote)
    workplace.clock.advance(3 * 24 * 60 * 60 * 1_000)
    try await b.register(elsewhere, other)
    try b.write("two", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
    return losingOlder ? b : a
  }

  /// One founder removes the other, and goes on alone for days.
  private func removeFounder(by left: Device) async throws {
    try await left.remove(a, remote)
    // Whose key it was nobody asks for any more; whoever knows the password may give it.
    if let ring = left.ring { try await left.register(remote, .keysAndPassword(ring, "pass")) }
    for _ in 0..<10 {
      workplace.clock.advance(24 * 60 * 60 * 1_000)
      try await left.sync(remote)
    }
  }

  private func agree(_ devices: [Device], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<12 { for device in devices { try await device.sync(remote) } }
    for device in devices {
      #expect(try device.notes == ["one: by a", "two: by b"], sourceLocation: sourceLocation)
      let last = try await device.sync(remote)
      #expect(last.requests == 1 && last.findings.isEmpty, "\(last.findings)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [false, true], ["pass", "another"])
  func `who has the keys of both foundings reads both, whoever is gone`(
    _ losingOlder: Bool, _ second: String
  ) async throws {
    let left = try await foundApart(.password("pass"), .password(second), losingOlder: losingOlder)
    try await left.sync(remote)
    let password = losingOlder ? "pass" : second
    try await left.register(remote, .keysAndPassword(try #require(left.ring), password))
    try await agree([left])
    try await c.register(remote, .password("pass"))
    try await agree([left, c])
  }

  @Test(arguments: [false, true])
  func `a newcomer whose password opens both keys brings them to whoever is left`(
    _ losingOlder: Bool
  ) async throws {
    let left = try await foundApart(.password("pass"), .password("pass"), losingOlder: losingOlder)
    try await left.sync(remote)
    try await c.register(remote, .password("pass"))
    try await agree([left, c])
  }

  @Test(arguments: [false, true])
  func `without encryption what the lost founder wrote is read, and nothing is left to warn of`(
    _ losingOlder: Bool
  ) async throws {
    let left = try await foundApart(.none, .none, losingOlder: losingOlder)
    try await left.sync(remote)
    try await c.register(remote)
    for _ in 0..<10 {
      workplace.clock.advance(24 * 60 * 60 * 1_000)
      for device in [left, c] { try await device.sync(remote) }
    }
    try await agree([left, c])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a founding that is not united is told of at every synchronisation, and nothing else is said of it`(
    _ encryption: EncryptionChoice
  ) async throws {
    let left = try await foundApart(encryption, encryption, losingOlder: true)
    for _ in 0..<5 {
      let findings = try await left.sync(remote).findings
      #expect(findings.contains { $0.isAboutFoundings }, "\(findings)")
      #expect(!findings.contains { if case .unverifiedHeads = $0 { true } else { false } })
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a founder who is removed before the foundings are one is read all the same`(
    _ encryption: EncryptionChoice
  ) async throws {
    let left = try await foundApart(encryption, encryption, losingOlder: true)
    for device in [left, a, left, a] { try await device.sync(remote) }
    try b.write("three", "by b")
    try a.write("four", "by a")
    try await a.sync(remote)
    try await removeFounder(by: left)
    #expect(try left.notes == ["four: by a", "one: by a", "three: by b", "two: by b"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a founder who is removed by one who has not met his founding is read all the same`(
    _ encryption: EncryptionChoice
  ) async throws {
    let left = try await foundApart(encryption, encryption, losingOlder: true)
    try await a.sync(remote)
    try await removeFounder(by: left)
    #expect(try left.notes == ["one: by a", "two: by b"])
    #expect(try await left.sync(remote).findings.isEmpty)
  }

  @Test func `a deleted founding of the own key is united with nobody by those who are left`() async throws {
    try await a.register(remote, .password("pass"))
    try a.write("one", "by a")
    try await a.sync(remote)
    let former = remote.files
    try await a.deleteDocument(remote)
    let notes = remote.paths { DeletionName($0) }
    try await b.register(remote, .password("pass"))
    try b.write("two", "by b")
    try await b.sync(remote)
    for path in notes { try await remote.remove(path) }
    for (path, bytes) in former where remote.files[path] == nil {
      if let folder = path.parent { try await remote.makeFolder(folder) }
      try await remote.upload(bytes, to: path)
    }
    try await c.register(remote, .password("pass"))
    for _ in 0..<3 { for device in [b, c] { try await device.sync(remote) } }
    for device in [b, c] { #expect(try device.notes == ["two: by b"]) }
  }
}
