import ChangeTracking
import CommandLineTool
import Inspection

extension RemoteFacts {
  /// A client's description in quotation marks, or its identifier.
  func name(ofClient identifier: String) -> String {
    clients[identifier].map { "“\(DisplayText.printable($0))”" } ?? DisplayText.printable(identifier)
  }

  /// The description of the client behind an author in quotation marks, or the author.
  func name(of author: AuthorID) -> String {
    authors[author].map { "“\(DisplayText.printable($0))”" } ?? author.description
  }

  func json(of author: AuthorID) -> JSONValue { authors[author].map { .string($0) } ?? .null }
}

extension FileRole {
  /// A stable word for scripts.
  var keyword: String {
    switch self {
    case .folder: "folder"
    case .application: "application"
    case .readMe: "readMe"
    case .client: "client"
    case .deviceInformation: "deviceInformation"
    case .keyFile: "keyFile"
    case .document: "document"
    case .documentInformation: "documentInformation"
    case .founding: "founding"
    case .acceptance: "acceptance"
    case .wrappedKey: "wrappedKey"
    case .withdrawal: "withdrawal"
    case .author: "author"
    case .set: "set"
    case .longValue: "longValue"
    case .head: "head"
    case .request: "request"
    case .mention: "mention"
    case .supersession: "supersession"
    case .floor: "floor"
    case .removal: "removal"
    case .deviceName: "deviceName"
    case .wholeStore: "wholeStore"
    case .deletion: "deletion"
    case .serverTest: "serverTest"
    case .foreign: "foreign"
    }
  }
}
