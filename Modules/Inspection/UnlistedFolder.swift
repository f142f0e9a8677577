import SyncProtocol

/// A folder that is there and that the storage did not list, so that nobody knows what lies in it.
public struct UnlistedFolder: Sendable {
  /// Where it lies.
  public let path: RemotePath
  /// Why it was not listed.
  public let failure: BackendError

  /// Whether sets may lie in it or below it, or what tells which of them count and who made them.
  public var holdsHistory: Bool {
    guard mayHoldDocuments else { return false }
    return path.names.count < 4 || Self.history.contains(path.names[3].description)
  }

  /// Whether documents may lie in it, or parts of them.
  public var mayHoldDocuments: Bool { path.names.count < 2 || path.names[1].description == "Documents" }

  private static let history: Set<String> = ["IntegrityKey", "RecentSyncs", "SyncChanges"]

  /// Whether something of a document may lie in it.
  func concerns(_ document: DocumentHierarchy) -> Bool {
    path.names.starts(with: document.root.names) || document.root.names.starts(with: path.names)
  }
}

extension ApplicationReader {
  /// The folders that were not listed and may hold sets, or what tells which of them count and who made them.
  var unlistedHistory: [UnlistedFolder] { unlisted.all.filter(\.holdsHistory) }
}

extension DocumentReader {
  /// The folders that were not listed and may hold sets of this document, or what tells which of them count and who made them.
  var unlistedHistory: [UnlistedFolder] {
    application.unlistedHistory.filter { $0.concerns(hierarchy) }
  }
}
