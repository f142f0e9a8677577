import ChangeTracking

/// The last set of an author, or of a branch, that this device has merged and had to name itself, since no head does, and that is not there:
/// storage went back, and whoever has made it may be gone.
struct NamedEnd: Equatable {
  var end: SyncPlan.ForkedSet
  /// When it was named first, in milliseconds since 1970.
  var since: UInt64
  /// When it was last looked whether the set is there.
  var looked: UInt64

  /// A day, in milliseconds.
  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  /// For how many days the author is given time to send it again.
  private static let patience: UInt64 = 7
  /// The most days that a device waits for the others after that.
  private static let longestTurn = 14

  func isLookDue(at now: UInt64) -> Bool { looked == 0 || now < looked || now - looked >= Self.day }

  /// Whether it counts as lost. Devices take turns, a day each, so that the first one mostly says alone what was in it.
  ///
  /// - Parameter rank: the place of this device among those that could say it, from 0 on.
  func isLost(at now: UInt64, rank: Int) -> Bool {
    let days = Self.patience + UInt64(min(max(rank, 0), Self.longestTurn))
    return now >= since && now - since >= days * Self.day
  }
}

/// The ends that this device has named.
extension RegistrationPins {
  private static let namedEnd = "namedEnd"
  private static let namedLimit = 256

  var namedEnds: [NamedEnd] {
    get throws {
      try replica.remoteNotes.all(Self.namedEnd).compactMap { note in
        SyncPlan.ForkedSet(note.key).map { end in
          NamedEnd(
            end: end, since: UInt64(clamping: note.number),
            looked: UInt64(String(decoding: note.value, as: UTF8.self)) ?? 0)
        }
      }
    }
  }

  /// Notes that an end was named. What is known of it stays.
  func noteNamed(_ end: SyncPlan.ForkedSet, at now: UInt64) throws {
    guard try !namedEnds.contains(where: { $0.end == end }) else { return }
    try setNamedEnds(namedEnds + [NamedEnd(end: end, since: now, looked: 0)])
  }

  func setNamedEnds(_ ends: [NamedEnd]) throws {
    let known = try namedEnds
    guard ends != known else { return }
    try replica.changeRemoteNotes { notes in
      for gone in known where !ends.contains(where: { $0.end == gone.end }) {
        try notes.remove(Self.namedEnd, gone.end.text)
      }
      for end in ends where !known.contains(end) {
        try notes.set(
          Self.namedEnd,
          RemoteNotes.Note(
            key: end.end.text, number: Int64(clamping: end.since), value: Array("\(end.looked)".utf8)))
      }
      try notes.keepGreatest(Self.namedLimit, of: Self.namedEnd)
    }
  }
}
