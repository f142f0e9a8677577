extension FileRole {
  /// What it is, in a few words for a person; empty for a folder whose name says it all.
  public var words: String {
    switch self {
    case .folder: ""
    case .application: "application"
    case .readMe: "for a person"
    case .client: "device"
    case .deviceInformation: "describes the device"
    case .keyFile: "key file"
    case .document: "document"
    case .documentInformation: "describes the document"
    case .founding: "record of a founding"
    case .acceptance: "says that two foundings are one document"
    case .wrappedKey: "key, sealed with another"
    case .withdrawal: "says that a password was taken back"
    case .author: "sets of an author"
    case .set: "set"
    case .longValue: "long value"
    case .head: "head"
    case .mention: "mention of a set"
    case .request: "request for a lost file"
    case .supersession: "statement that sets were said again"
    case .floor: "floor of the history"
    case .removal: "note of a device's removal"
    case .deviceName: "name of a device"
    case .wholeStore: "whole store"
    case .deletion: "note of a deletion"
    case .serverTest: "left behind by a test of the server"
    case .foreign: "not ours, ignored"
    }
  }
}
