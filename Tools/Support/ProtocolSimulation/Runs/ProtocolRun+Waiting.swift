import SyncProtocol

/// What makes devices wait for what was removed, or for what tells of it.
extension ProtocolRun {
  /// For a device, something is late from now on, or comes at last; or months go by.
  func disturb() {
    let device = devices[Int.random(in: devices.indices, using: &random)]
    switch Int.random(in: 0..<6, using: &random) {
    case 0...1:
      let kind = SimulatedStorage.Withheld.allCases[Int(random.next() % 3)]
      trace("\(device.name) does not get \(kind)")
      device.storage.withhold(kind)
    case 2:
      trace("\(device.name) gets what was withheld")
      device.storage.release()
    case 3:
      let days: UInt64 = [31, 45, 70, 100][Int(random.next() % 4)]
      trace("\(days) days go by")
      for device in devices { device.clock.advance(days * 24 * 60 * 60 * 1_000) }
    case 4:
      trace("\(device.name) does not get the heads of others")
      device.storage.withhold(.heads)
    default: return
    }
  }

  /// A device that has just begun with a whole store perhaps gets to see nobody else for a while.
  func withholdHeads(from device: SimulatedDevice) {
    guard families.contains(.vacuums), !isAllDelivered, random.oneIn(3) else { return }
    trace("\(device.name) does not get the heads of others")
    device.storage.withhold(.heads)
  }

  /// A vacuum removes nothing that somebody lacks whom the device has heard of, unless he was away for longer than agreed, or lacks what was
  /// removed before he came and takes over a whole store anyway.
  ///
  /// - Parameters:
  ///   - plan: what was removed by a device.
  ///   - mayPassOver: whether somebody may have been away for so long by then.
  func checkContract(of plan: VacuumPlan, by device: SimulatedDevice, mayPassOver: Bool) async throws {
    passesOver = passesOver || mayPassOver || clock > Self.absence
    guard !passesOver, families.isDisjoint(with: [.restoredStores, .clonedStores, .wrongClocks, .removals])
    else { return }
    let known = try await device.merged()
    for other in members where other !== device {
      let (author, merged) = (try await other.author(), try await other.merged())
      let lacksRemoved = plan.passed.sequences.contains { $0.key != author && $0.value > merged[$0.key] }
      guard known[author] > 0, !lacksRemoved else { continue }
      for set in plan.sets where set.set.sequence > merged[set.author] && set.author != author {
        outcome.violations.append("\(device.name) removes what \(other.name) lacks: \(set)")
        return
      }
    }
  }

  /// For how long a device holds back what it lacks, unless a vacuum says otherwise.
  private static let absence: UInt64 = 90 * 24 * 60 * 60 * 1_000

  /// For how long the run has gone on, in milliseconds.
  var clock: UInt64 {
    let latest = devices.map(\.clock.milliseconds).max() ?? 0
    return latest - min(latest, Self.start)
  }

  /// What was made on a device is on the storage once a synchronisation has been completed, so the owner of one that finds no whole store to
  /// take over may join anew.
  func startOverIfTold(_ device: SimulatedDevice, _ report: SyncReport) throws {
    if let store = report.takenStore {
      trace("  \(device.name) takes over \(store.name)")
      outcome.returned += 1
    }
    // Who has taken one over that closes a part of the gap looks for the rest in the next one.
    guard report.takenStore == nil, report.findings.contains(.belowFloor) else { return }
    // Nor does anybody who was told that no password opens the remote: he could not join again.
    guard wayIn != .anotherPassword else { return }
    trace("  \(device.name) joins anew")
    outcome.anew += 1
    try device.startOver()
  }

  func noteGivingUp(_ report: SyncReport) {
    outcome.givenUp += report.findings.count { if case .givenUp = $0 { true } else { false } }
  }
}
