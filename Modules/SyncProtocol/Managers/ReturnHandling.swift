import ChangeTracking

/// What happens when sets that this device needs were removed from the remote, because whole stores contain them.
public enum ReturnHandling: Sendable {
  /// It takes over a whole store and goes on.
  case automatic
  /// Somebody is asked first. Who declines is asked again later, and does not see what the others write until then.
  case ask(@Sendable (ReturnQuestion) async throws -> Bool)
  /// It stays as it is.
  case never
}

/// Whether a device that was away for long takes over a whole store.
public struct ReturnQuestion: Hashable, Sendable {
  /// What would be taken over.
  public var wholeStore: WholeStoreName
  /// Changes of this device that were not pushed, about. They are kept either way.
  public var unpushed: Int
}
