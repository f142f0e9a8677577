import ObjectStore

extension PersistentStore {
  /// Records what every context of this store saves, from now on, so that it reaches other devices. Calling it again has no
  /// effect.
  ///
  /// A ``Replica`` calls it when it opens. A process that only edits, and leaves synchronising to another, calls it once it has
  /// opened the store. A context whose changes are to stay on this device turns
  /// `usesStoreParticipants` off.
  ///
  /// - Parameters:
  ///   - now: the wall clock, in milliseconds since 1970.
  ///   - random: random bits, of which sync IDs are made.
  public func recordChanges(
    now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
    random: @escaping @Sendable () -> UInt64 = {
      var random = SystemRandomNumberGenerator()
      return random.next()
    }
  ) {
    makeImmutable(attributesNamed: [SyncModelKey.syncID])
    addParticipants(as: "ChangeTracking") { context in
      try SaveRecorder(context: context, now: now, random: ConfiguredRandom(source: random))
    }
  }
}

/// A generator over a source that a configuration gives.
struct ConfiguredRandom: RandomNumberGenerator {
  let source: @Sendable () -> UInt64

  func next() -> UInt64 { source() }
}
