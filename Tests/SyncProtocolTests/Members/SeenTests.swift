import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What the status says of who has everything, and by what names, after sets were said again: as the list of devices has it.
@Suite struct SeenTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// Two devices with sets of both, of whom one has filled the remote again that was wiped.
  ///
  /// - Returns: the remote as it was before.
  @discardableResult
  private func refill(_ encryption: EncryptionChoice = .none) async throws -> MemoryBackend {
    for device in [a, b] { try await device.register(remote, encryption) }
    for number in 1...8 {
      try a.write("of a \(number)", "text")
      try await a.sync(remote)
    }
    for number in 1...2 {
      try b.write("of b \(number)", "text")
      try await b.sync(remote)
    }
    try await a.sync(remote)
    let former = remote.copy()
    try await remote.remove(DocumentHierarchy.notes.application.root)
    try await a.refill(remote)
    for device in [b, a, b] { try await device.sync(remote) }
    return former
  }

  /// Where the status of a device says something else than its list of devices.
  private func disagreements(_ device: Device) async throws -> [String] {
    let said = try await device.status().devices
    let devices = try await device.devices(remote)
    return said.compactMap { status in
      let lacks = devices.first { $0.author == status.author }?.lacks
      return status.hasSeenEverything == (lacks == 0) ? nil : "\(status), which lacks \(lacks ?? 0)"
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `sets that were said again do not count for others that a device lacks`(_ encryption: EncryptionChoice)
    async throws
  {
    try await refill(encryption)
    try await c.register(remote, encryption)
    for device in [c, a, b, c] { try await device.sync(remote) }
    for device in [a, b, c] { #expect(try await disagreements(device) == []) }
    #expect(try await c.status().devices.allSatisfy(\.hasSeenEverything))

    let away = try a.author
    for number in 1...12 {
      try b.write("later \(number)", "text")
      for device in [b, c] { try await device.sync(remote) }
      for device in [b, c] {
        let lacking = try await device.status().devices.filter { !$0.hasSeenEverything }.map(\.author)
        #expect(lacking.contains(away), "\(number)")
      }
    }
    #expect(try await disagreements(c) == [])
    for device in [a, b, c, a, b, c] { try await device.sync(remote) }
    for device in [a, b, c] {
      #expect(try await device.status().devices.allSatisfy(\.hasSeenEverything))
      #expect(try await device.sync(remote).requests == 1)
    }
  }

  @Test func `who joins after sets were lost is told of no loss, and members are told by names`() async throws
  {
    for device in [a, b] { try await device.register(remote) }
    for device in [a, b, a] {
      try device.write("of \(device.client)", "text")
      try await device.sync(remote)
    }
    try await remote.remove(DocumentHierarchy.notes.application.root)
    try await a.refill(remote)
    func losses(_ report: SyncReport) -> [String] {
      report.findings.filter { if case .superseded = $0 { true } else { false } }.map { report.sentence($0) }
    }
    #expect(
      losses(try await b.sync(remote)) == [
        "Sets of “Device device-a” were lost; “Device device-a” has said again what was in them."
      ])
    try await a.sync(remote)
    try await c.register(remote)
    let report = try await c.sync(remote)
    #expect(losses(report) == [])
    #expect(try c.notes == a.notes)
  }

  @Test func `who has listed the devices knows all names from then on`() async throws {
    try await refill()
    try await c.register(remote)
    _ = try await c.devices(remote)
    try await c.sync(remote)
    #expect(
      try await Set(c.status().devices.map(\.name)) == [
        "Device device-a", "Device device-b", "Device device-c",
      ])
  }

  @Test func `a device that goes on under another author is one, also where its former files come back`()
    async throws
  {
    let former = try await refill()
    remote.meet(former)
    for _ in 1...3 { for device in [a, b] { try await device.sync(remote) } }
    try await c.register(remote)
    // Which client an author belongs to is told by sets.
    try c.write("of c", "text")
    for device in [c, a, b, c] { try await device.sync(remote) }
    for device in [a, b, c] {
      let clients = try await device.status().devices.filter { !$0.isSucceeded }.map(\.client)
      #expect(clients.count == 3 && Set(clients) == ["device-a", "device-b", "device-c"], "\(device.client)")
    }
  }

  @Test func `a head that cannot be read proves nothing, and is not asked for at each synchronisation`()
    async throws
  {
    try await refill()
    try await c.register(remote)
    for device in [c, a, b, c] { try await device.sync(remote) }
    let away = try a.author
    for path in remote.paths({ HeadName($0).flatMap { $0.author == away ? $0 : nil } }) {
      remote.tamper(path) { $0 = [7] }
    }
    for number in 1...3 {
      try b.write("later \(number)", "text")
      for device in [b, c] { try await device.sync(remote) }
      #expect(try await c.status().devices.first { $0.author == away }?.hasSeenEverything == false)
    }
    #expect(try await c.sync(remote).requests == 1)
  }
}
