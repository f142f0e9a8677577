import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A device that gets another name is called by it everywhere.
@Suite struct RenamingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private func meet(_ encryption: EncryptionChoice = .password("pass")) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    for device in [a, b] { try device.write("by \(device.client)", "text") }
    try await settle([a, b])
  }

  private func settle(_ devices: [Device]) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
  }

  private func names(told device: Device) async throws -> Set<String?> {
    Set(try await device.status().devices.map(\.name))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `the others show the new name after their next synchronisation, and the old one is nowhere`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await meet(encryption)
    a.rename("Kitchen")
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try await names(told: a) == ["Kitchen", "Device device-b"])
    #expect(try await names(told: b) == ["Kitchen", "Device device-b"])
    let document = try await b.application(remote).document("notes")
    #expect(Set(try await document.devices().map(\.name)) == ["Kitchen", "Device device-b"])
    #expect(try await document.information().originalClientDescription == "Kitchen")
    let described = try await b.application(remote).devices().map(\.information?.description)
    #expect(described == ["Kitchen", "Device device-b"])
    try await c.register(remote, encryption)
    try await c.sync(remote)
    #expect(try await names(told: c) == ["Kitchen", "Device device-b", "Device device-c"])
    if case .none = encryption {
      for (path, bytes) in remote.files {
        #expect(!String(decoding: bytes, as: UTF8.self).contains("Device device-a"), "\(path)")
      }
    }
    try await settle([a, b, c])
    for device in [a, b] {
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty)
    }
  }

  @Test func `the latest of several names holds, also where the clock was set back`() async throws {
    try await meet()
    for name in ["Kitchen", "Cellar", "Attic"] {
      a.rename(name)
      workplace.clock.turnBack(3_600_000)
      try await a.sync(remote)
    }
    try await b.sync(remote)
    #expect(try await names(told: b) == ["Attic", "Device device-b"])
    #expect(remote.paths { RenamingName($0) }.count == 1)
    a.rename("Kitchen")
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try await names(told: b) == ["Kitchen", "Device device-b"])
  }

  @Test func `what it wrote under a former author bears the new name as well`() async throws {
    try await meet()
    let backup = try a.backUp()
    try a.write("lost", "text")
    try await settle([a, b])
    try a.restore(backup)
    try await settle([a, b])
    a.rename("Kitchen")
    try await settle([a, b])
    #expect(try await names(told: b) == ["Kitchen", "Device device-b"])
  }

  @Test func `a device that keeps its name says nothing of it`() async throws {
    try await meet()
    #expect(remote.paths { RenamingName($0) }.isEmpty)
  }

  @Test func `a name that cannot be read leaves the former one, and is asked for once a day`() async throws {
    try await meet()
    a.rename("Kitchen")
    try await a.sync(remote)
    let path = try #require(remote.paths { RenamingName($0) }.first)
    let bytes = try #require(remote.files[path])
    try await remote.upload([7], to: path)
    try await settle([b])
    #expect(try await names(told: b) == ["Device device-a", "Device device-b"])
    #expect(try await b.sync(remote).requests == 1)
    try await remote.upload(bytes, to: path)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await b.sync(remote)
    #expect(try await names(told: b) == ["Kitchen", "Device device-b"])
  }

  @Test func `who has no key renames nobody`() async throws {
    try await meet()
    let own = try #require(try await a.protection().foundings.first)
    let forger = try DocumentProtection(keys: nil, hierarchy: .notes, own: own)
    let name = forger.renaming(author: try a.author, time: 2_000_000_000)
    let information = DeviceInformation(identifier: "device-a", description: "Forged")
    try await remote.upload(information.bytes, to: DocumentHierarchy.notes.file(of: name))
    try await b.sync(remote)
    #expect(try await names(told: b) == ["Device device-a", "Device device-b"])
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a renaming fails, the next synchronisation completes it`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let stage = try RenamingTests()
      try await stage.meet()
      stage.a.rename("Kitchen")
      let faulty = FaultyBackend(stage.remote, after: requests, fault)
      _ = try? await stage.a.sync(faulty)
      try await stage.settle([stage.a, stage.b])
      #expect(try await stage.names(told: stage.b) == ["Kitchen", "Device device-b"], "after \(requests)")
      #expect(stage.remote.paths { RenamingName($0) }.count == 1)
      #expect(try await stage.b.sync(stage.remote).requests == 1)
      guard faulty.hasFailed else { break }
      requests += 1
      await Task.yield()
    }
    #expect(requests > 4)
  }
}
