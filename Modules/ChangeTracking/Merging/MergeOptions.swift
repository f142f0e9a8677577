/// How sets are merged.
struct MergeOptions {
  /// Identifier of the client.
  let client: String
  /// The wall clock, in milliseconds since 1970.
  let now: @Sendable () -> UInt64
  /// Changes in one transaction, about.
  let sliceLimit: Int
  /// How far a set may lie in the future before that is reported, in milliseconds.
  let clockTolerance: UInt64
}
