/// Why synchronising has stopped, as of the last attempt.
public struct SyncFailure: Hashable, Sendable {
  /// What went wrong.
  public var code: SyncError.Code
  /// One sentence for a person.
  public var message: String
  /// What a person can do about it.
  public var recovery: String
  /// When that was first so, in milliseconds since 1970.
  public var since: UInt64
}
