import Simulation
import SyncProtocol

/// The end of a document that a device deletes for everybody.
extension ProtocolRun {
  /// Whatever storage does, in the end everybody has been told, or nobody: without encryption nothing proves that anybody has deleted it,
  /// once the note of that is gone.
  func deleteDocument() async throws {
    // Who was not given the password of new keys can tell of no note that somebody with these has written.
    let keys = Set(members.flatMap(\.heldKeys))
    for device in members where device.heldKeys != keys { await givePasswords(to: device) }
    guard members.allSatisfy({ $0.heldKeys == keys }) else { return }
    let notes = try members.map { try $0.notes() }
    let former = server.copy()
    guard let deleter = members.randomElement(using: &random) else { return }
    trace("\(deleter.name) deletes the document")
    deleter.storage.begin(deletionFaults())
    if await attempt(deletingWith: deleter) != nil {
      deleter.kill()
      deleter.storage.begin(.init())
      if let error = await attempt(deletingWith: deleter) {
        outcome.violations.append("\(deleter.name) cannot delete the document: \(error)")
        return
      }
    }
    try await deliverAll()
    for device in members where random.oneIn(2) { _ = await told(device) }
    if !families.contains(.replicated), random.oneIn(2) {
      trace("the storage is rolled back")
      server.restore(former)
    }
    for _ in 0..<3 {
      passDay()
      for device in members {
        _ = await told(device)
        try await deliverAll()
      }
    }
    try await compareTold(notes)
    if outcome.violations.isEmpty, !heirs.isEmpty { try await succeed(deleter, former) }
  }

  private func compareTold(_ notes: [[String: String]]) async throws {
    var outcomes: [String] = []
    for device in members {
      outcomes.append(await told(device) == .documentDeleted ? "told" : "goes on")
      try await deliverAll()
    }
    if Set(outcomes).count > 1 || families.contains(.encrypted) && outcomes.contains("goes on") {
      outcome.violations.append("the document was deleted, and of the members \(outcomes)")
    }
    for (device, before) in zip(members, notes) where try device.notes() != before {
      outcome.violations.append("\(device.name) shows something else since the document was deleted")
    }
  }

  func attempt(deletingWith device: SimulatedDevice) async -> (any Error)? {
    do {
      try await device.deleteDocument()
      return nil
    } catch {
      trace("  fails: \(error)")
      return error
    }
  }

  /// - Returns: what a synchronisation ends with; `nil` if it succeeds.
  func told(_ device: SimulatedDevice) async -> SyncError.Code? {
    device.storage.begin(.init())
    do {
      _ = try await device.synchronize()
      trace("\(device.name) goes on")
      return nil
    } catch {
      trace("\(device.name): \(error)")
      return (error as? SyncError)?.code
    }
  }

  private func deletionFaults() -> SimulatedStorage.Faults {
    var faults = SimulatedStorage.Faults()
    if families.contains(.crashes), random.oneIn(2) {
      faults.survives = Int.random(in: 0..<30, using: &random)
    }
    if families.contains(.lostRequests), random.oneIn(2) { faults.lostRequests = 6 }
    return faults
  }
}
