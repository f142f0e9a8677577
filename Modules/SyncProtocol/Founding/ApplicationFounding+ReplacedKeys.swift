import Crypto

/// Keys in whose place another has come.
extension ApplicationFounding {
  /// Withdraws all that opens a key, and removes its files.
  @discardableResult
  func withdraw(_ key: MasterKey, _ folder: KeyFolder) async throws -> WrittenKeyFiles {
    let versions = try await KeyFileVersions(
      backend: backend, hierarchy: hierarchy, key: key, folder: folder)
    // The key as a whole first, for nothing else tells from two removals that crossed each other as long as the new key's file is late.
    return try await versions.replace(
      with: nil,
      withdrawing: (WithdrawalName.everySlot.map { [$0] } ?? []) + versions.slots.map(\.identifier),
      configuration)
  }

  /// Withdraws what opens keys of former generations, which whoever replaced the keys did not see: of a founding that was apart, or files
  /// that were late. Passwords of before would go on to open the remote otherwise.
  ///
  /// The members of such a founding are told as after any replacement, for their key lies under the newest. So not before there is a
  /// file of a newest key, by which they and newcomers get it. What cannot be written now, the next device that joins or is given a
  /// password writes.
  func withdrawFormerKeys(_ ring: KeyRing, _ folder: KeyFolder) async throws {
    let named = Set(folder.keyFiles.map(\.key))
    // Anybody can name files after a key: once it is withdrawn as a whole they are not read.
    let withdrawn = Set(
      folder.withdrawals(try NameAuthenticator(keys: ring), hierarchy).filter(\.isOfKey).map(\.key))
    let open = ring.all.filter { named.contains($0.identifier) && !withdrawn.contains($0.identifier) }
    let newest = ring.newest.generation
    let former = open.filter { $0.generation < newest }
    guard former.count < open.count else { return }
    for key in former { try await withdraw(key, folder) }
  }
}
