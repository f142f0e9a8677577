/// An own set, fixed for good: what its file contains and what it is called.
public struct FrozenSet: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// Position in the author's history.
  public var sequence: UInt64
  /// Hash of ``bytes``.
  public var hash: ContentHash
  /// Number of changes in the set.
  public var changeCount: Int
  /// The file's bytes, sealed if the document is encrypted.
  public var bytes: [UInt8]
}
