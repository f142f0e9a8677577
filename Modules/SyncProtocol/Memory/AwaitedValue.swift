import ChangeTracking

/// A change whose value was too long for a set, and could not be had in the last synchronisation. Its object shows what it showed before.
public struct AwaitedValue: Hashable, Sendable {
  /// The object, the property, and who wrote it.
  public var change: ParkedChange
  /// Whether this device wrote it, before its store was restored, or a copy of its store did.
  public var isOwn: Bool
  /// How many bytes the value has.
  public var length: Int
  /// What a person calls the device that wrote it, where that is known.
  public var name: String?
  /// What is the matter with it, in words.
  public var obstacle: String
  /// When that was first so, in milliseconds since 1970.
  public var since: UInt64
  /// In how many synchronisations it was so, one after the other.
  public var syncs: Int
  /// Whether that was so for 30 days, so that perhaps nobody has it any more: it is still asked for, and tools call it a failure no more.
  public var isGivenUp: Bool
}
