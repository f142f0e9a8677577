import ChangeTracking
import Crypto

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
  /// The founding records of the document, and which of them belong together.
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

  /// By what names the folder shows to be that of a document.
  package static let folderNames = [
    "SyncChanges", "RecentSyncs", "IntegrityKey", "WholeStore", "DeletedClients",
  ]

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

  /// The file of a request.
  public func file(of request: ResendRequest) -> RemotePath { recentSyncs / request.name }

  /// The file that names a set which no head leads to.
  public func file(of mention: Mention) -> RemotePath { recentSyncs / mention.name }

  /// The file that says whose sets are superseded.
  public func file(of supersession: Supersession) -> RemotePath { recentSyncs / supersession.name }

  /// The file of a floor of the history.
  public func file(of floor: HistoryFloor) -> RemotePath { recentSyncs / floor.name }

  /// The file that says who was removed.
  public func file(of removal: RemovalName) -> RemotePath { recentSyncs / removal.name }

  /// The file that says what a device is called.
  public func file(of deviceName: RenamingName) -> RemotePath { recentSyncs / deviceName.name }

  /// The file that says who was away for too long.
  public func file(of absence: AbsenceName) -> RemotePath { deletedClients / absence.name }

  /// The file of a whole store.
  public func file(of store: WholeStoreName) -> RemotePath { wholeStore / store.name }

  /// The file of a founding record.
  public func file(of founding: FoundingName) -> RemotePath { integrityKey / founding.name }

  /// The file of an acceptance.
  public func file(of acceptance: AcceptanceName) -> RemotePath { integrityKey / acceptance.name }

  // MARK: What names say, for their codes

  /// Whether the founder of a document has written the name of its record, as far as the keys at hand tell.
  package func isGenuine(_ founding: FoundingName, _ names: NameAuthenticator) -> Bool {
    let statement = statement(founding: founding.integrityKey, key: founding.key)
    return names.verifies(founding.code, statement, key: founding.key) == true
  }

  /// Whether a member of the document has written the name of an acceptance.
  package func isGenuine(_ acceptance: AcceptanceName, _ names: NameAuthenticator) -> Bool {
    names.verifies(acceptance.code, statement(founding: acceptance.founding, accepts: acceptance.other))
  }

  func statement(founding: IntegrityKey, key: KeyIdentifier?) -> [String] {
    [
      "founding", application.application.description, document.description, founding.description,
      key?.description ?? "plain",
    ]
  }

  func statement(founding: IntegrityKey, accepts other: IntegrityKey) -> [String] {
    [
      "accepted", application.application.description, document.description, founding.description,
      other.description,
    ]
  }

  /// Whether a member of the document has written the name of a note that it was deleted.
  package func isGenuine(_ deletion: DeletionName, _ names: NameAuthenticator) -> Bool {
    names.verifies(deletion.code, statement(deleted: deletion.founding))
  }

  func statement(deleted founding: IntegrityKey) -> [String] {
    ["deleted", application.application.description, document.description, founding.description]
  }

  /// Identifies the file of a deletion to whoever seals or opens it.
  package func identity(ofDeleted founding: IntegrityKey) -> String {
    "\(application.application)/\(document)/\(founding)"
  }

  /// What a name among the heads says, for its code.
  func statement(_ name: some CodedName, of founding: IntegrityKey) -> [String] {
    statement(type(of: name).purpose, name.statement, of: founding)
  }

  func statement(_ purpose: String, _ statement: String, of founding: IntegrityKey) -> [String] {
    [
      purpose, application.application.description, document.description, founding.description, statement,
    ]
  }
}

/// What a file of a document is, to whoever seals or opens it. Its identity names the founding that it belongs to, so that nothing
/// of a document that was deleted is taken for its successor's.
package struct DocumentFile: Hashable, Sendable {
  package let role: SealedContext.Role
  private let parts: [String]

  /// What describes the document.
  package static let information = DocumentFile(role: .documentInformation, parts: [])

  /// The set of an author. Its file's name depends on the sealed bytes.
  package static func set(_ sequence: UInt64, by author: AuthorID) -> DocumentFile {
    DocumentFile(role: .changeSet, parts: ["SyncChanges", author.description, FixedWidth.text(sequence)])
  }

  /// A long value, by the hash of its bytes. Only who knows the hash can open it.
  package static func longValue(_ hash: ContentHash) -> DocumentFile {
    DocumentFile(role: .longValue, parts: ["LongValues", hash.description])
  }

  /// A head.
  package static func head(_ name: HeadName) -> DocumentFile {
    DocumentFile(role: .head, parts: ["RecentSyncs", name.name.description])
  }

  /// A statement that sets are superseded.
  package static func supersession(_ name: Supersession) -> DocumentFile {
    DocumentFile(role: .supersession, parts: ["RecentSyncs", name.name.description])
  }

  /// A floor of the history.
  package static func floor(_ name: HistoryFloor) -> DocumentFile {
    DocumentFile(role: .floor, parts: ["RecentSyncs", name.name.description])
  }

  /// The note that a device was removed.
  package static func removal(_ name: RemovalName) -> DocumentFile {
    DocumentFile(role: .removal, parts: ["RecentSyncs", name.name.description])
  }

  /// What a device is called.
  package static func deviceName(_ name: RenamingName) -> DocumentFile {
    DocumentFile(role: .deviceName, parts: ["RecentSyncs", name.name.description])
  }

  /// A copy of the document. Its file's name depends on the sealed bytes.
  package static func wholeStore(by author: AuthorID, sequence: UInt64, seen: UInt64) -> DocumentFile {
    DocumentFile(
      role: .wholeStore,
      parts: ["WholeStore", author.description, FixedWidth.text(sequence), FixedWidth.text(seen)])
  }

  func context(in hierarchy: DocumentHierarchy, _ founding: IntegrityKey) -> SealedContext {
    let start = [
      hierarchy.application.application.description, hierarchy.document.description, founding.description,
    ]
    return SealedContext(role: role, identity: (start + parts).joined(separator: "/"))
  }
}
