import Inspection

/// What an attacker lays hands on: each kind of file and folder that a remote has, by the words of `Docs/Security.md`.
enum AttackedFile: String, CaseIterable, Sendable {
  case readMe = "`ReadMe.txt`"
  case deviceInformation = "description of a device"
  case keyFile = "key file"
  case wrappedKey = "wrapped key"
  case applicationFounding = "founding record of the application"
  case documentFounding = "founding record of the document"
  case acceptance = "acceptance"
  case documentInformation = "description of the document"
  case set = "set"
  case longValue = "long value"
  case head = "head"
  case request = "request for a set"
  case valueRequest = "request for a long value"
  case supersession = "supersession"
  case mention = "mention"
  case floor = "floor of the history"
  case wholeStore = "whole store"
  case deletion = "note of a deletion"
  case applicationFolder = "folder of the application"
  case keyFolder = "folder of keys"
  case clientFolder = "folder of a device"
  case documentFolder = "folder of the document"
  case authorFolder = "folder of an author"
  case headFolder = "folder of heads"
  case removal = "note of a removal"
  case deviceName = "name of a device"

  var isFolder: Bool {
    switch self {
    case .applicationFolder, .keyFolder, .clientFolder, .documentFolder, .authorFolder, .headFolder: true
    default: false
    }
  }

  /// Whether the inspector takes an entry for one of these. Without a default: a new role needs a row.
  init?(_ role: FileRole, isOfDocument: Bool = true) {
    switch role {
    // Its name is all that there is of a withdrawal: `WithdrawalTests`.
    case .folder, .foreign, .serverTest, .withdrawal: return nil
    case .application: self = .applicationFolder
    case .readMe: self = .readMe
    case .client: self = .clientFolder
    case .deviceInformation: self = .deviceInformation
    case .keyFile: self = .keyFile
    case .document: self = .documentFolder
    case .documentInformation: self = .documentInformation
    case .founding: self = isOfDocument ? .documentFounding : .applicationFounding
    case .acceptance: self = .acceptance
    case .wrappedKey: self = .wrappedKey
    case .author: self = .authorFolder
    case .set: self = .set
    case .longValue: self = .longValue
    case .head: self = .head
    case .request(let request):
      if case .set = request.subject { self = .request } else { self = .valueRequest }
    case .supersession: self = .supersession
    case .mention: self = .mention
    case .floor: self = .floor
    case .removal: self = .removal
    case .deviceName: self = .deviceName
    case .wholeStore: self = .wholeStore
    case .deletion: self = .deletion
    }
  }
}
