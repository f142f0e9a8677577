/// What a storage service does beyond the minimum that ``SyncBackend`` asks of it.
///
/// Correctness never depends on a capability; where one is honest it saves requests or time.
public struct BackendCapabilities: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// Wraps bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A reader sees a file that is being written as it was before or as it will be, never a mixture or a part.
  public static let atomicReplace = BackendCapabilities(rawValue: 1)
  /// Of several clients that create the same name at once, exactly one succeeds.
  public static let honestCreateIfAbsent = BackendCapabilities(rawValue: 2)
  /// Files and folders are moved by the storage, without transferring their content.
  public static let move = BackendCapabilities(rawValue: 4)
  /// ``SyncBackend/changes(below:)`` returns a stream, which reports what others write.
  public static let watch = BackendCapabilities(rawValue: 8)
}
