/// Where an object stands in its life.
@usableFromInline struct ObjectState: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Its values are in the store and not in memory.
  static let fault = ObjectState(rawValue: 1)
  /// It is new and not saved yet.
  @usableFromInline static let inserted = ObjectState(rawValue: 2)
  /// Values have been set since the last save.
  @usableFromInline static let updated = ObjectState(rawValue: 4)
  /// It will be gone with the next save.
  @usableFromInline static let deleted = ObjectState(rawValue: 8)
  /// Its to-many relationships have changes, so that the context holds on to it.
  static let touched = ObjectState(rawValue: 16)
  /// It only notes which properties are read; see `PathTracer`.
  static let tracing = ObjectState(rawValue: 32)
  /// It has no row any more.
  static let gone = ObjectState(rawValue: 64)
  /// Each of its changes is noted, so that it can be undone.
  @usableFromInline static let recorded = ObjectState(rawValue: 128)
}
