import BackendConformance
import Testing

@testable import SyncProtocol

/// A remote that a person has filled again from one device, more often than was needed.
@Suite struct RefillTests {
  @Test func `what lies there said again is not said once more, however often a remote is refilled`()
    async throws
  {
    let (remote, workplace) = (MemoryBackend(), try Workplace())
    let devices = ["device-a", "device-b", "device-c"].map { Device($0, in: workplace) }
    for device in devices {
      try await device.register(remote)
      try device.write(device.client, "text")
      try await device.sync(remote)
    }
    for device in devices { try await device.sync(remote) }

    let refills = 8
    for _ in 1...refills {
      try await devices[0].refill(remote)
      for device in devices { try await device.sync(remote) }
    }

    // All three authors by the first, and by each later one whom the former refill made.
    #expect(remote.paths { Supersession($0) }.count == devices.count + refills - 1)
    for device in devices { #expect(try device.notes.count == devices.count) }
    let newcomer = Device("newcomer", in: workplace)
    try await newcomer.register(remote)
    try await newcomer.sync(remote)
    #expect(try newcomer.notes == devices[0].notes)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `who has joined by the name of a damaged record alone refills all the same, under that name`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (remote, workplace) = (MemoryBackend(), try Workplace())
    let (a, b, c) = workplace.devices()
    try await a.register(remote, encryption)
    try a.write("by a", "text")
    try await a.sync(remote)
    let record = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == DocumentHierarchy.notes.integrityKey })
    try await remote.upload([0], to: record)
    try await b.register(remote, encryption)
    try await b.sync(remote)
    try await remote.remove(DocumentHierarchy.notes.root)
    let lost = await #expect(throws: SyncError.self) { try await b.sync(remote) }
    #expect(lost?.code == .documentNotFound)

    try await b.refill(remote)

    for device in [a, b] { try await device.sync(remote) }
    try await c.register(remote, encryption)
    try await c.sync(remote)
    for device in [a, b, c] { #expect(try device.notes == ["by a: text"]) }
  }

  @Test func `of two who refill a remote the one who had less does not miss the other for ever`() async throws
  {
    let (remote, workplace) = (MemoryBackend(), try Workplace())
    let (a, b, c) = workplace.devices()
    for device in [a, b, c] {
      try await device.register(remote)
      try device.write(device.client, "text")
      try await device.sync(remote)
    }
    for device in [a, b, c] { try await device.sync(remote) }
    // The last that one of them wrote has reached the third alone.
    try b.write("late", "text")
    for device in [b, c] { try await device.sync(remote) }
    try await remote.remove(DocumentHierarchy.notes.application.root)
    for device in [b, a] { try await device.refill(remote) }
    for _ in 1...6 { for device in [c, a, b] { try await device.sync(remote) } }

    for device in [a, b, c] {
      let findings = try await device.sync(remote).findings
      #expect(findings.isEmpty, "\(device.client): \(findings)")
      #expect(try device.notes == b.notes)
    }
  }
}
