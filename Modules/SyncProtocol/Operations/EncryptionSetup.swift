import Crypto
import OpenSSL

/// Finds out whether a remote is encrypted, unlocks it, or turns encryption on when the remote is created.
struct EncryptionSetup {
  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  let configuration: ApplicationConfiguration

  /// - Parameter isComplete: whether the remote was completely created before, so that its state of encryption is final.
  /// - Returns: the keys; `nil` if the remote is not encrypted.
  func keys(for choice: EncryptionChoice, isComplete: Bool) async throws -> KeyRing? {
    let files = try await keyFiles()
    switch (choice, files.isEmpty) {
    case (.none, true): return nil
    case (.none, false):
      throw SyncError(
        .passwordRequired, "The remote is encrypted.", recovery: "Give the password that was chosen for it.")
    case (.password(let password), false): return try await unlock(files, password)
    case (.password(let password), true):
      guard !isComplete else {
        throw SyncError(
          .notEncrypted, "The remote exists and is not encrypted, although a password was given.",
          recovery: "Join without encryption, or use another remote.")
      }
      return try await create(password)
    case (.keys(let keys), false):
      guard let first = files.first, keys[try await read(first).keyIdentifier] != nil else {
        throw SyncError(
          .keyMissing, "The remote is encrypted with a key that this device does not have.",
          recovery: "Join again with the password.")
      }
      return keys
    case (.keys, true):
      throw SyncError(
        .encryptionChanged, "The remote is not encrypted any more: its key files are missing.",
        recovery:
          "Restore the folder “\(hierarchy.encryption)” of the remote; nothing is written unencrypted.")
    }
  }

  /// The key files, the one that everybody writes with first.
  private func keyFiles() async throws -> [KeyFileName] {
    let listing = try await backend.listIfPresent(hierarchy.encryption)
    return listing?.entries.compactMap { KeyFileName($0.name) }.sorted() ?? []
  }

  private func read(_ file: KeyFileName) async throws -> KeyFile {
    let path = hierarchy.encryption / file.name
    let bytes = try await backend.download(path, limit: KeyFile.maximumSize)
    do {
      return try KeyFile(parsing: bytes)
    } catch {
      throw SyncError.damaged(path, error)
    }
  }

  /// Unlocks the file that everybody writes with, and those others that the password opens, for reading.
  private func unlock(_ files: [KeyFileName], _ password: String) async throws -> KeyRing? {
    var keys: [MasterKey] = []
    for (index, file) in files.enumerated() {
      do {
        keys.append(try await read(file).unlock(password: password))
      } catch let error as CryptoError where error.code == .wrongPassword {
        guard index > 0 else {
          throw SyncError(
            .wrongPassword, "The password does not unlock the remote.", recovery: error.recovery,
            underlying: error)
        }
      }
    }
    return keys.first.map { KeyRing($0, others: Array(keys.dropFirst())) }
  }

  private func create(_ password: String) async throws -> KeyRing? {
    // Without a label: anybody can read it, and the name of the device is nobody's business.
    let (file, key) = try KeyFile.create(password: password, parameters: configuration.passwordCost)
    var random = configuration.random()
    let own = KeyFileName(using: &random)
    try await backend.makeDirectory(hierarchy.encryption)
    try await backend.createIfAbsent(file.bytes, at: hierarchy.encryption / own.name)
    let files = try await keyFiles()
    guard let winner = files.first, winner != own, files.contains(own) else { return KeyRing(key) }
    // Another client was creating the remote at the same time, and its name is smaller. Nothing was sealed yet.
    do {
      return try await unlock(files, password)
    } catch {
      try? await backend.remove(hierarchy.encryption / own.name)
      throw error
    }
  }
}
