import SyncProtocol

/// Tells a folder within a remote from a remote, by the files in it: somebody has named a folder too deep.
enum InnerFolder {
  /// Where in a hierarchy it may lie. What applications, documents and clients are called makes no difference.
  private static let places: [[RemoteName]] = [
    "ClientDevices", "ClientDevices/x", "Encryption", "Founding", "Documents", "Documents/x",
    "Documents/x/IntegrityKey", "Documents/x/SyncChanges", "Documents/x/SyncChanges/0000000000000000",
    "Documents/x/LongValues", "Documents/x/RecentSyncs", "Documents/x/WholeStore",
  ].map { place in "x/\(place)".split(separator: "/").compactMap { RemoteName(String($0)) } }

  /// Files that are looked at in each folder.
  private static let looked = 64

  /// Whether a folder holds files that lie where no root of a remote has any.
  ///
  /// - Parameter root: the folder, with what lies in the folders in it.
  static func isOne(_ root: RemoteNode) -> Bool {
    places.contains { place in
      holdsOurs(root, at: place)
        || root.children.prefix(looked).contains { child in
          guard child.isFolder, let name = RemoteName(child.name) else { return false }
          return holdsOurs(child, at: place + [name])
        }
    } || holdsDeletions(root)
      || root.children.contains { $0.name == "DeletedDocuments" && holdsDeletions($0) }
  }

  private static func holdsOurs(_ folder: RemoteNode, at place: [RemoteName]) -> Bool {
    (folder.children + folder.others).lazy.filter { !$0.isFolder }.prefix(looked).contains { file in
      guard let name = RemoteName(file.name) else { return false }
      let role = FileRole(path: place + [name], kind: .file)
      return role != .foreign && role != .readMe
    }
  }

  /// Deletions of documents and absences of clients, whose place alone would take any name for one.
  private static func holdsDeletions(_ folder: RemoteNode) -> Bool {
    (folder.children + folder.others).lazy.filter { !$0.isFolder }.prefix(looked).contains { file in
      RemoteName(file.name).map { DeletionName($0) != nil || AbsenceName($0) != nil } ?? false
    }
  }
}
