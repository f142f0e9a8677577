import Crypto

/// Files in the clear. Those of sets tell by a mark of which founding they are.
struct PlainFiles: FileProtection {
  /// Those of the document's foundings, this device's own first; none outside of documents, where there are no sets.
  var marks: [DocumentMark] = []
  var keys: KeyRing? { nil }

  /// The marks that a file may bear.
  private func marks(of role: SealedContext.Role) -> [DocumentMark] {
    DocumentMark.isBorne(by: role) ? marks : []
  }

  func seal(_ plain: [UInt8], as context: SealedContext) throws(CryptoError) -> [UInt8] {
    marks(of: context.role).first?.appended(to: plain) ?? plain
  }

  func open(_ bytes: [UInt8], as context: SealedContext) throws -> [UInt8] {
    try requireForm(of: bytes)
    let marks = marks(of: context.role)
    guard !marks.isEmpty else { return bytes }
    guard let mark = marks.first(where: { $0.ends(bytes) }) else { throw DocumentMark.foreign }
    return try mark.removed(from: bytes)
  }

  func requireForm(of bytes: [UInt8]) throws(SyncError) {
    guard SealedContainer.isSealed(bytes) else { return }
    throw SyncError(
      .passwordRequired, "The file is encrypted, and this device was registered without encryption.",
      recovery: "Join the document again with the password.")
  }

  func mayUpload(_ bytes: [UInt8], as role: SealedContext.Role) -> Bool {
    guard !SealedContainer.isSealed(bytes) else { return false }
    let marks = marks(of: role)
    return marks.isEmpty || marks.contains { $0.ends(bytes) }
  }

  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter? { nil }
  func reader(as context: SealedContext) -> SealedReader? { nil }
}
