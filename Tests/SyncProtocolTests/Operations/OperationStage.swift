import BackendConformance
import Crypto
import Foundation
import Synchronization
import Testing

@testable import SyncProtocol

/// Devices of which one or two act, while another one looks on: all have the same notes, and two passwords open the remote.
final class OperationStage: Sendable {
  static let (first, spare) = ("first", "spare")

  let workplace: Workplace
  let remote: MemoryBackend
  let (actor, other, bystander): (Device, Device, Device)
  /// The store of each device before it pushed its last note.
  private let backups: [String: Data]
  private let state = Mutex((notes: Set<String>(), newcomers: [Device](), restored: Set<String>()))

  var devices: [Device] { [actor, other, bystander] }
  /// The notes that somebody has written.
  var written: Set<String> { state.withLock { $0.notes } }
  var newcomers: [Device] { state.withLock { $0.newcomers } }

  /// - Parameter isLost: whether storage has lost everything since.
  init(isLost: Bool) async throws {
    workplace = try Workplace()
    remote = MemoryBackend()
    (actor, other, bystander) = workplace.devices()
    let devices = [actor, other, bystander]
    for device in devices { try await device.register(remote, .password(Self.first)) }
    _ = try await actor.application(remote).addPassword(Self.spare)
    for device in devices { try device.write("before, by \(device.client)", "text") }
    for _ in 0..<2 { for device in devices { try await device.sync(remote) } }
    // What a vacuum may remove, and what whoever begins anew begins with.
    _ = try await other.uploadStore(remote)
    var backups: [String: Data] = [:]
    for device in devices {
      backups[device.client] = try device.backUp()
      try device.write("last, by \(device.client)", "text")
    }
    for _ in 0..<2 { for device in devices { try await device.sync(remote) } }
    self.backups = backups
    let notes = devices.flatMap { [Self.line("before", $0), Self.line("last", $0)] }
    state.withLock { $0.notes = Set(notes) }
    // Once a day each looks what opens the remote, and keeps it.
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in devices { try await device.sync(remote) }
    if isLost { remote.restore(MemoryBackend()) }
  }

  private static func line(_ note: String, _ device: Device) -> String {
    "\(note), by \(device.client): text"
  }

  func write(_ device: Device, _ note: String) throws {
    try device.write(note, "text")
    _ = state.withLock { $0.notes.insert("\(note): text") }
  }

  /// A device that joins where another one stands, the same each time.
  func newcomer(of device: Device) -> Device {
    let newcomer = Device("newcomer-of-\(device.client)", in: workplace)
    return state.withLock { state in
      if let known = state.newcomers.first(where: { $0.client == newcomer.client }) { return known }
      state.newcomers.append(newcomer)
      return newcomer
    }
  }

  func password(of device: Device) -> String { "of \(device.client)" }

  /// Puts the store of a device back that it had before its last note.
  func goBack(_ device: Device) throws {
    if let backup = backups[device.client] { try device.restore(backup) }
    _ = state.withLock { $0.restored.insert(device.client) }
  }

  func hasGoneBack(_ device: Device) -> Bool { state.withLock { $0.restored.contains(device.client) } }

  /// All passwords that may open the remote by now.
  var passwords: [String] { [Self.first, Self.spare] + devices.map { password(of: $0) } }
}
