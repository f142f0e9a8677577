import Locking
import SyncProtocol

/// Temporary files that listings have shown and nobody will finish. Only who writes removes them, a few at a time.
final class AbandonedFiles: Sendable {
  private static let limit = 64
  private static let atOnce = 4
  private let targets = Locked<[Target]>([])

  func note(_ names: [String], in folder: RemotePath) {
    targets.withLock { targets in
      for name in names where targets.count < Self.limit {
        let target = Target(temporary: name, in: folder)
        if !targets.contains(target) { targets.append(target) }
      }
    }
  }

  /// Those that are to be removed next.
  func take() -> [Target] {
    targets.withLock { targets in
      let taken = Array(targets.prefix(Self.atOnce))
      targets.removeFirst(taken.count)
      return taken
    }
  }
}
