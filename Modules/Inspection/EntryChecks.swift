import SyncProtocol

/// Finds what is not ours, what cannot be listed, and what the hierarchy lacks.
struct EntryChecks {
  let remote: String

  func findings(in tree: RemoteNode) -> [Finding] {
    foreign(in: tree, below: "") + tree.all.flatMap { unreadable($0) + incomplete($0) }
  }

  private func foreign(in node: RemoteNode, below path: String) -> [Finding] {
    node.children.flatMap { child -> [Finding] in
      let place = path.isEmpty ? child.name : "\(path)/\(child.name)"
      switch child.role {
      case .foreign where isInPlaceOfFolder(child, in: node):
        return [
          Finding(
            .incompleteHierarchy, .error, path: place,
            message: "Something else lies where a folder belongs that devices need: a file or a link.",
            next: "Move it away; a device that has joined makes the folder anew.")
        ]
      case .foreign:
        return [
          Finding(
            .foreignEntry, .hint, path: place, message: "This is no file of ours; syncs ignore it.",
            next: "Look at it, and remove it if nobody needs it.")
        ]
      case .serverTest:
        return [
          Finding(
            .foreignEntry, .hint, path: place,
            message: "A test of this server was cut off and left this behind; syncs ignore it.",
            next: "Remove it, unless a device is joining right now.")
        ]
      default: return foreign(in: child, below: place)
      }
    }
  }

  private func isInPlaceOfFolder(_ entry: RemoteNode, in parent: RemoteNode) -> Bool {
    guard let name = RemoteName(entry.name), let folder = parent.path else { return false }
    return FileRole(path: folder.appending(name).names, kind: .folder) == .folder
  }

  private func unreadable(_ node: RemoteNode) -> [Finding] {
    guard let failure = node.failure else { return [] }
    return [
      Finding(
        .unreadable, .error, path: node.path?.description ?? node.name, message: failure.description,
        next: failure.recovery)
    ]
  }

  private func incomplete(_ node: RemoteNode) -> [Finding] {
    let expected: [String]
    let device: String
    switch node.role {
    case .application:
      expected = ["ReadMe.txt", "Founding", "ClientDevices", "Documents", "Information"]
      device = "the application"
    case .document:
      expected = ["documentInfo.plist", "IntegrityKey", "SyncChanges", "RecentSyncs"]
      device = "the document"
    case .client:
      expected = ["deviceInfo.plist"]
      device = "the client"
    default: return []
    }
    let names = Set(node.children.map(\.name))
    let missing = expected.filter { !names.contains($0) }
    guard node.failure == nil, !missing.isEmpty else { return [] }
    return [
      Finding(
        .incompleteHierarchy, .warning, path: node.path?.description ?? node.name,
        message: "\(missing.joined(separator: ", ")) is missing: the registration of \(device) was cut off.",
        next: "Sync any device that uses it; registering again completes what is missing.")
    ]
  }
}
