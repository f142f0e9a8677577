import Crypto

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
