import Crypto

/// One way to open an encrypted remote.
public struct PasswordSlot: Hashable, Sendable {
  /// What names it: 32 hexadecimal digits, not secret.
  public let identifier: String
  /// Whether it is a recovery code, and no password.
  public let isRecoveryCode: Bool

  init(_ slot: KeyFile.Slot) {
    identifier = slot.identifier.digits
    isRecoveryCode = slot.kind == .recoveryCode
  }
}

/// Which passwords open the remote: for members, who have its keys.
///
/// Nothing of this touches documents, and devices that have joined go on without a password. Each may fail or be killed at any instant; repeating
/// it completes it; ``DocumentSyncManager/keepPasswordFiles()`` afterwards keeps copies of it. Devices that change passwords at once
/// without seeing each other end with what both have added and neither has removed.
///
/// A password that was changed or removed opens nothing for this library, whoever puts old files back. It remains the password of an old copy of
/// the key file, which somebody may have kept; against him, ``replaceKeys(password:)`` seals what comes with another key.
extension ApplicationSyncManager {
  /// The passwords and recovery codes that open the remote. Where it was founded more than once and became one, a password of several foundings
  /// is listed once for each.
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `notEncrypted`, `storage` or `cancelled`.
  public func passwords() async throws(SyncError) -> [PasswordSlot] {
    try await changingPasswords { files in files.slots.map { PasswordSlot($0) } }
  }

  /// Puts a password in the place of another. Other passwords go on working.
  ///
  /// - Parameters:
  ///   - old: the password, or a recovery code, that opens nothing from now on.
  ///   - new: the password that does.
  /// - Throws: ``SyncError`` with `notRegistered`, `notEncrypted`, `wrongPassword`, `weakPassword`, `failed` if there are too many, `storage` or
  ///   `cancelled`.
  public func changePassword(from old: String, to new: String) async throws(SyncError) {
    try await changingPasswords { files in
      let former = try files.slots(opening: old)
      if former.isEmpty, try !files.opens(new) { throw Self.unknownPassword(files) }
      try await add(new, to: files, withdrawing: former)
    }
  }

  /// Adds a password, for somebody else or for later. Does nothing if it opens the remote already.
  ///
  /// - Returns: whether it was added.
  /// - Throws: ``SyncError`` as ``changePassword(from:to:)``.
  @discardableResult
  public func addPassword(_ password: String) async throws(SyncError) -> Bool {
    try await changingPasswords { files in try await add(password, to: files, withdrawing: [:]) }
  }

  /// Removes a password or a recovery code; not the last one, for nobody could join any more.
  ///
  /// - Throws: ``SyncError`` as ``changePassword(from:to:)``, and with `lastPassword`.
  public func removePassword(_ password: String) async throws(SyncError) {
    try await changingPasswords { files in
      let slots = try files.slots(opening: password)
      guard !slots.isEmpty else { throw Self.unknownPassword(files) }
      try await remove(slots, of: files)
    }
  }

  /// Removes one of ``passwords()``, if nobody knows it any more. Does nothing if it is not there.
  ///
  /// - Throws: ``SyncError`` as ``changePassword(from:to:)``, and with `lastPassword`.
  public func removePassword(_ slot: PasswordSlot) async throws(SyncError) {
    try await changingPasswords { files in
      let slots = files.slots(named: slot.identifier)
      if !slots.isEmpty { try await remove(slots, of: files) }
    }
  }

  /// Adds a recovery code, which opens the remote wherever a password does. Show it to its owner; it is kept nowhere.
  ///
  /// - Throws: ``SyncError`` as ``addPassword(_:)``.
  public func addRecoveryCode() async throws(SyncError) -> RecoveryCode {
    try await changingPasswords { files in
      guard let file = try files.newest.combined() else { throw Self.noPassword }
      let made = try file.addingRecoveryCode(
        with: files.newest.key, parameters: configuration.passwordCost, random: configuration.secrets)
      written.add(try await files.replace(with: made.file, withdrawing: [:], configuration))
      return made.code
    }
  }

  /// What was made of passwords and keys since this was asked last.
  func takeWritten() -> WrittenKeyFiles {
    defer { written = WrittenKeyFiles() }
    return written
  }

  /// Takes back what could not be kept.
  func giveBack(_ unkept: WrittenKeyFiles) {
    var all = unkept
    all.add(written)
    written = all
  }

  // MARK: Steps

  private func changingPasswords<Result>(
    _ body: (KeyRingFiles) async throws -> Result
  ) async throws(SyncError) -> Result {
    try await withKeys { keys in
      let folder = try await keyFolder(keys)
      let keys = try await adding(folder.wrapped, to: keys)
      try await requireNewest(keys, folder)
      let files = try await KeyRingFiles(backend: backend, hierarchy: hierarchy, keys: keys, folder: folder)
      if files.isKeptBack, let refused = files.refused.first { throw refused.ofPasswords }
      return try await body(files)
    }
  }

  func withKeys<Result>(_ body: (KeyRing) async throws -> Result) async throws(SyncError) -> Result {
    do {
      guard let registration else {
        throw SyncError(
          .notRegistered, "The application was not registered with the remote.",
          recovery: "Register or resume the application first.")
      }
      guard let keys = registration.keys else {
        throw SyncError(
          .notEncrypted, "The remote is not encrypted, so there is no password.",
          recovery: "Create a remote with a password to have one.")
      }
      return try await body(keys)
    } catch let error as CryptoError where error.code == .limitExceeded {
      throw SyncError(
        .failed, "There are as many passwords and recovery codes as there can be.",
        recovery: "Remove one first.", underlying: error)
    } catch {
      throw SyncError(wrapping: error)
    }
  }

  /// What lies among the keys, with all that documents remember to have been withdrawn, which is put back where it is gone: somebody may
  /// have removed that to bring a password back.
  func keyFolder(_ keys: KeyRing) async throws -> KeyFolder {
    var folder = KeyFolder(try await backend.listIfPresent(hierarchy.encryption) ?? RemoteListing())
    folder.add(known: try await knownWithdrawals())
    for withdrawal in folder.withdrawals(try NameAuthenticator(keys: keys), hierarchy)
      .subtracting(folder.withdrawalFiles).sorted()
    {
      do throws(BackendError) {
        _ = try await backend.createUnlessPresent([], at: hierarchy.file(of: withdrawal))
      } catch {
        guard error.isAboutOneFile else { throw error }
      }
    }
    return folder
  }

  private func knownWithdrawals() async throws -> Set<WithdrawalName> {
    var known = written.withdrawals
    for document in documents.withLock({ $0.compactMap(\.manager) }) {
      known.formUnion(try await document.withdrawals())
    }
    return known
  }

  /// A ring with the keys that others have left for who has one of it: those of foundings that became one with this device's own.
  func adding(_ wrapped: Set<WrappedKeyName>, to keys: KeyRing) async throws -> KeyRing {
    try await KeyExchange(backend: backend, hierarchy: hierarchy, secrets: configuration.secrets)
      .adding(wrapped, to: keys)
  }

  /// Refuses to act on a key that another device has replaced.
  func requireNewest(_ keys: KeyRing, _ folder: KeyFolder) async throws {
    let unlocking = KeyUnlocking(backend: backend, hierarchy: hierarchy)
    switch try await folder.readableReplacement(of: keys, unlocking) {
    case .none: return
    case .there: throw Self.newerKey(folder.laterFiles(than: keys), hierarchy)
    case .refused(let failure): throw failure
    case .late:
      throw SyncError(
        .keyMissing,
        "The keys of the remote were replaced by another device, and the file of the new key is late, or damaged: what is added to the former one would open nothing.",
        recovery:
          "Wait until the storage has delivered everything, then give the new password. If that file is lost or damaged for good, replace the keys once more."
      )
    }
  }

  /// - Parameter files: those of the keys that have come in the place of the one at hand.
  static func newerKey(_ files: [KeyFileName], _ hierarchy: ApplicationHierarchy) -> SyncError {
    let names = files.prefix(3).map { "“\($0.name)”" }.joined(separator: ", ")
    return SyncError(
      .keyMissing,
      "The keys of the remote were replaced, and the new one is not at hand: its passwords are those of other devices.",
      recovery:
        "Give this device the new password first. If nobody has it any more, remove \(names) from “\(hierarchy.encryption)” and replace the keys once more."
    )
  }

  /// - Returns: whether it was added: it may open the remote already.
  @discardableResult
  private func add(
    _ password: String, to files: KeyRingFiles, withdrawing slots: KeyRingFiles.Slots
  ) async throws -> Bool {
    let kept = files.without(slots)
    guard try !kept.opens(password) else {
      written.add(
        try await files.replace(with: try kept.newest.combined(), withdrawing: slots, configuration))
      return false
    }
    try configuration.requireStrength(of: password)
    let file =
      if let file = try kept.newest.combined() {
        try file.addingPassword(
          password, with: files.newest.key, parameters: configuration.passwordCost,
          random: configuration.secrets)
      } else {
        try KeyFile.create(
          password: password, for: files.newest.key, parameters: configuration.passwordCost,
          random: configuration.secrets
        ).file
      }
    written.add(try await files.replace(with: file, withdrawing: slots, configuration))
    return true
  }

  private func remove(_ slots: KeyRingFiles.Slots, of files: KeyRingFiles) async throws {
    guard !files.without(slots).isLocked else {
      throw SyncError(
        .lastPassword, "It is the last password: without it no device could join any more.",
        recovery: "Add another password first, or change this one.")
    }
    written.add(try await files.replace(withdrawing: slots, configuration))
  }

  private static func unknownPassword(_ files: KeyRingFiles) -> any Error {
    if let refused = files.refused.first {
      return refused.ofKeyFile(others: files.refused.count - 1, tried: files.count)
    }
    return wrongPassword(files)
  }

  private static func wrongPassword(_ files: KeyRingFiles) -> SyncError {
    guard files.hasStrangeKeys else {
      return .doubtfulPassword("The password does not open the remote, or not any more.")
    }
    return SyncError(
      .wrongPassword,
      "The password opens none of the keys at hand, or not any more, and the remote has others.",
      recovery:
        "Check keyboard layout and capital letters, then enter the password again. If it is one of those that other devices use, give it to this device first."
    )
  }

  private static var noPassword: SyncError {
    SyncError(
      .keysNotDelivered, "No key file lies there, so there is nothing that a code could be added to.",
      recovery: "Wait until the storage has delivered everything, or add a password first.")
  }
}
