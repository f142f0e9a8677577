import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What a device is called is learned from its head, whichever one can be read.
@Suite struct NameLearningTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private func names() async throws -> Set<String?> { Set(try await b.status().devices.map(\.name)) }

  /// Both have registered, and what a wrote is not read by b yet.
  private func meet() async throws {
    for device in [a, b] { try await device.register(remote, .password("pass")) }
    try a.write("of a", "text")
    try await a.sync(remote)
  }

  private func damageHeads(of device: Device) throws {
    let author = try device.author
    for path in remote.paths({ HeadName($0) }) where path.name.flatMap({ HeadName($0) })?.author == author {
      remote.tamper(path) { $0[$0.count / 2] ^= 1 }
    }
  }

  @Test func `a head that cannot be read teaches no name, and the next one does`() async throws {
    try await meet()
    try damageHeads(of: a)
    let report = try await b.sync(remote)
    #expect(!report.names.values.contains("") && !report.clients.values.contains(""))
    #expect(try await b.status().names.values.allSatisfy { !$0.isEmpty })
    #expect(try await names() == [nil, "Device device-b"])

    try a.write("more of a", "text")
    try await a.sync(remote)
    for _ in 0..<2 { try await b.sync(remote) }
    #expect(try await names() == ["Device device-a", "Device device-b"])
    #expect(try b.remembered("nameless") == 0)
  }

  @Test func `the same head that cannot be read is not asked for again`() async throws {
    try await meet()
    try damageHeads(of: a)
    for _ in 0..<3 { try await b.sync(remote) }
    #expect(try await b.sync(remote).requests == 1)
    #expect(try b.remembered("nameless") == 1)
  }

  @Test func `an empty name that was remembered once is no name`() async throws {
    try await meet()
    try b.remember("device", a.author.description)
    #expect(try await b.status().names.values.allSatisfy { !$0.isEmpty })
    for _ in 0..<2 { try await b.sync(remote) }
    #expect(try await names() == ["Device device-a", "Device device-b"])
  }
}
