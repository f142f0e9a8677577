import Simulation
import SyncProtocol

/// What must hold once storage has delivered everything and nothing fails any more.
extension ProtocolRun {
  func settle() async throws {
    trace("everything settles")
    for device in devices { device.storage.removeForeign() }
    try await deliverAll()
    var blocked: [String] = []
    for _ in 0..<Self.rounds {
      blocked = []
      for device in devices {
        if let message = await complete(device) { blocked.append("\(device.name) is blocked: \(message)") }
        try await deliverAll()
      }
    }
    outcome.violations += blocked
    if blocked.isEmpty { try await compare() }
  }

  /// News needs one round, answers to it another; joined foundings and restated authors some more. An author whose store is gone
  /// is taken for gone when another device has waited for five synchronisations.
  private static let rounds = 10

  /// Registers if need be, and synchronises.
  /// - Returns: why that does not work.
  private func complete(_ device: SimulatedDevice) async -> String? {
    device.storage.begin(.init())
    do {
      if !device.isRegistered { try await device.register() }
      let report = try await device.synchronize()
      trace("\(device.name): \(report.pushed) out, \(report.pulled) in, \(report.findings)")
      history.pushed(by: device.name)
      if report.findings.contains(where: { if case .keyMissing = $0 { true } else { false } }) {
        // Nobody keeps the password, so who is told that a key is missing gives it again.
        try await device.register()
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func compare() async throws {
    for device in devices {
      let report = try await device.synchronize()
      if report.requests != 1 || !report.findings.isEmpty {
        outcome.violations.append(
          "\(device.name) has nothing to do, and makes \(report.requests) requests and finds \(report.findings)"
        )
      }
    }
    let shown = try devices.map { try $0.notes() }
    for (device, notes) in zip(devices, shown) where notes != shown[0] {
      let names = Set(notes.keys).union(shown[0].keys).sorted()
      let differences = names.filter { notes[$0] != shown[0][$0] }.map {
        "\($0): \(notes[$0] ?? "-") instead of \(shown[0][$0] ?? "-")"
      }
      outcome.violations.append("\(device.name) differs from \(devices[0].name): \(differences)")
    }
    outcome.violations += history.violations(of: shown[0])
  }
}
