import ChangeTracking
import Crypto

/// What was withdrawn stays withdrawn: no copy that a device keeps brings a password back that somebody has removed.
extension DocumentSyncManager {
  /// The withdrawals of members that this device has seen.
  func withdrawals() throws -> Set<WithdrawalName> { try pins.withdrawals }

  /// Takes note of what members have withdrawn, leaves it out of the key files that are kept, keeps those that are new, and writes
  /// withdrawals again that storage has lost.
  ///
  /// - Returns: the paths of what was written.
  func followWithdrawals(
    _ folder: KeyFolder, _ keys: KeyRing, _ report: inout SyncReport
  ) async throws -> [String] {
    let hierarchy = application.hierarchy
    try pins.add(folder.withdrawals(try NameAuthenticator(keys: keys), hierarchy))
    try stripKeptKeyFiles(keys)
    var paths: [String] = []
    for withdrawal in try pins.withdrawals.subtracting(folder.withdrawalFiles).sorted()
    where try await putBack((hierarchy.file(of: withdrawal), []), &report) {
      paths.append(hierarchy.file(of: withdrawal).description)
    }
    return paths
  }

  /// Leaves what was withdrawn out of the key files that are kept. What remains of one gets a name of its own, for it is another file.
  func stripKeptKeyFiles(_ keys: KeyRing) throws {
    let withdrawals = try pins.withdrawals
    let withdrawn = Set(withdrawals.map(\.slot))
    let replaced = Set(withdrawals.filter(\.isOfKey).map(\.key))
    guard !withdrawn.isEmpty else { return }
    for (path, bytes) in try keptKeyFiles(where: { keys[$0] != nil }) {
      guard let file = try? KeyFile(parsing: bytes), let key = keys[file.keyIdentifier],
        replaced.contains(key.identifier) || file.slots.contains(where: { withdrawn.contains($0.identifier) })
      else { continue }
      let rest =
        replaced.contains(key.identifier)
        ? nil : try? KeyFile.combining([file], without: withdrawn, with: key)
      var random = configuration.random()
      let name = KeyFileName(file.keyIdentifier, using: &random)
      try pins.replaceKept(
        path, with: rest.map { (application.hierarchy.encryption / name.name, $0.bytes) })
    }
  }
}
