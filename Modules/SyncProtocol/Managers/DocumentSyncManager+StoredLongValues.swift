import ChangeTracking
import Foundation

/// Long values that nobody sends are taken from whole stores: a vacuum removes the files of those that whole stores hold and no set mentions
/// any more, and whoever held them may have gone since.
extension DocumentSyncManager {
  /// Synchronisations in which a value was missing before whole stores are looked through. By then every device that has it was asked.
  private static let patience = 8
  /// How many whole stores are looked through at most.
  private static let storeTries = 4

  /// Looks through whole stores for the long values that have been missing for some time: ever more rarely, for whole stores may be large.
  func lookForValuesInStores(_ protection: DocumentProtection, _ report: inout SyncReport) async throws {
    let due = try pins.awaitedValues().filter { Self.isLookDue(after: $0.value.syncs) }
    guard !due.isEmpty else { return }
    var wanted = Dictionary(
      try replica.awaitedLongValues().filter { due[$0.hash] != nil }.map { ($0.hash, $0) },
      uniquingKeysWith: { first, _ in first })
    let transfer = wholeStores(protection)
    // Nothing tells that a whole store holds them, so what is wrong with their folder stops nobody.
    guard !wanted.isEmpty, let stores = try? await transfer.list().stores else { return }
    for listed in stores.reversed().filter(\.hasSizeOfName).prefix(Self.storeTries) where !wanted.isEmpty {
      try Task.checkCancellation()
      do {
        for hash in try await takeValues(wanted, from: listed, transfer) {
          wanted[hash] = nil
          report.findings.removeAll { $0.isAboutValue(hash) }
        }
      } catch is WholeStoreTransfer.Refusal {
        continue
      } catch let error as BackendError where error.code != .cancelled {
        continue
      }
    }
  }

  private static func isLookDue(after syncs: Int) -> Bool {
    syncs >= patience && syncs.nonzeroBitCount == 1
  }

  /// - Returns: the hashes of those that are here now.
  private func takeValues(
    _ wanted: [ContentHash: LongValue], from listed: WholeStoreTransfer.Listed, _ transfer: WholeStoreTransfer
  ) async throws -> [ContentHash] {
    let scratch = try ScratchFolder(beside: replica.storePath, named: "looking")
    // Under its own name, for the files beside a store are found by it.
    let path = scratch.file(URL(filePath: replica.storePath).lastPathComponent)
    _ = try await transfer.fetch(listed, through: scratch, to: path, progress: nil)
    guard let held = try replica.longValues(Set(wanted.keys), inCopyAt: path) else { return [] }
    var taken: [ContentHash] = []
    // One at a time: each may be large.
    for hash in held.hashes {
      var fetched = FetchedLongValues()
      guard let value = wanted[hash], let bytes = held.bytes(of: hash), fetched.add(bytes, as: value) else {
        continue
      }
      try replica.receive(fetched)
      taken.append(hash)
    }
    return taken
  }
}

extension SyncFinding {
  fileprivate func isAboutValue(_ hash: ContentHash) -> Bool {
    if case .valueWaiting(let value, _) = self { value.hash == hash } else { false }
  }
}
