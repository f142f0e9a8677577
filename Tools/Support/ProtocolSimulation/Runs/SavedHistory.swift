/// What users saved, in whatever order devices learned of it: what may be shown in the end, and what must be.
///
/// An edit comes after the one whose text the device showed, so that one cannot be shown in the end. A store that is restored forgets
/// what it had not pushed: this may be lost, or may have been seen by others before.
struct SavedHistory {
  /// One save of one note.
  private struct Event {
    var note: String
    /// `nil` for a deletion.
    var text: String?
    var device: String
    /// Events of which this device knew when it made it, because it showed their texts.
    var follows: Int?
    var isCertain = true
    var isPushed = false
    /// Whether the store of the device that saved it still knows of it.
    var isKept = true
  }

  private var events: [Event] = []
  private var byText: [String: Int] = [:]
  private var first: [String: Int] = [:]

  /// Notes that somebody made.
  private(set) var names: [String] = []

  /// A position in the history of a device, for a backup.
  var position: Int { events.count }

  mutating func saved(_ note: String, _ text: String?, on device: String, over shown: String?) {
    let event = Event(note: note, text: text, device: device, follows: shown.flatMap { byText[$0] })
    if let text { byText[text] = events.count }
    if first.updateValue(events.count, forKey: note) == nil { names.append(note) }
    events.append(event)
  }

  /// A device's synchronisation was completed: what it had saved is on the storage.
  mutating func pushed(by device: String) {
    for index in events.indices where events[index].device == device { events[index].isPushed = true }
  }

  /// The storage lost something: what was pushed may be with the device that saved it alone.
  mutating func storageLost() {
    for index in events.indices {
      events[index].isPushed = false
      if !events[index].isKept { events[index].isCertain = false }
    }
  }

  /// A device's store went back to a position: what it saved since may be lost, unless it was pushed.
  mutating func restored(_ device: String, to position: Int) {
    for index in events.indices where index >= position && events[index].device == device {
      events[index].isKept = false
      if !events[index].isPushed { events[index].isCertain = false }
    }
  }

  /// What is wrong with what all devices show in the end.
  func violations(of shown: [String: String]) -> [String] {
    var violations: [String] = []
    for name in shown.keys.sorted() where !names.contains(name) {
      violations.append("\(name) was never made")
    }
    for name in names {
      let events = self.events.indices.filter { self.events[$0].note == name }
      let overwritten = Set(
        events.filter { self.events[$0].isCertain }.compactMap { self.events[$0].follows })
      // An edit of one that may be lost may be lost with it.
      let latest = events.filter { !overwritten.contains($0) }
      let possible = latest.map { self.events[$0].text }
      let mustBe = latest.filter { self.events[$0].isCertain }
      switch shown[name] {
      case let text?:
        if !possible.contains(text) {
          violations.append("\(name) shows \(text), which was overwritten or never written")
        }
      case nil:
        if !mustBe.isEmpty, mustBe.allSatisfy({ self.events[$0].text != nil }) {
          violations.append(
            "\(name) is lost; it should show one of \(mustBe.compactMap { self.events[$0].text })")
        }
      }
    }
    return violations
  }
}
