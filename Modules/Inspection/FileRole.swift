import ChangeTracking
import SyncProtocol

/// What a file or folder on a remote is for, as its place and name tell.
public enum FileRole: Hashable, Sendable {
  /// A folder of the hierarchy.
  case folder
  /// An application's folder.
  case application
  /// `ReadMe.txt`, for a person.
  case readMe
  /// The folder of a client, by its identifier.
  case client(String)
  /// Describes a client.
  case deviceInformation(client: String)
  /// Keeps the master key, locked by passwords.
  case keyFile
  /// The folder of a document.
  case document(String)
  /// Describes a document.
  case documentInformation
  /// Names who founded an application's part or a document, and with which key.
  case founding(FoundingName)
  /// Joins two foundings of one document.
  case acceptance(AcceptanceName)
  /// A master key, sealed with another.
  case wrappedKey(WrappedKeyName)
  /// A slot of a key file opens nothing any more.
  case withdrawal(WithdrawalName)
  /// The folder of an author's sets.
  case author(AuthorID)
  /// A set of changes.
  case set(SetName, AuthorID)
  /// A value too long for a set.
  case longValue(LongValueName)
  /// How far an author is.
  case head(HeadName)
  /// Names a set that no head leads to.
  case mention(Mention)
  /// Asks for a file that storage has lost.
  case request(ResendRequest)
  /// Records that an author has restated what was in effect of another's sets.
  case supersession(Supersession)
  /// Below which sets nothing needs to lie there.
  case floor(HistoryFloor)
  /// A device does not take part any more.
  case removal(RemovalName)
  /// What a device is called that was renamed.
  case deviceName(RenamingName)
  /// A complete copy of a document.
  case wholeStore(WholeStoreName)
  /// Notes that a document or client was deleted.
  case deletion
  /// What the test of a WebDAV server left behind when it was cut off.
  case serverTest
  /// Not ours: a conflict copy, a dropping of a file browser, anything whose name does not keep to the grammar.
  case foreign
}

extension FileRole {
  /// Recognises an entry of a remote.
  ///
  /// - Parameters:
  ///   - path: names from the remote's root down.
  ///   - kind: file or folder.
  public init(path: [RemoteName], kind: RemoteEntry.Kind) {
    let names = path.map(\.description)
    let recognised = kind == .folder ? Self.folder(names) : path.last.flatMap { Self.file(names, $0) }
    self = recognised ?? .foreign
  }

  private static func folder(_ names: [String]) -> FileRole? {
    guard let first = names.first else { return .folder }
    if names.count == 1 {
      return first.wholeMatch(of: /ticds-probe-[0-9a-f]{1,16}/) == nil ? .application : .serverTest
    }
    switch (names[1], names.count) {
    case ("ClientDevices", 2), ("Encryption", 2), ("Founding", 2), ("Documents", 2), ("Information", 2):
      return .folder
    case ("ClientDevices", 3): return .client(names[2])
    case ("Information", 3): return names[2] == "DeletedDocuments" ? .folder : nil
    case ("Documents", 3): return .document(names[2])
    case ("Documents", 4):
      return ["IntegrityKey", "SyncChanges", "LongValues", "RecentSyncs", "WholeStore", "DeletedClients"]
        .contains(
          names[3])
        ? .folder : nil
    case ("Documents", 5):
      return names[3] == "SyncChanges" ? AuthorID(names[4]).map { .author($0) } : nil
    default: return nil
    }
  }

  private static func file(_ names: [String], _ name: RemoteName) -> FileRole? {
    switch (names.dropFirst().first, names.count) {
    case ("ReadMe.txt", 2): return .readMe
    case ("ClientDevices", 4):
      return names[3] == "deviceInfo.plist" ? .deviceInformation(client: names[2]) : nil
    case ("Encryption", 3):
      return KeyFileName(name).map { _ in .keyFile } ?? WrappedKeyName(name).map { .wrappedKey($0) }
        ?? WithdrawalName(name).map { .withdrawal($0) }
    case ("Founding", 3): return FoundingName(name).map { .founding($0) }
    case ("Information", 4): return .deletion
    case ("Documents", 4): return names[3] == "documentInfo.plist" ? .documentInformation : nil
    case ("Documents", 5):
      switch names[3] {
      case "IntegrityKey":
        return FoundingName(name).map { .founding($0) } ?? AcceptanceName(name).map { .acceptance($0) }
      case "RecentSyncs":
        return HeadName(name).map { .head($0) } ?? ResendRequest(name).map { .request($0) }
          ?? Supersession(name).map { .supersession($0) } ?? Mention(name).map { .mention($0) }
          ?? HistoryFloor(name).map { .floor($0) } ?? RemovalName(name).map { .removal($0) }
          ?? RenamingName(name).map { .deviceName($0) }
      case "LongValues": return LongValueName(name).map { .longValue($0) }
      case "WholeStore": return WholeStoreName(name).map { .wholeStore($0) }
      case "DeletedClients": return .deletion
      default: return nil
      }
    case ("Documents", 6):
      guard names[3] == "SyncChanges", let author = AuthorID(names[4]) else { return nil }
      return SetName(name).map { .set($0, author) }
    default: return nil
    }
  }
}
