import Crypto

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

  func mayUpload(_ bytes: [UInt8], as role: SealedContext.Role) -> Bool { SealedContainer.isSealed(bytes) }

  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter? {
    try SealedWriter(as: context, with: ring.primary, random: secrets)
  }

  func reader(as context: SealedContext) -> SealedReader? { SealedReader(as: context, with: ring) }
}
