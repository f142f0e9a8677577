import ChangeTracking

/// The content of a head: where its author stands, for status, vacuum and inspection.
///
/// A cache of what `SyncChanges` says: a head that is lost or damaged is made anew, and no sync depends on its content.
public struct Head: Hashable, Sendable {
  /// What the file is called.
  public var name: HeadName
  /// Identifier of the author's client.
  public var client: String
  /// The client's description, for a person.
  public var clientDescription: String
  /// What the author has applied from each other.
  public var vector: VersionVector
  /// The author's newest snapshot of the document.
  public var wholeStore: RemoteName?
  /// Checksum of the author's model.
  public var model: String
  /// When it was published, by the author's clock: milliseconds since 1970. For a person only.
  public var time: UInt64

  /// Combines the parts of a head.
  public init(
    name: HeadName, client: String, clientDescription: String, vector: VersionVector,
    wholeStore: RemoteName? = nil,
    model: String = "", time: UInt64
  ) {
    self.name = name
    self.client = client
    self.clientDescription = clientDescription
    self.vector = vector
    self.wholeStore = wholeStore
    self.model = model
    self.time = time
  }
}
