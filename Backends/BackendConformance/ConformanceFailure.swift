/// A law of `SyncBackend` that a back end does not keep.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// What was expected and what happened.
  public let description: String
}
