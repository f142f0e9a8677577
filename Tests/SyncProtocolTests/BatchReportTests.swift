import BackendConformance
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// Sets are merged in batches; a report tells what holds when all of them are.
@Suite struct BatchReportTests {
  @Test func `a device that joins is not warned of objects that come with a later batch`() async throws {
    let remote = MemoryBackend()
    let workplace = try Workplace()
    let devices = ["device-a", "device-b"].map { Device($0, in: workplace) }
    for device in devices { try await device.register(remote) }
    // Given two devices with more sets than a batch holds, each of which has edited what the other has made.
    for device in devices {
      for index in 0..<60 { try device.write("\(device.client) \(index)", "new") }
    }
    for device in devices + devices { try await device.sync(remote) }
    for (editor, maker) in zip(devices, devices.reversed()) {
      for index in 0..<60 { try editor.write("\(maker.client) \(index)", "edited") }
    }
    for device in devices + devices { try await device.sync(remote) }
    // When a third one joins.
    let joining = Device("device-c", in: workplace)
    try await joining.register(remote)
    let report = try await joining.sync(remote)
    // Then it has everything, and nothing is missing.
    #expect(report.pulledSets > 2 * 16)
    #expect(try joining.notes == devices[0].notes)
    #expect(report.warnings.isEmpty)
    #expect(report.parked.isEmpty)
  }
}
