import Crypto

/// Key files are kept like other files of everybody, and replaced by later versions, for what was withdrawn must not come back.
extension DocumentSyncManager {
  /// Puts back the copy that this device keeps of the file of its own key, which is not at hand: with that the password opens it again.
  func restoreKeyFile(of key: KeyIdentifier) async throws {
    var unread = SyncReport()
    _ = try await restore(keptKeyFiles { $0 == key }, &unread)
  }

  /// The copies that are kept of files of certain keys.
  func keptKeyFiles(
    where isIncluded: (KeyIdentifier) -> Bool
  ) throws -> [(path: RemotePath, bytes: [UInt8])] {
    try pins.keptFiles().filter { file in
      guard file.path.parent == application.hierarchy.encryption else { return false }
      return file.path.name.flatMap { KeyFileName($0) }.map { isIncluded($0.key) } ?? false
    }
  }

  /// Reports it if devices that did not see each other have removed all that opens the newest keys: nobody joins any more, and a member can
  /// still add a password.
  func notePasswords(_ folder: KeyFolder, _ keys: KeyRing, _ report: inout SyncReport) async throws {
    let newest = Set(keys.all.filter { $0.generation == keys.newest.generation }.map(\.identifier))
    let withdrawn = Set(try pins.withdrawals.filter { newest.contains($0.key) }.map(\.slot))
    guard !withdrawn.isEmpty else { return }
    let unlocking = KeyUnlocking(backend: backend, hierarchy: application.hierarchy)
    switch try await folder.readableReplacement(of: keys, unlocking) {
    // The passwords of a key that was replaced are meant to be gone.
    case .there: return
    case .late: return report.findings.append(.replacementLate)
    case .refused(let failure): return report.findings.append(.replacementRefused(file: failure.path))
    case .none: break
    }
    let opens = try keptKeyFiles(where: newest.contains).contains { file in
      (try? KeyFile(parsing: file.bytes))?.slots.contains { !withdrawn.contains($0.identifier) } ?? false
    }
    if !opens { report.findings.append(.passwordMissing) }
  }

  /// Puts back what this device keeps of the key files of keys that have none in the folder any more.
  func putBackKeyFiles(
    missingFrom folder: KeyFolder, _ keys: KeyRing, _ report: inout SyncReport
  ) async throws {
    let present = Set(folder.keyFiles.map(\.key))
    var paths = try await followWithdrawals(folder, keys, &report)
    for file in try keptKeyFiles(where: { !present.contains($0) }) where try await putBack(file, &report) {
      paths.append(file.path.description)
    }
    if !paths.isEmpty { report.findings.append(.putBack(paths: paths)) }
  }

  /// The failure of a device whose document is gone, where members have founded another in its place.
  ///
  /// Its owner is told to begin anew with another store, and only this one may know of passwords that were added, removed or replaced before
  /// storage went back. So what it keeps of them is put back first, for the keys are those of the new document, too.
  func replaced() async throws -> SyncError {
    var unread = SyncReport()
    if let keys = try await ring(), let folder = try await keyFolder(&unread) {
      let used = try keysInUse(folder, keys)
      try stripKeptKeyFiles(keys)
      // Whoever is to be let in is let in before anybody is shut out.
      _ = try await restore(keptKeyFiles(where: used.contains), &unread)
      _ = try await followWithdrawals(folder, keys, &unread)
      let all = keys.all.filter { used.contains($0.identifier) }
      try await publishKeys(all.first.map { KeyRing($0, others: all) }, &unread)
    }
    return .replaced(hierarchy)
  }

  /// The keys at hand that have files in a folder, and those that have come in the place of one of these. Others are those of a remote that is
  /// not there any more.
  private func keysInUse(_ folder: KeyFolder, _ keys: KeyRing) throws -> Set<KeyIdentifier> {
    let named = Set(folder.keyFiles.map(\.key))
    let used = keys.all.filter { named.contains($0.identifier) }
    let replaced = Set(try pins.withdrawals.filter(\.isOfKey).map(\.key))
    let former = used.filter { replaced.contains($0.identifier) }.map(\.generation).min()
    let later = keys.all.filter { key in former.map { key.generation > $0 } ?? false }
    return Set((used + later).map(\.identifier))
  }

  /// Keeps copies of the key files of keys at hand, of those that are genuine.
  ///
  /// - Parameter kept: how many are kept already.
  func keepKeyFiles(
    _ names: [KeyFileName], _ keys: KeyRing, _ contents: [RemotePath: [UInt8]] = [:], but kept: Int = 0
  ) async throws {
    var kept = kept
    for name in names.prefix(Self.keyFileTries) where kept < Self.keyFileLimit {
      guard let key = keys[name.key] else { continue }
      let path = application.hierarchy.encryption / name.name
      let isKept = try await keep(path, contents[path]) { bytes in
        try KeyFile(parsing: bytes).authenticate(with: key)
        return true
      }
      if isKept { kept += 1 }
    }
  }

  /// Keeps what this device has made of key files itself.
  func keepWritten(_ keys: KeyRing) async throws {
    let written = await application.takeWritten()
    guard !written.isEmpty else { return }
    do {
      for file in written.files.values { try pins.keep(file.path, file.bytes) }
      try pins.add(written.withdrawals)
      try keepWrappedKeys(keys)
      try stripKeptKeyFiles(keys)
    } catch {
      await application.giveBack(written)
      throw error
    }
  }

  /// Keeps the keys at hand sealed with one another, as they lie on the remote, so that the password of the newest gives all of them back
  /// without asking it.
  func keepWrappedKeys(_ keys: KeyRing) throws {
    let kept = try pins.wrappedKeys
    let missing = KeyExchange.names(keys).subtracting(kept.map(\.name)).sorted()
    let exchange = KeyExchange(
      backend: backend, hierarchy: application.hierarchy, secrets: configuration.secrets)
    let room = max(0, RegistrationPins.keyLimit - kept.count)
    let wrapped = try missing.prefix(room).compactMap { try exchange.wrap($0, keys) }
    if !wrapped.isEmpty { try pins.add(wrapped) }
  }

  /// Keeps the key files that members have written since, in place of those that these replace.
  func keepNewKeyFiles(_ folder: KeyFolder, _ keys: KeyRing) async throws {
    let kept = try keptKeyFiles { keys[$0] != nil }
    let names = Set(kept.compactMap { $0.path.name })
    let new = folder.keyFiles.filter { keys[$0.key] != nil && !names.contains($0.name) }
    guard !new.isEmpty else { return }
    try await keepKeyFiles(new, keys, but: kept.count)
    // A copy that says no more than a file that lies there need not be put back.
    let present = Set(folder.keyFiles.map(\.name))
    let files = try keptKeyFiles { keys[$0] != nil }.compactMap { path, bytes in
      (try? KeyFile(parsing: bytes)).map { (path: path, slots: Set($0.slots.map(\.identifier))) }
    }
    for former in files where !present.contains(where: { $0 == former.path.name }) {
      let isContained = files.contains { other in
        present.contains { $0 == other.path.name } && former.slots.isSubset(of: other.slots)
      }
      if isContained { try pins.replaceKept(former.path, with: nil) }
    }
  }

  /// Key files that are kept, and that are looked at, at most: anybody can name a file after a key that is in use.
  private static let keyFileLimit = 8
  private static let keyFileTries = 256
}
