import SyncProtocol

/// What shows that a folder beside others is that of an application, also if nearly all of it was lost: storage that is shared holds
/// folders of other programs and of people, whose names are valid names of applications too.
///
/// “Documents”, “Information” or “Encryption” alone are no marks, for people call folders so.
enum ApplicationMarks {
  /// Folders of documents that are looked at.
  private static let looked = 256
  private static let documentParts = Set(
    (DocumentHierarchy.folderNames + ["LongValues", "documentInfo.plist"]).map { $0.lowercased() })

  /// Whether a folder in a remote's root bears a mark.
  ///
  /// - Parameter folder: with what lies in it, in the folders in it and in the documents.
  static func areBorne(by folder: RemoteNode) -> Bool {
    // What cannot be listed may be anything.
    if folder.failure != nil { return true }
    if folder.children.contains(where: isMark) { return true }
    // Whatever changes the case of names changes that of several.
    let names = Set(folder.children.map { $0.name.lowercased() })
    return names.contains("founding") && !names.isDisjoint(with: ["documents", "encryption", "information"])
  }

  /// Whether marks may lie in a folder.
  static func mayLie(in folder: RemoteNode) -> Bool {
    guard let names = folder.path?.names, folder.isFolder else { return false }
    return names.count == 2 || names.count == 3 && names[1].description == "Documents"
  }

  private static func isMark(_ entry: RemoteNode) -> Bool {
    switch entry.name {
    case let name where name.lowercased() == "clientdevices": true
    case "Founding": isOfFoundings(entry)
    case "Documents":
      entry.children.lazy.filter(\.isFolder).prefix(looked).contains { document in
        document.children.contains { documentParts.contains($0.name.lowercased()) }
      }
    case "Encryption":
      entry.children.contains { file in
        switch file.role {
        case .keyFile, .wrappedKey, .withdrawal: true
        default: false
        }
      }
    case "Information": entry.children.contains { $0.name == "DeletedDocuments" }
    case "ReadMe.txt":
      entry.role == .readMe && entry.size == Int64(ApplicationHierarchy.readMeText.utf8.count)
    default: false
    }
  }

  /// An empty one may have lost its records. One that holds something else is somebody's.
  private static func isOfFoundings(_ entry: RemoteNode) -> Bool {
    guard entry.isFolder else { return true }
    return entry.failure != nil || entry.children.isEmpty
      || entry.children.contains { $0.name.contains(".founding") }
  }
}

extension RemoteWalk {
  /// Leaves out what lies in folders that are no application's: nothing below is judged, and nobody writes there.
  ///
  /// - Parameter entering: which folders were listed.
  /// - Throws: ``BackendError`` if the task was cancelled, or this device fails.
  func leaveOutStrangers(
    _ root: inout RemoteNode, entering: @Sendable (RemoteNode) -> Bool
  ) async throws(BackendError) {
    for index in root.children.indices where root.children[index].role == .application {
      var node = root.children[index]
      if ApplicationMarks.areBorne(by: node) { continue }
      // Those that were not listed may tell.
      for depth in [2, 3] {
        let more = node.all.filter {
          $0.path?.names.count == depth && ApplicationMarks.mayLie(in: $0) && !entering($0)
        }.prefix(Self.marksLooked)
        if !more.isEmpty { try await enter(Array(more), of: &node) { _ in false } }
      }
      if !ApplicationMarks.areBorne(by: node) { root.children[index] = node.asStranger }
    }
  }

  /// Folders that are listed for marks, in each of two levels.
  private static let marksLooked = 16
}

extension RemoteNode {
  /// The same as a folder of somebody else.
  fileprivate var asStranger: RemoteNode {
    var stranger = RemoteNode(name: name, path: path, role: .foreign, size: nil, isFolder: true)
    stranger.others = children
    return stranger
  }
}
