import Crypto

extension ApplicationSyncManager {
  /// Seals what comes with a new key, for somebody who must not read it has the present one: a device was lost, or a removed password may have
  /// been used on a copy of the key file.
  ///
  /// The new key opens with the new password alone, and gives its owners the older keys, so that what lies there stays readable. All
  /// passwords and recovery codes of before open nothing any more. The other devices say that a key is missing until each was given the new
  /// password (``EncryptionChoice/keysAndPassword(_:_:)``); until then what they write is sealed with the older key and read by everybody.
  ///
  /// - Parameter password: a password that opens none of the keys at hand.
  /// - Returns: the keys, to be kept. If they are lost on the way the password gets them.
  /// - Throws: ``SyncError`` with `notRegistered`, `notEncrypted`, `keyMissing`, `weakPassword`, `failed`, `storage` or `cancelled`. Repeating
  ///   it with the same password completes it, and whatever became of it the former keys can be replaced anew as long as nothing was withdrawn.
  public func replaceKeys(password: String) async throws(SyncError) -> KeyRing {
    let ring = try await withKeys { keys in try await replace(keys, password) }
    resume(keys: ring)
    return ring
  }

  private func replace(_ keys: KeyRing, _ password: String) async throws -> KeyRing {
    try configuration.requireStrength(of: password)
    let folder = try await keyFolder(keys)
    let keys = try await adding(folder.wrapped, to: keys)
    let ring = try await begun(folder, password, keys)
    let new = ring.primary
    // Who opens the new key file must get the older keys, so they come first.
    let exchange = KeyExchange(backend: backend, hierarchy: hierarchy, secrets: configuration.secrets)
    try await exchange.publish(ring, present: folder.wrapped)
    if !folder.keyFiles.contains(where: { $0.key == new.identifier }) {
      let made = try KeyFile.create(
        password: password, for: new, parameters: configuration.passwordCost, random: configuration.secrets)
      var random = configuration.random()
      let name = KeyFileName(new.identifier, using: &random)
      let path = hierarchy.encryption / name.name
      try await backend.createIfAbsent(made.file.bytes, at: path)
      written.note(made.file.bytes, at: path, of: new.identifier)
    }
    let founding = ApplicationFounding(backend: backend, hierarchy: hierarchy, configuration: configuration)
    let look = try await founding.look(ring)
    if !look.evidence.foundedKeys.contains(new.identifier) { try await founding.writeRecord(new) }
    for key in ring.all where key.generation < new.generation {
      written.add(try await founding.withdraw(key, folder))
    }
    return ring
  }

  private static var tooManyReplacements: SyncError {
    SyncError(
      .limitReached,
      "The keys were replaced \(KeyRing.lastGeneration) times, and cannot be replaced any more.",
      recovery:
        "Change the password if that will do. To shut somebody out who has the key, begin another remote with a copy of the notes."
    )
  }

  /// The keys with the new one, which seals: that of an attempt that was interrupted, if the password opens it.
  private func begun(_ folder: KeyFolder, _ password: String, _ keys: KeyRing) async throws -> KeyRing {
    let opened = try await KeyUnlocking(backend: backend, hierarchy: hierarchy).unlock(
      folder.keyFiles, password, first: Set(keys.identifiers), withdrawals: folder.withdrawals,
      written: folder.written)
    guard let newest = opened.keys.max(by: { $0.generation < $1.generation }) else {
      // One that the storage does not hand out is neither lost nor damaged.
      let later = Set(folder.laterFiles(than: keys).map(\.key))
      if case .there = try folder.replacement(of: keys, hierarchy), !later.isEmpty,
        let refused = opened.refusal(founded: later)
      {
        throw refused
      }
      // Where the file of the key that has come in its place is lost or damaged for good, another replacement is the way out.
      if case .there = try folder.without(opened.unreadable).replacement(of: keys, hierarchy) {
        throw Self.newerKey(folder.laterFiles(than: keys), hierarchy)
      }
      guard keys.newest.generation < KeyRing.lastGeneration else { throw Self.tooManyReplacements }
      return keys.replacingPrimary(
        with: try MasterKey.generate(replacing: keys, random: configuration.secrets))
    }
    let former = keys.all.filter { $0.generation < newest.generation }.map(\.identifier)
    let isUnfinished =
      newest.generation >= keys.newest.generation
      && (keys[newest.identifier] == nil || folder.keyFiles.contains { former.contains($0.key) })
    guard !former.isEmpty, isUnfinished else {
      throw SyncError(
        .weakPassword,
        "The password opens a key that is to be replaced, so whoever knows it would get the new one.",
        recovery: "Choose a password that was never used here.")
    }
    return keys.replacingPrimary(with: newest)
  }
}
