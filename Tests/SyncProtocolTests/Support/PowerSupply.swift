import CTICDSSQLite
import Synchronization
import TICDSSQLite

/// The power of a device, which fails once some transactions of its store are durable: from then on nothing is written, and nothing sent.
final class PowerSupply: Sendable {
  private let left: Mutex<Int>

  /// - Parameter writes: the transactions that become durable.
  init(writes: Int) { left = Mutex(writes) }

  /// Whether something was kept from becoming durable.
  var isOut: Bool { left.withLock { $0 < 0 } }

  /// Lets a connection write as long as there is power. The supply outlives it.
  func feed(_ connection: Connection) {
    sqlite3_commit_hook(
      connection.handle,
      { supply in
        guard let supply else { return 1 }
        return Unmanaged<PowerSupply>.fromOpaque(supply).takeUnretainedValue().take() ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func take() -> Bool {
    left.withLock { left in
      if left >= 0 { left -= 1 }
      return left >= 0
    }
  }
}
