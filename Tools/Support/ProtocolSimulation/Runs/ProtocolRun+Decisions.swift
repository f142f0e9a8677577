/// What users decide about conflicts.
extension ProtocolRun {
  func appointUsers() {
    for (index, device) in devices.enumerated() {
      device.user = SimulatedUser(seed: ~configuration.seed &+ UInt64(index))
    }
  }

  /// Notes what came of a synchronisation before the store may give way to another.
  func notePush(of device: SimulatedDevice) {
    history.pushed(by: device.name)
    noteDecisions(of: device)
  }

  /// Notes what the user of a device has decided, also in a synchronisation that failed later.
  func noteDecisions(of device: SimulatedDevice) {
    guard device.user != nil else { return }
    do {
      for (object, note) in try device.decidedNotes().sorted(by: { $0.key < $1.key }) {
        trace("\(device.name) keeps \(note.text) of \(note.name)")
        history.decided(note.name, note.text, on: device.name, object: object)
      }
    } catch {
      outcome.violations.append("\(device.name) cannot be read: \(error)")
    }
  }
}
