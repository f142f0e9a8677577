import Crypto

extension DocumentSyncManager {
  /// Goes on from an earlier registration of this store, after a restart.
  ///
  /// The store keeps copies of the key files that it was joined with. A password is tried on these first, so that it takes neither a
  /// request nor a remote that is still there; only if it opens none of them, the remote is asked. Nothing is ever created there: what
  /// this store is a member of exists, or was lost, which the next synchronisation tells.
  ///
  /// - Parameter encryption: the password or the keys; not needed if the document is not encrypted. Of keys and a password, the password
  ///   alone counts if the keys are not those that this store was joined with.
  /// - Returns: the keys, to be kept; `nil` if the document is not encrypted.
  /// - Throws: ``SyncError`` with `notRegistered`, `storeOfAnotherDocument`, `passwordRequired`, `wrongPassword`, `keyMissing`, `store` or,
  ///   where the remote was asked, as ``ApplicationSyncManager/register(_:mayCreate:)``.
  @discardableResult
  public func resume(_ encryption: EncryptionChoice) async throws(SyncError) -> KeyRing? {
    try await exclusively {
      try requireNoOtherDocument()
      try requireRegistration()
      let ring = try pins.isEncrypted == false ? nil : try await unlock(encryption)
      await application.resume(keys: ring)
      return ring
    }
  }

  private func unlock(_ encryption: EncryptionChoice) async throws -> KeyRing {
    switch encryption {
    case .none:
      throw SyncError(
        .passwordRequired, "The document is encrypted.",
        recovery: "Give the password that it was joined with.")
    case .keys(let ring): return ring
    case .keysAndPassword(let ring, let password):
      guard try pins.key.map({ ring[$0] != nil }) ?? true else {
        return try await unlock(.password(password))
      }
      do throws(SyncError) {
        return try await application.register(encryption, mayCreate: false).keys ?? ring
      } catch {
        guard error.code == .keysNotDelivered else { throw error }
        // What the password adds can wait; that the remote is gone is for the synchronisation to tell.
        return ring
      }
    case .password(let password):
      let kept = try keptKeyFiles()
      if let ring = try unlock(kept, password) { return ring }
      do throws(SyncError) {
        guard let ring = try await application.register(encryption, mayCreate: false).keys else {
          throw wrongPassword()
        }
        return ring
      } catch {
        throw error.code == .applicationNotFound && !kept.isEmpty ? wrongPassword() : error
      }
    }
  }

  private func keptKeyFiles() throws -> [KeyFile] {
    try pins.keptFiles().compactMap { path, bytes in
      guard path.parent == application.hierarchy.encryption,
        let key = path.name.flatMap({ KeyFileName($0) })?.key,
        let file = try? KeyFile(parsing: bytes), file.keyIdentifier == key
      else { return nil }
      return file
    }
  }

  /// The keys that a password opens in the copies of this store; `nil` if the one that it seals with is not among them.
  private func unlock(_ files: [KeyFile], _ password: String) throws -> KeyRing? {
    var keys: [MasterKey] = []
    let withdrawn = try Set(pins.withdrawals.map(\.slot))
    for file in files where !keys.contains(where: { $0.identifier == file.keyIdentifier }) {
      try Task.checkCancellation()
      do throws(CryptoError) {
        keys.append(try file.open(password, except: withdrawn).key)
      } catch {
        guard error.code == .wrongPassword || error.code == .damaged else { throw error }
      }
    }
    guard let first = keys.first else { return nil }
    let ring = KeyExchange.adding(
      try pins.wrappedKeys, to: KeyRing(first, others: Array(keys.dropFirst())), application.hierarchy)
    guard let pinned = try pins.key else { return ring }
    return ring[pinned].map { ring.replacingPrimary(with: $0).sealingWithNewest }
  }

  private func wrongPassword() -> SyncError {
    .doubtfulPassword("The password does not open the keys that this store was joined with.")
  }
}
