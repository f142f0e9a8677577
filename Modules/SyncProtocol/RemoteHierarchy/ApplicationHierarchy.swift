import Crypto

/// Where the files of one application lie on a remote. The names are those of the classic system.
public struct ApplicationHierarchy: Hashable, Sendable {
  /// The application's global identifier.
  public let application: RemoteName

  /// The hierarchy of an application.
  public init(application: RemoteName) { self.application = application }

  /// The folder that holds everything of the application.
  public var root: RemotePath { RemotePath([application]) }
  /// The file that explains this folder to a person.
  public var readMe: RemotePath { root / RemoteName(trusted: "ReadMe.txt") }
  /// What `ReadMe.txt` says.
  package static let readMeText = """
    These files let an application keep its documents in step on several devices.
    Please do not move, rename, change or remove anything here.

    """
  /// One folder for each client.
  public var clientDevices: RemotePath { root / RemoteName(trusted: "ClientDevices") }
  /// Key files, if the application's data are encrypted.
  public var encryption: RemotePath { root / RemoteName(trusted: "Encryption") }
  /// The founding records: written last, so without one the application's part is not complete.
  public var founding: RemotePath { root / RemoteName(trusted: "Founding") }
  /// What happened to documents.
  public var information: RemotePath { root / RemoteName(trusted: "Information") }
  /// A file for each document that was deleted.
  public var deletedDocuments: RemotePath { information / RemoteName(trusted: "DeletedDocuments") }
  /// One folder for each document.
  public var documents: RemotePath { root / RemoteName(trusted: "Documents") }

  /// By what names the folder shows to be that of an application.
  package static let folderNames = ["ClientDevices", "Documents", "Founding", "Encryption", "Information"]

  /// The folders that every application has. The one for keys is made with the first key file.
  var folders: [RemotePath] { [clientDevices, deletedDocuments, documents] }

  /// The file of a founding record.
  public func file(of founding: FoundingName) -> RemotePath { self.founding / founding.name }

  /// The file of a deletion.
  public func file(of deletion: DeletionName) -> RemotePath { deletedDocuments / deletion.name }

  /// Describes a client.
  public func deviceInformation(of client: RemoteName) -> RemotePath {
    clientDevices / client / RemoteName(trusted: "deviceInfo.plist")
  }

  /// What the description of a client is sealed for.
  package func deviceContext(of client: String) -> SealedContext {
    SealedContext(role: .deviceInformation, identity: identity(ofClient: client))
  }

  /// Identifies the description of a client to whoever seals or opens it.
  package func identity(ofClient client: String) -> String { "\(application)/\(client)" }

  /// Identifies a wrapped key to whoever seals or opens it.
  package func identity(of key: WrappedKeyName) -> String { "\(application)/Encryption/\(key.key)" }

  /// What the name of a founding record says, for its code.
  func statement(founding: IntegrityKey, key: KeyIdentifier?) -> [String] {
    ["founding", application.description, founding.description, key?.description ?? "plain"]
  }

  /// Whether the founder of the application's part has written the name of its record, as far as the keys at hand tell.
  package func isGenuine(_ founding: FoundingName, _ names: NameAuthenticator) -> Bool {
    let statement = statement(founding: founding.integrityKey, key: founding.key)
    return names.verifies(founding.code, statement, key: founding.key) == true
  }

  /// A document.
  public func document(_ identifier: RemoteName) -> DocumentHierarchy {
    DocumentHierarchy(application: self, document: identifier)
  }
}

extension ApplicationHierarchy {
  /// Whether folders of these names are what lies within an application or a document, so that somebody has named a remote's folder too deep.
  package static func isWithin(_ folders: some Sequence<String>) -> Bool {
    let names = Set(folders)
    return [folderNames, DocumentHierarchy.folderNames].contains { names.intersection($0).count > 1 }
  }
}
