import ChangeTracking

/// Long values that could not be had, and for how long.
extension RegistrationPins {
  private static let awaited = "awaited"
  private static let limit = 256

  /// What is remembered of a long value.
  struct Awaited {
    /// What stands in the way, in words.
    var obstacle: String
    /// When that was first so, in milliseconds since 1970.
    var since: UInt64
    /// In how many synchronisations it was so, one after the other.
    var syncs: Int
  }

  /// Counts the synchronisations, one after the other, in which long values could not be had.
  func countAwaited(
    _ values: [ContentHash: SyncFinding.Obstacle], at time: UInt64
  ) throws -> [ContentHash: Int] {
    let known = try awaitedValues()
    let keys = try replica.remoteNotes.keys(Self.awaited)
    guard !values.isEmpty || !keys.isEmpty else { return [:] }
    return try replica.changeRemoteNotes { notes in
      for key in keys where ContentHash(key).flatMap({ values[$0] }) == nil {
        try notes.remove(Self.awaited, key)
      }
      var counts: [ContentHash: Int] = [:]
      let sorted = values.sorted { $0.key.description < $1.key.description }
      for (hash, obstacle) in sorted.prefix(Self.limit) {
        let count = (known[hash]?.syncs ?? 0) + 1
        let text = "\(known[hash]?.since ?? time) \(obstacle.words.prefix(500))"
        try notes.set(
          Self.awaited, RemoteNotes.Note(key: hash.description, number: Int64(count), value: Array(text.utf8))
        )
        counts[hash] = count
      }
      return counts
    }
  }

  /// What is remembered of long values that could not be had in the last synchronisations.
  func awaitedValues() throws -> [ContentHash: Awaited] {
    var values: [ContentHash: Awaited] = [:]
    for note in try replica.remoteNotes.all(Self.awaited) {
      let parts = String(decoding: note.value, as: UTF8.self).split(separator: " ", maxSplits: 1)
      guard let hash = ContentHash(note.key), parts.count == 2, let since = UInt64(parts[0]) else { continue }
      values[hash] = Awaited(obstacle: String(parts[1]), since: since, syncs: Int(clamping: note.number))
    }
    return values
  }

  /// The changes that show nothing yet because their long values could not be had in the last synchronisations.
  func awaitedChanges(at time: UInt64) throws -> [AwaitedValue] {
    let values = try awaitedValues()
    guard !values.isEmpty else { return [] }
    let names = try deviceNames()
    return try replica.awaitedChanges().compactMap { change in
      guard case .wrote(.longValue(let value)) = change.written.effect, let known = values[value.hash] else {
        return nil
      }
      return AwaitedValue(
        change: change, isOwn: change.written.client == replica.client, length: value.length,
        name: change.written.stamp.flatMap { names[$0.author] },
        obstacle: known.obstacle,
        since: known.since, syncs: known.syncs,
        isGivenUp: time > known.since && time - known.since > BlockedAuthor.lifetime)
    }
  }
}
