import Foundation

/// Addresses that other programs know, or that lack a slash, are paths like any other here; nobody has a folder of that name.
extension RemoteLocation {
  /// What somebody may have meant who named a folder that is not there; `nil` if it looks like a folder.
  ///
  /// - Parameter remote: the folder as it was understood, so that an address follows the folder that the program runs in.
  static func misreading(_ remote: String) -> String? {
    if let scheme = remote.firstMatch(of: /(?:^|\/)([A-Za-z][A-Za-z0-9+.-]+):\//)?.1.lowercased() {
      return switch scheme {
      case "webdav", "webdavs", "file", "ubiquity":
        "it was taken for a folder: an address begins with webdavs:// or file://, with two slashes"
      default: "it was taken for a folder, and \(scheme): is no kind of remote that is known; \(known)"
      }
    }
    guard remote.contains(/(?:^|\/)[^\/@]+@[^\/:]+:/) else { return nil }
    return
      "it was taken for a folder: what ssh and scp call user@host:/path is no remote that is known; \(known)"
  }
}
