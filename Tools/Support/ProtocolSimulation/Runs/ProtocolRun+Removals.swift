import Simulation
import SyncProtocol

/// Devices that remove each other from the document.
extension ProtocolRun {
  func removeAnother(_ device: SimulatedDevice) async throws {
    let others = try await device.members().filter { !$0.isThisDevice }
    guard let chosen = others.randomElement(using: &random) else { return }
    trace("  removes \(chosen.name ?? "somebody") (\(chosen.author))")
    try await device.remove(chosen.author)
  }

  /// Does what a device's owner is told who was removed, and wants to come back.
  ///
  /// - Returns: why that does not work.
  func comeBack(_ device: SimulatedDevice) async -> (any Error)? {
    trace("\(device.name) comes back")
    do {
      let report = try await device.rejoin()
      outcome.readmitted += 1
      notePush(of: device)
      trace("  \(report.pushed) out, \(report.pulled) in, \(report.findings)")
      try startOverIfTold(device, report)
      return nil
    } catch {
      noteDecisions(of: device)
      trace("  fails: \(error)")
      return error
    }
  }

  /// Whether the owner of a device that was removed leaves it at that.
  func returnsNever() -> Bool { random.oneIn(3) }
}
