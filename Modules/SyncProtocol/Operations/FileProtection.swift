import Crypto

/// How files on a remote are kept from whoever reads and writes the storage. Chosen when a document or an application is joined.
///
/// Protection is all or nothing: each refuses files of another form than its own, so that storage can neither slip in files nor
/// switch encryption off.
package protocol FileProtection: Sendable {
  /// The keys; `nil` without encryption.
  var keys: KeyRing? { get }

  /// What is uploaded of a file.
  func seal(_ plain: [UInt8], as context: SealedContext) throws(CryptoError) -> [UInt8]

  /// The file that was uploaded.
  func open(_ bytes: [UInt8], as context: SealedContext) throws -> [UInt8]

  /// Refuses files of another form; the first 8 bytes are enough.
  func requireForm(of bytes: [UInt8]) throws(SyncError)

  /// Begins to write a file that is too large to be held; `nil` if it is written as it is.
  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter?

  /// Begins to read a file that is too large to be held; `nil` if it is read as it is.
  func reader(as context: SealedContext) -> SealedReader?
}

/// The protection that goes with the keys of a remote.
///
/// - Parameters:
///   - keys: `nil` without encryption.
///   - secrets: where salts come from.
package func fileProtection(with keys: KeyRing?, secrets: any RandomSource = .system) -> any FileProtection {
  guard let keys else { return PlainFiles() }
  return SealedFiles(ring: keys, secrets: secrets)
}

/// Files in the clear.
struct PlainFiles: FileProtection {
  var keys: KeyRing? { nil }

  func seal(_ plain: [UInt8], as context: SealedContext) throws(CryptoError) -> [UInt8] { plain }

  func open(_ bytes: [UInt8], as context: SealedContext) throws -> [UInt8] {
    try requireForm(of: bytes)
    return bytes
  }

  func requireForm(of bytes: [UInt8]) throws(SyncError) {
    guard SealedContainer.isSealed(bytes) else { return }
    throw SyncError(
      .passwordRequired, "The file is encrypted, and this device was registered without encryption.",
      recovery: "Join the document again with the password.")
  }

  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter? { nil }
  func reader(as context: SealedContext) -> SealedReader? { nil }
}

/// Files that are sealed for whoever has the keys: `Docs/Formats/SealedContainer.md`.
struct SealedFiles: FileProtection {
  let ring: KeyRing
  let secrets: any RandomSource
  var keys: KeyRing? { ring }

  func seal(_ plain: [UInt8], as context: SealedContext) throws(CryptoError) -> [UInt8] {
    try SealedContainer.seal(plain, as: context, with: ring.primary, random: secrets)
  }

  func open(_ bytes: [UInt8], as context: SealedContext) throws -> [UInt8] {
    try requireForm(of: bytes)
    return try SealedContainer.open(bytes, as: context, with: ring)
  }

  func requireForm(of bytes: [UInt8]) throws(SyncError) {
    guard !SealedContainer.isSealed(bytes) else { return }
    throw SyncError(
      .encryptionChanged, "The file is not encrypted, although everything on this remote must be.",
      recovery: "Find out who wrote it; it is not read.")
  }

  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter? {
    try SealedWriter(as: context, with: ring.primary, random: secrets)
  }

  func reader(as context: SealedContext) -> SealedReader? { SealedReader(as: context, with: ring) }
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
