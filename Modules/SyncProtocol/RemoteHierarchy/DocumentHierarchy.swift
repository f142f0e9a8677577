import ChangeTracking

/// Where the files of one document lie on a remote. The names are those of the classic system.
public struct DocumentHierarchy: Hashable, Sendable {
  /// The application's part of the remote.
  public let application: ApplicationHierarchy
  /// The document's identifier.
  public let document: RemoteName

  /// The folder that holds everything of the document.
  public var root: RemotePath { application.documents / document }
  /// Describes the document.
  public var information: RemotePath { root / RemoteName(trusted: "documentInfo.plist") }
  /// Holds a file whose name tells one incarnation of the document from another.
  public var integrityKey: RemotePath { root / RemoteName(trusted: "IntegrityKey") }
  /// One folder of change sets for each author.
  public var syncChanges: RemotePath { root / RemoteName(trusted: "SyncChanges") }
  /// The heads of all authors.
  public var recentSyncs: RemotePath { root / RemoteName(trusted: "RecentSyncs") }
  /// Snapshots of the document.
  public var wholeStore: RemotePath { root / RemoteName(trusted: "WholeStore") }
  /// Values too long for a set. Made when the first one is written.
  public var longValues: RemotePath { root / RemoteName(trusted: "LongValues") }
  /// A file for each client that was expelled.
  public var deletedClients: RemotePath { root / RemoteName(trusted: "DeletedClients") }

  /// All folders.
  var folders: [RemotePath] { [integrityKey, syncChanges, recentSyncs, wholeStore, deletedClients] }

  /// The folder of an author's sets.
  public func changes(of author: AuthorID) -> RemotePath {
    syncChanges / RemoteName(trusted: author.description)
  }

  /// The file of a set.
  public func file(of set: SetName, by author: AuthorID) -> RemotePath { changes(of: author) / set.name }

  /// The file of a long value.
  public func file(of value: LongValueName) -> RemotePath { longValues / value.name }

  /// The file of a head.
  public func file(of head: HeadName) -> RemotePath { recentSyncs / head.name }

  /// Identifies a file of this document to whoever seals or opens it.
  package func identity(_ parts: String...) -> String {
    ([application.application.description, document.description] + parts).joined(separator: "/")
  }

  /// Identifies the set of an author to whoever seals or opens it. Its file's name depends on the sealed bytes.
  package func identity(ofSet sequence: UInt64, by author: AuthorID) -> String {
    identity("SyncChanges", author.description, FixedWidth.text(sequence))
  }

  /// Identifies a long value, by the hash of its bytes, to whoever seals or opens it. Only who knows the hash can open it.
  package func identity(ofLongValue hash: ContentHash) -> String { identity("LongValues", hash.description) }

  /// Identifies a head to whoever seals or opens it.
  package func identity(of head: HeadName) -> String { identity("RecentSyncs", head.name.description) }
}
