import Locking
import SyncProtocol

/// Passes on how far a transfer is once in a megabyte.
final class ProgressSteps: Sendable {
  private static let interval: Int64 = 1 << 20
  private let progress: TransferProgress
  private let last = Locked<Int64>(0)

  init(_ progress: @escaping TransferProgress) { self.progress = progress }

  func report(_ bytes: Int64) {
    let isDue = last.withLock { last in
      // Less than before: the transfer was begun again.
      guard bytes < last || bytes - last >= Self.interval else { return false }
      last = bytes
      return true
    }
    if isDue { progress(bytes) }
  }
}
