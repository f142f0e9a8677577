import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// A key that was put in the place of another, whose file storage has damaged and which this device never got.
@Suite struct UnreadableKeyFileTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b): (Device, Device)
  private let file: RemotePath

  /// `a` replaces the keys and writes with the new one, storage damages the file of that, and `b` replaces the keys once more, as it is told.
  init() async throws {
    workplace = try Workplace()
    let (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
    (self.a, self.b) = (a, b)
    for device in [a, b] {
      try await device.register(remote, .password("first"))
      try await device.sync(remote)
    }
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try a.write("one", "by a")
    try await a.sync(remote)
    file = try #require(remote.paths { KeyFileName($0) }.first)
    try await remote.upload([1, 2, 3], to: file)
    try await b.sync(remote)
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
  }

  private func missing() async throws -> [MissingKey] {
    try await b.sync(remote).findings.compactMap { if case .keyMissing(let key) = $0 { key } else { nil } }
  }

  @Test func `the file is named, and nobody is told to give a password that cannot help`() async throws {
    let key = try #require(try await missing().first)

    #expect(key.unreadableFile?.name == file.name)
    let text = "\(SyncFinding.keyMissing(key))"
    #expect(text.contains("“\(try #require(file.name))”") && text.contains("remove it"), "\(text)")
    #expect(!text.contains("Give"))
    #expect(try await b.status().missingKeys == [key])
  }

  @Test func `nobody is told flatly that the password of the file is wrong`() async throws {
    let newcomer = Device("device-c", in: workplace)

    for error in [
      await failure { try await newcomer.register(remote, .password("second"), mayCreate: false) },
      await failure { try await b.register(remote, .keysAndPassword(try #require(b.ring), "second")) },
    ] {
      #expect(error.map { [.wrongPassword, .keysNotDelivered].contains($0.code) } == true)
      #expect(error?.message.contains("“\(try #require(file.name))”") == true, "\(String(describing: error))")
    }
  }

  @Test func `once it is removed, nobody is told of the key any more`() async throws {
    #expect(try await !missing().isEmpty)

    try await remote.remove(file)

    for _ in 0..<8 { _ = try await missing() }
    #expect(try await missing() == [])
  }

  @Test func `once the device that had the key is removed nobody is told of its head, and a vacuum goes on`()
    async throws
  {
    try await remote.remove(file)
    for _ in 0..<8 { try await b.sync(remote) }
    #expect(try await !b.sync(remote).findings.isEmpty)

    try await b.remove(a, remote)

    let findings = try await b.sync(remote).findings
    #expect(!findings.contains { if case .unverifiedHeads = $0 { true } else { false } })
    // Its sets are looked for as long as those of anybody whose head is gone.
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    for _ in 0..<8 { try await b.sync(remote) }
    #expect(try await b.sync(remote).findings == [])
    try b.write("two", "by b")
    for _ in 0..<2 {
      try b.write("three", "by b")
      try await b.sync(remote)
    }
    _ = try await b.uploadStore(remote)
    #expect(try await b.vacuum(remote, grace: 0).plan.obstacle == nil)
  }

  @Test func `a device that has the key writes the file anew once it is removed, and all read everything`()
    async throws
  {
    try await remote.remove(file)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await a.sync(remote)
    #expect(remote.files[file] != nil)

    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))
    for device in [b, a, b] { try await device.sync(remote) }
    #expect(try b.notes == ["one: by a"])
  }
}
