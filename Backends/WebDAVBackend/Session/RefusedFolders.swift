import Locking
import SyncProtocol

/// Folders that the server has called locked until it was not worth asking again, so that whoever tries again later asks once.
final class RefusedFolders: Sendable {
  private static let limit = 64
  private let paths = Locked<Set<RemotePath>>([])

  func contains(_ path: RemotePath) -> Bool { paths.withLock { $0.contains(path) } }

  func note(_ path: RemotePath) {
    paths.withLock { paths in
      if paths.count < Self.limit { paths.insert(path) }
    }
  }

  func forget(_ path: RemotePath) { paths.withLock { _ = $0.remove(path) } }
}
