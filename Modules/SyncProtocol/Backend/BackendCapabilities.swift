/// What a storage service does beyond the minimum that ``SyncBackend`` asks of it.
///
/// Correctness never depends on a capability; where one is honest it saves requests or time. The conformance suite holds a
/// back end to each that it declares.
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
  /// ``SyncBackend/changes(below:)`` returns a stream, which reports what others write:
  /// ``DocumentSyncManager/remoteChanges()`` hands it on.
  public static let watch = BackendCapabilities(rawValue: 8)
  /// Folders come with the first file in them and vanish with the last, as in object storage. No folder is made ahead then, and
  /// one that is not there may be empty.
  ///
  /// Without it, a folder stays when nothing is in it, and nothing is written where there is none.
  public static let implicitFolders = BackendCapabilities(rawValue: 16)
}
