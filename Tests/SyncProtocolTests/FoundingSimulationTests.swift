import BackendConformance
import ByteFixtures
import Crypto
import Testing

@testable import SyncProtocol

/// Devices that each have a copy of the folder, between which a replicator carries files in any order, create and join a document at any
/// time and with any password. In the end all hold the same.
@Suite struct FoundingSimulationTests {
  @Test(arguments: UInt64(1)...40)
  func `whoever founds whenever, all become one document`(_ seed: UInt64) async throws {
    try await FoundingSimulation(seed: seed).run()
  }
}

private final class FoundingSimulation {
  private var random: SeededGenerator
  private let isEncrypted: Bool
  private let passwords: [String]
  private let devices: [Device]
  private let remotes: [MemoryBackend]
  private var isRegistered: [Bool]
  private var written: Set<String> = []
  private var history: [String] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    isEncrypted = seed % 4 != 0
    passwords = seed % 2 == 0 ? ["one"] : ["one", "two"]
    let workplace = try Workplace(seed: seed ^ 0xf0)
    let count = seed % 3 == 0 ? 4 : 3
    devices = (0..<count).map { Device("device-\($0)", in: workplace) }
    remotes = (0..<count).map { _ in MemoryBackend() }
    isRegistered = Array(repeating: false, count: count)
  }

  func run() async throws {
    for _ in 0..<80 { try await step() }
    meet()
    for index in devices.indices where !isRegistered[index] {
      for password in passwords { try await register(index, password) }
      meet()
    }
    #expect(isRegistered.allSatisfy { $0 }, "\(story)")
    if isEncrypted {
      let ring = try #require(devices[0].ring)
      var all = ring
      for password in passwords {
        do {
          try await devices[0].register(remotes[0], .keysAndPassword(all, password))
          all = devices[0].ring ?? all
        } catch let error as SyncError where error.code == .wrongPassword {
          // Nobody has founded with it.
          continue
        }
      }
    }
    for _ in 0..<8 {
      meet()
      for (device, remote) in zip(devices, remotes) { try await device.sync(remote) }
    }
    for (index, device) in devices.enumerated() {
      #expect(Set(try device.notes) == written, "device \(index)\n\(story)")
    }
    for (index, (device, remote)) in zip(devices, remotes).enumerated() {
      let last = try await device.sync(remote)
      #expect(last.findings.isEmpty, "device \(index): \(last.findings)\n\(story)")
    }
    let plain = remotes[0].files.filter { path, bytes in
      path.name.map { SetName($0) != nil || HeadName($0) != nil } ?? false && !SealedContainer.isSealed(bytes)
    }
    #expect(!isEncrypted || plain.isEmpty)
  }

  private var story: String { (history + [remotes[0].snapshot]).joined(separator: "\n") }

  private func meet() {
    for one in remotes { for other in remotes { one.meet(other) } }
  }

  private func register(_ index: Int, _ password: String) async throws {
    guard !isRegistered[index] else { return }
    do {
      try await devices[index].register(remotes[index], isEncrypted ? .password(password) : .none)
      isRegistered[index] = true
      history.append("device \(index) registers with “\(password)”")
    } catch let error as SyncError {
      history.append("device \(index) cannot register with “\(password)”: \(error.code)")
      let codes: [SyncError.Code] = [.notDelivered, .keysNotDelivered, .wrongPassword, .keyMissing]
      #expect(codes.contains(error.code), "\(error)\n\(story)")
    }
  }

  private func step() async throws {
    let index = Int.random(in: 0..<devices.count, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2: try await register(index, passwords.randomElement(using: &random) ?? "one")
    case 2..<5:
      guard isRegistered[index] else { return }
      let note = "note \(written.count)"
      try devices[index].write(note, "by \(index)")
      written.insert("\(note): by \(index)")
      history.append("device \(index) writes and syncs")
      try await devices[index].sync(remotes[index])
    case 5..<6:
      guard isRegistered[index] else { return }
      history.append("device \(index) syncs")
      try await devices[index].sync(remotes[index])
    default:
      let other = Int.random(in: 0..<devices.count, using: &random)
      guard other != index else { return }
      try await deliver(from: remotes[index], to: remotes[other])
      history.append("some files of \(index) reach \(other)")
    }
  }

  /// Carries some files over that are not there yet, in any order.
  private func deliver(from source: MemoryBackend, to target: MemoryBackend) async throws {
    let present = target.files
    let share = Int.random(in: 1..<10, using: &random)
    for (path, bytes) in source.files.sorted(by: { $0.key < $1.key }) where present[path] == nil {
      guard Int.random(in: 0..<10, using: &random) < share, let folder = path.parent else { continue }
      try await target.makeDirectory(folder)
      try await target.upload(bytes, to: path)
    }
  }
}
