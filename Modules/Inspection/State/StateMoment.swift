import ChangeTracking

/// Which sets of a document count for a state of it.
public enum StateMoment: Sendable, Hashable {
  /// All that are published.
  case now
  /// Of each author those whose changes were all made until then, in milliseconds since 1970: what a device holds that synchronised
  /// then for the last time, after the others had pushed what they had written.
  case until(UInt64)
  /// Those that an author has made or merged, as its newest head says.
  case seen(by: AuthorID)
}
