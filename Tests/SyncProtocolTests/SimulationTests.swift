import BackendConformance
import ByteFixtures
import Foundation
import Testing

@testable import SyncProtocol

/// Devices that do anything in any order, with storage that fails anyhow: in the end all hold the same.
@Suite struct SimulationTests {
  @Test(arguments: UInt64(1)...40)
  func `devices agree whatever happened`(_ seed: UInt64) async throws {
    try await Simulation(seed: seed, encryption: seed % 5 == 0 ? .password("pass") : .none).run()
  }
}

private final class Simulation {
  private var random: SeededGenerator
  private let seed: UInt64
  private let encryption: EncryptionChoice
  private let workplace: Workplace
  private let devices: [Device]
  private let remote = MemoryBackend()
  private var backups: [Int: Data] = [:]
  /// What each device acknowledged to its user as saved and was never told to forget.
  private var written = 0
  private var history: [String] = []

  init(seed: UInt64, encryption: EncryptionChoice) throws {
    random = SeededGenerator(seed: seed)
    self.seed = seed
    self.encryption = encryption
    let workplace = try Workplace(seed: seed ^ 0x5eed)
    self.workplace = workplace
    devices = (0..<3).map { Device("device-\($0)", in: workplace) }
  }

  func run() async throws {
    for device in devices { try await device.register(remote, encryption) }
    for _ in 0..<60 { try await step() }
    remote.showAll()
    try await settle()
    let notes = try devices.map { try $0.notes }
    #expect(
      notes[1] == notes[0] && notes[2] == notes[0],
      "\((history + notes.map(\.description) + [remote.snapshot]).joined(separator: "\n"))")
    for device in devices {
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty, "\(report.findings)")
    }
  }

  /// Synchronises until nobody has anything new: news needs one round, answers to it another.
  private func settle() async throws {
    for _ in 0..<4 { for device in devices { try await device.sync(remote) } }
  }

  private func step() async throws {
    let index = Int.random(in: 0..<devices.count, using: &random)
    let device = devices[index]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35:
      let note = "note \(Int.random(in: 0..<8, using: &random))"
      written += 1
      history.append("\(device.client) writes \(note)")
      try device.write(note, "text \(written)", place: written % 3 == 0 ? "place \(written)" : nil)
    case 35..<42:
      let note = "note \(Int.random(in: 0..<8, using: &random))"
      history.append("\(device.client) deletes \(note)")
      if try device.shows(note) { try device.delete(note) }
    case 42..<70:
      history.append("\(device.client) syncs")
      try await device.sync(remote)
    case 70..<85:
      let requests = Int.random(in: 0..<8, using: &random)
      let fault = FaultyBackend.Fault.allCases.randomElement(using: &random) ?? .requestLost
      history.append("\(device.client) syncs and fails after \(requests): \(fault)")
      _ = try? await device.sync(FaultyBackend(remote, after: requests, fault))
    case 85..<92:
      let files = remote.files.keys.filter {
        $0.name.map { SetName($0) != nil || HeadName($0) != nil } ?? false
      }.sorted()
      guard let file = files.randomElement(using: &random) else { return }
      history.append("\(file) is late")
      remote.hide(file)
    case 92..<95:
      history.append("everything arrives")
      remote.showAll()
    case 95..<98:
      history.append("\(device.client) is backed up")
      backups[index] = try device.backUp()
    default:
      // Sometimes the backup of another device: a store that was copied.
      let source = Int.random(in: 0..<4, using: &random) == 0 ? (index + 1) % devices.count : index
      guard let backup = backups[source] else { return }
      history.append("\(device.client) is restored from a backup of \(devices[source].client)")
      try device.restore(backup)
    }
  }
}
