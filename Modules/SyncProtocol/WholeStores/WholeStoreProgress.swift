/// How far the upload or download of a whole store is.
public struct WholeStoreProgress: Hashable, Sendable {
  /// What is being done.
  public enum Phase: String, Hashable, Sendable {
    /// The store is compressed, and sealed if the document is encrypted.
    case packing
    /// The file goes to the remote.
    case uploading
    /// The file comes from the remote.
    case downloading
    /// The file is opened and the store written.
    case unpacking
  }

  /// What is being done.
  public var phase: Phase
  /// Bytes that are done.
  public var done: Int64
  /// Bytes in all; 0 where nobody has said how many.
  public var total: Int64

  /// Called between pieces, on the thread that does the work, which waits for it.
  public typealias Handler = @Sendable (WholeStoreProgress) -> Void
}
