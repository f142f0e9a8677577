import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// A device replaces the keys, writes with the new one, and is removed by others before they have the new password.
@Suite struct RemovedReplacerTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device
  private let c: Device

  init() async throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
    for device in [a, b, c] { try await device.register(remote, .password("first")) }
    try a.write("one", "by a")
    for _ in 0..<2 { for device in [a, b, c] { try await device.sync(remote) } }
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try a.write("two", "by a")
    try await a.sync(remote)
    try await b.remove(a, remote)
  }

  private func missing(_ device: Device) async throws -> [MissingKey] {
    try await device.sync(remote).findings.compactMap {
      if case .keyMissing(let key) = $0 { key } else { nil }
    }
  }

  @Test func `those who are left are asked for the new password at every synchronisation, and then read all`()
    async throws
  {
    let key = try #require(a.ring?.newest.identifier)
    for _ in 0..<3 {
      for device in [b, c] {
        #expect(try await missing(device) == [MissingKey(key, isReplacement: true)])
      }
    }
    for device in [b, c] {
      try await device.register(remote, .keysAndPassword(try #require(device.ring), "second"))
    }
    for _ in 0..<3 { for device in [b, c] { try await device.sync(remote) } }
    for device in [b, c] {
      #expect(try device.notes == ["one: by a", "two: by a"])
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty, "\(report.findings)")
    }
  }

  @Test func `where the file of the new key is gone, nobody is told of what nobody can read`() async throws {
    let key = try #require(a.ring?.newest.identifier)
    for path in remote.paths({ KeyFileName($0).flatMap { $0.key == key ? $0 : nil } }) {
      try await remote.remove(path)
    }
    for _ in 0..<3 { for device in [b, c] { #expect(try await missing(device).isEmpty) } }
  }
}
