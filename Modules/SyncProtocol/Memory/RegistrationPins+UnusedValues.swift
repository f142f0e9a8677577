import ChangeTracking

/// Long values that no set mentioned when this device vacuumed, and since when.
extension RegistrationPins {
  private static let kind = "unused"
  /// Values that are remembered, at most: whoever can write there can add any number. The others have their turn when these are gone.
  private static let limit = 4_096

  /// When each was first seen to be mentioned by nothing, in milliseconds since 1970.
  var unusedLongValues: [LongValueName: UInt64] {
    get throws {
      var since: [LongValueName: UInt64] = [:]
      for note in try replica.remoteNotes.all(Self.kind) {
        guard let name = RemoteName(note.key).flatMap({ LongValueName($0) }) else { continue }
        since[name] = UInt64(clamping: note.number)
      }
      return since
    }
  }

  /// Notes those that nothing mentions now, and forgets the others.
  func note(unused values: Set<LongValueName>, at time: UInt64) throws {
    let known = try unusedLongValues
    let gone = known.keys.filter { !values.contains($0) }
    let room = Self.limit - (known.count - gone.count)
    let new = values.filter { known[$0] == nil }.map(\.name).sorted().prefix(room)
    guard !gone.isEmpty || !new.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for name in gone { try notes.remove(Self.kind, name.name.description) }
      for name in new {
        try notes.set(
          Self.kind, RemoteNotes.Note(key: name.description, number: Int64(clamping: time), value: []))
      }
    }
  }
}
