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

  /// Whether a file that was made here before is in the form that is uploaded. Nothing is opened.
  func mayUpload(_ bytes: [UInt8], as role: SealedContext.Role) -> Bool

  /// Begins to write a file that is too large to be held; `nil` if it is written as it is.
  func writer(as context: SealedContext) throws(CryptoError) -> SealedWriter?

  /// Begins to read a file that is too large to be held; `nil` if it is read as it is.
  func reader(as context: SealedContext) -> SealedReader?
}

/// The protection that goes with the keys of a remote.
///
/// - Parameters:
///   - keys: `nil` without encryption.
///   - marks: those of the document whose sets are among the files; empty if there are none.
///   - secrets: where salts come from.
package func fileProtection(
  with keys: KeyRing?, marks: [DocumentMark] = [], secrets: any RandomSource = .system
) -> any FileProtection {
  guard let keys else { return PlainFiles(marks: marks) }
  return SealedFiles(ring: keys, secrets: secrets)
}
