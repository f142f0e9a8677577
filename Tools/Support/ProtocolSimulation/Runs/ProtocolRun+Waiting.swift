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
    default: return
    }
  }

  func noteGivingUp(_ report: SyncReport) {
    outcome.givenUp += report.findings.count { if case .givenUp = $0 { true } else { false } }
  }
}
