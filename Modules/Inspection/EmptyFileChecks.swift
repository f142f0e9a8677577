import SyncProtocol

/// Finds files that are empty although files of their kind never are, by what listings say.
struct EmptyFileChecks {
  func findings(in tree: RemoteNode) -> [Finding] {
    tree.all.compactMap { node in
      guard !node.isFolder, node.size == 0, node.role.hasContent, let path = node.path else { return nil }
      return Finding(
        .damagedFile, path: path.description, message: "The file is empty.",
        next: "Restore it from a copy of the remote.")
    }
  }
}

extension FileRole {
  /// Whether its files hold something. Heads are read anyway, and what else lies among them says all by its name.
  fileprivate var hasContent: Bool {
    switch self {
    case .set, .longValue, .wholeStore, .keyFile, .wrappedKey, .founding, .supersession, .deviceInformation,
      .documentInformation:
      true
    default: false
    }
  }
}
