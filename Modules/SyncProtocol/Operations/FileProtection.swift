import Crypto

/// Seals what goes to a remote and opens what comes from it, if the remote is encrypted.
///
/// Encryption is all or nothing: in an encrypted remote a file that is not sealed is refused, and the other way round, so
/// that storage can neither slip in files nor switch encryption off.
package struct FileProtection: Sendable {
  /// The keys; `nil` if the remote is not encrypted.
  package let keys: KeyRing?

  private let secrets: any RandomSource

  /// - Parameters:
  ///   - keys: `nil` without encryption.
  ///   - secrets: where salts come from.
  package init(keys: KeyRing?, secrets: any RandomSource = .system) {
    self.keys = keys
    self.secrets = secrets
  }

  package func seal(_ plain: [UInt8], as role: SealedContext.Role, _ identity: String) throws(CryptoError)
    -> [UInt8]
  {
    guard let keys else { return plain }
    return try SealedContainer.seal(
      plain, as: SealedContext(role: role, identity: identity), with: keys.primary, random: secrets)
  }

  package func open(_ bytes: [UInt8], as role: SealedContext.Role, _ identity: String) throws -> [UInt8] {
    try requireForm(of: bytes)
    guard let keys else { return bytes }
    return try SealedContainer.open(bytes, as: SealedContext(role: role, identity: identity), with: keys)
  }

  /// Refuses what is sealed where nothing is, and what is not where everything must be; the first 8 bytes are enough.
  package func requireForm(of bytes: [UInt8]) throws(SyncError) {
    let isSealed = SealedContainer.isSealed(bytes)
    if keys == nil, isSealed {
      throw SyncError(
        .passwordRequired, "The file is encrypted, and this device was registered without encryption.",
        recovery: "Join the document again with the password.")
    }
    if keys != nil, !isSealed {
      throw SyncError(
        .encryptionChanged, "The file is not encrypted, although everything on this remote must be.",
        recovery: "Find out who wrote it; it is not read.")
    }
  }

  /// Begins to seal a file that is too large to be held.
  package func sealer(as context: SealedContext, with keys: KeyRing) throws(CryptoError) -> SealedWriter {
    try SealedWriter(as: context, with: keys.primary, random: secrets)
  }
}

extension SealedContext.Role {
  package static let deviceInformation: Self = "device-information"
  package static let documentInformation: Self = "document-information"
  package static let changeSet: Self = "change-set"
  package static let head: Self = "head"
  package static let supersession: Self = "supersession"
  package static let longValue: Self = "long-value"
  package static let wrappedKey: Self = "wrapped-key"
  package static let wholeStore: Self = "whole-store"
}
