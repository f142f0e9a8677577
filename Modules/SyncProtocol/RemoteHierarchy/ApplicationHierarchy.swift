/// Where the files of one application lie on a remote. The names are those of the classic system.
public struct ApplicationHierarchy: Hashable, Sendable {
  /// The application's global identifier.
  public let application: RemoteName

  /// The hierarchy of an application.
  public init(application: RemoteName) { self.application = application }

  /// The folder that holds everything of the application.
  public var root: RemotePath { RemotePath([application]) }
  /// Tells a person what this is. Written last: without it, the hierarchy is not complete.
  public var readMe: RemotePath { root / RemoteName(trusted: "ReadMe.txt") }
  /// One folder for each client.
  public var clientDevices: RemotePath { root / RemoteName(trusted: "ClientDevices") }
  /// Key files, if the application's data are encrypted.
  public var encryption: RemotePath { root / RemoteName(trusted: "Encryption") }
  /// What happened to documents.
  public var information: RemotePath { root / RemoteName(trusted: "Information") }
  /// A file for each document that was deleted.
  public var deletedDocuments: RemotePath { information / RemoteName(trusted: "DeletedDocuments") }
  /// One folder for each document.
  public var documents: RemotePath { root / RemoteName(trusted: "Documents") }

  /// All folders, outermost first.
  var folders: [RemotePath] { [encryption, clientDevices, deletedDocuments, documents] }

  /// Describes a client.
  public func deviceInformation(of client: RemoteName) -> RemotePath {
    clientDevices / client / RemoteName(trusted: "deviceInfo.plist")
  }

  /// Identifies the description of a client to whoever seals or opens it.
  package func identity(ofClient client: String) -> String { "\(application)/\(client)" }

  /// A document.
  public func document(_ identifier: RemoteName) -> DocumentHierarchy {
    DocumentHierarchy(application: self, document: identifier)
  }
}
