import Locking
import SyncProtocol

extension LawContext {
  /// Looks whether the reports of a transfer stay within its size, and end with it.
  func expectProgress(
    of size: Int, _ what: String, _ transfer: (@escaping TransferProgress) async throws -> Void
  ) async throws {
    let reports = Locked<[Int64]>([])
    try await transfer { bytes in reports.withLock { $0.append(bytes) } }
    let told = reports.withLock { $0 }
    let most = told.max() ?? 0
    try expect(most <= Int64(size), "\(what) of \(size) bytes reported \(most)")
    try expect(
      told.last == Int64(size), "\(what) of \(size) bytes ended with a report of \(told.last ?? -1)")
  }
}
