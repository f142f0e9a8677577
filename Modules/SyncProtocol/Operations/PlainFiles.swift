import Crypto

/// Files in the clear. Those of sets tell by a mark of which document they are.
struct PlainFiles: FileProtection {
  /// That of the document; `nil` outside of documents, where there are no sets.
  var mark: DocumentMark?
  var keys: KeyRing? { nil }

  /// The mark that a file bears.
  private func mark(of role: SealedContext.Role) -> DocumentMark? {
    DocumentMark.isBorne(by: role) ? mark : nil
  }

  func seal(_ plain: [UInt8], as context: SealedContext) throws(CryptoError) -> [UInt8] {
    mark(of: context.role)?.appended(to: plain) ?? plain
  }

  func open(_ bytes: [UInt8], as context: SealedContext) throws -> [UInt8] {
    try requireForm(of: bytes)
    return try mark(of: context.role)?.removed(from: bytes) ?? bytes
  }

  func requireForm(of bytes: [UInt8]) throws(SyncError) {
    guard SealedContainer.isSealed(bytes) else { return }
    throw SyncError(
      .passwordRequired, "The file is encrypted, and this device was registered without encryption.",
      recovery: "Join the document again with the password.")
  }

  func mayUpload(_ bytes: [UInt8], as role: SealedContext.Role) -> Bool {
    !SealedContainer.isSealed(bytes) && mark(of: role)?.ends(bytes) ?? true
  }

  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter? { nil }
  func reader(as context: SealedContext) -> SealedReader? { nil }
}
