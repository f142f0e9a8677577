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
    /// Whether the storage has lost something since it was saved: that it was pushed then does not mean that it is there.
    var wasLost = false
  }

  private var events: [Event] = []
  private var byText: [String: Int] = [:]
  private var first: [String: Int] = [:]

  /// Notes that somebody made.
  private(set) var names: [String] = []

  /// What each note was called when it was made, by what identifies it. A device that lacks the set which tells so shows it without a
  /// name, and what is saved there is of that note all the same.
  private var namesOfObjects: [String: String] = [:]

  /// What a backup of a store knows.
  struct Backup {
    fileprivate var device: String
    fileprivate var position: Int
  }

  /// A backup is taken.
  func backup(of device: String) -> Backup {
    Backup(device: device, position: events.count)
  }

  /// A device saves a note.
  ///
  /// - Parameters:
  ///   - name: what the device shows it as.
  ///   - text: what it shows from now on; `nil` if it is deleted.
  ///   - device: where that happens.
  ///   - shown: what it showed there before; `nil` if it is made.
  ///   - object: what identifies it on all devices, if that is known.
  mutating func saved(
    _ name: String, _ text: String?, on device: String, over shown: String?, object: String? = nil
  ) {
    let note = object.flatMap { namesOfObjects[$0] } ?? name
    if let object { namesOfObjects[object] = note }
    let before = shown.flatMap { byText[$0] }
    let event = Event(note: note, text: text, device: device, follows: before)
    if let text { byText[text] = events.count }
    if first[note] == nil {
      first[note] = events.count
      names.append(note)
    }
    events.append(event)
  }

  /// A device's user has decided a conflict: what is kept is said anew, after what others wrote over it meanwhile.
  mutating func decided(_ name: String, _ text: String, on device: String, object: String) {
    let note = namesOfObjects[object] ?? name
    // Nobody can tell which edits came after it, so it may be shown from now on.
    events.append(Event(note: note, text: text, device: device, follows: byText[text]))
  }

  /// A device's synchronisation was completed: what it had saved is on the storage.
  mutating func pushed(by device: String) {
    for index in events.indices where events[index].device == device && !events[index].wasLost {
      events[index].isPushed = true
    }
  }

  /// The storage lost something: what was pushed may be with the device that saved it alone.
  mutating func storageLost() {
    for index in events.indices {
      events[index].isPushed = false
      events[index].wasLost = true
      if !events[index].isKept { events[index].isCertain = false }
    }
  }

  /// A backup takes the place of a device's store: what was saved there since may be lost, unless it was pushed.
  mutating func restored(_ device: String, from backup: Backup) {
    let position = backup.device == device ? backup.position : 0
    for index in events.indices where index >= position && events[index].device == device {
      events[index].isKept = false
      if !events[index].isPushed { events[index].isCertain = false }
    }
  }

  /// A device never came to synchronise: what was saved there nobody else has.
  mutating func keptOut(_ device: String) {
    for index in events.indices where events[index].device == device { events[index].isCertain = false }
  }

  /// A device was removed and does not come back: what it had not pushed nobody else has.
  mutating func staysAway(_ device: String) {
    for index in events.indices where events[index].device == device && !events[index].isPushed {
      events[index].isCertain = false
    }
  }

  /// Whether the storage may have lost for good that a note was made. Who learns of its edits alone cannot show it.
  private func isBeginningLost(_ note: String) -> Bool {
    guard let first = first[note] else { return false }
    return !events[first].isCertain && events[first].wasLost
  }

  /// What is wrong with what all devices show in the end.
  ///
  /// - Parameter lost: notes whose texts nobody has any more.
  func violations(of shown: [String: String], besides lost: Set<String> = []) -> [String] {
    var violations: [String] = []
    for name in shown.keys.sorted() where !names.contains(name) {
      violations.append("\(name) was never made")
    }
    for name in names where !lost.contains(name) {
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
        // A deletion wins over whatever was written without knowledge of it, also if it was lost where it was made.
        if !mustBe.isEmpty, !isBeginningLost(name), events.allSatisfy({ self.events[$0].text != nil }) {
          violations.append(
            "\(name) is lost; it should show one of \(mustBe.compactMap { self.events[$0].text })")
        }
      }
    }
    return violations
  }
}
