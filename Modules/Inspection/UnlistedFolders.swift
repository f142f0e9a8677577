import ChangeTracking
import SyncProtocol

/// Folders that are there and that the storage did not list: what is missing of them may lie in them.
struct UnlistedFolders: Sendable {
  private let failures: [RemotePath: BackendError]

  init(_ nodes: [RemoteNode]) {
    let failed = nodes.compactMap { node in node.path.flatMap { path in node.failure.map { (path, $0) } } }
    failures = Dictionary(failed) { first, _ in first }
  }

  /// All of them, by place.
  var all: [UnlistedFolder] {
    failures.map { UnlistedFolder(path: $0.key, failure: $0.value) }.sorted { $0.path < $1.path }
  }

  /// Why it is not known what lies in a folder; `nil` if it is, or there is no such folder.
  func failure(of folder: RemotePath) -> BackendError? {
    if failures.isEmpty { return nil }
    return folder.names.indices.lazy.compactMap { failures[RemotePath(Array(folder.names[...$0]))] }.first
  }

  /// Whether all was seen that lies in a folder, or that there is no such folder.
  func isListed(_ folder: RemotePath) -> Bool { failure(of: folder) == nil }

  /// Whether a folder and all below it was listed, as far as it was to be.
  func isListedDown(_ folder: RemotePath) -> Bool { failure(atOrBelow: folder) == nil }

  /// Why it is not known what lies in a folder or below it.
  func failure(atOrBelow folder: RemotePath) -> BackendError? {
    failure(of: folder)
      ?? failures.filter { $0.key.names.starts(with: folder.names) }.min { $0.key < $1.key }?.value
  }

  /// The places in which nothing is repaired, since nobody knows what is needed there.
  ///
  /// The parts of a document tell of each other; keys, foundings and notes of deletions of all documents.
  var untouched: Set<RemotePath> {
    Set(
      failures.keys.map { path in
        guard path.names.count > 1 else { return path }
        switch path.names[1].description {
        case "Documents": return RemotePath(Array(path.names.prefix(3)))
        case "ClientDevices": return path
        default: return RemotePath([path.names[0]])
        }
      })
  }
}

extension ApplicationReader {
  /// Whether the keys that a password opens are all that it opens.
  var areKeysListed: Bool { unlisted.isListed(hierarchy.encryption) }
}

extension DocumentReader {
  /// Whether all is known that devices say of sets, beside what the sets themselves tell: heads, and whether they are genuine.
  var areHeadsListed: Bool {
    let unlisted = application.unlisted
    return unlisted.isListed(hierarchy.recentSyncs) && unlisted.isListed(hierarchy.integrityKey)
  }

  /// Whether all sets of an author were listed, so that others are not there.
  func areSetsListed(of author: AuthorID) -> Bool {
    application.unlisted.isListed(hierarchy.changes(of: author))
  }

  /// Whether all sets were listed.
  var areSetsListed: Bool { application.unlisted.isListedDown(hierarchy.syncChanges) }
}
