import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Who takes part in a document, what each has, and what is kept for it.
@Suite struct DeviceListTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)
  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private func settle(_ devices: [Device]) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
  }

  /// All three have the same; then one stays away while the others write.
  private func leave() async throws {
    for device in [a, b, c] { try await device.register(remote, .password("pass")) }
    try a.write("first", "text")
    try await settle([a, b, c])
    for number in 0..<3 {
      try b.write("later \(number)", "text")
      try await settle([b, a])
      try await a.uploadStore(remote)
    }
  }

  private func device(_ device: Device) async throws -> DocumentDevice {
    let author = try device.author
    return try #require(try await a.devices(remote).first { $0.author == author })
  }

  @Test func `each is listed with its name, when it was last seen, and how many sets it lacks`() async throws
  {
    try await leave()
    let devices = try await a.devices(remote)
    #expect(Set(devices.map(\.name)) == ["Device device-a", "Device device-b", "Device device-c"])
    #expect(devices.filter(\.isThisDevice).map(\.client) == ["device-a"])
    #expect(try await device(a).lacks == 0)
    #expect(try await device(b).lacks == 0)
    #expect(try await device(c).lacks == 3)
    #expect(devices.allSatisfy { $0.presence == .present && $0.holding == nil && $0.lastSeen != nil })
  }

  @Test func `who holds back a vacuum is told with how much, and since when`() async throws {
    try await leave()
    try await a.vacuum(remote)
    let announced = workplace.clock.milliseconds
    workplace.clock.advance(10 * Self.day)
    let holding = try #require(try await device(c).holding)
    #expect(holding.since == announced && holding.sets == 2)
    let author = try b.author
    let sizes = remote.files.filter { path, _ in
      path.parent == DocumentHierarchy.notes.changes(of: author)
        && path.name.flatMap { SetName($0) }.map { $0.sequence <= 2 } ?? false
    }
    #expect(holding.bytes == sizes.values.reduce(0) { $0 + Int64($1.count) })
    #expect(try await device(b).holding == nil)
    try await c.sync(remote)
    #expect(try await device(c).holding == nil)
  }

  @Test func `who was away for too long is absent, and present again once it is back`() async throws {
    try await leave()
    try await a.vacuum(remote)
    workplace.clock.advance(90 * Self.day)
    try await a.vacuum(remote)
    #expect(try await device(c).presence == .absent)
    #expect(try await device(c).holding == nil)
    try await c.sync(remote)
    #expect(try await device(c).presence == .present)
  }

  @Test func `who was removed is listed with who has done it, and holds back nothing`() async throws {
    try await leave()
    try await a.vacuum(remote)
    try await b.remove(c, remote)
    let listed = try await device(c)
    guard case .removed(let removal?) = listed.presence else {
      Issue.record("the device is not listed as removed")
      return
    }
    #expect(removal.remover == "Device device-b" && removal.name == "Device device-c")
    #expect(removal.time == workplace.clock.milliseconds && listed.holding == nil)
    let known = try await a.status().devices.filter(\.isRemoved).map(\.author)
    try await a.sync(remote)
    #expect(try await a.status().devices.filter(\.isRemoved).map(\.author) == [c.author])
    #expect(known.isEmpty)
  }

  @Test func `a device whose head cannot be read is listed without what only that tells`() async throws {
    try await leave()
    let author = try c.author
    for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
      try await remote.upload([7], to: path)
    }
    let listed = try await device(c)
    #expect(listed.name == nil && listed.lacks == nil && listed.lastSeen == nil && listed.holding == nil)
  }
}
