import ChangeTracking
import Crypto

/// Ends the file of each set without encryption, and tells of which founding of which document it is: what came from the folder of one document
/// into that of another, or is left of a deleted one of the same name, is not taken for a part of it. Encrypted files need none, for they open in their place alone. See `Docs/Formats/RemoteHierarchy.md`.
///
/// It keeps mistakes away, not people: whoever can write there can write it, too.
package struct DocumentMark: Sendable {
  /// The beginning of a hash of the names of application and document, and the founding.
  private let bytes: [UInt8]

  private static let length = 8

  /// The mark of a document.
  package init(_ hierarchy: DocumentHierarchy, of founding: IntegrityKey) {
    let names = "\(hierarchy.application.application)/\(hierarchy.document)/\(founding)"
    bytes = Array(ContentHash(of: Array(names.utf8)).bytes.prefix(Self.length))
  }

  /// Whether files of a kind bear a mark where they are not sealed.
  package static func isBorne(by role: SealedContext.Role) -> Bool { role == .changeSet }

  /// What is uploaded of a set.
  func appended(to set: [UInt8]) -> [UInt8] { set + bytes }

  /// The set of an uploaded file.
  ///
  /// - Throws: `CryptoError` with `authenticationFailed` if it is of another document.
  package func removed(from file: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard ends(file) else { throw Self.foreign }
    return Self.removed(from: file)
  }

  /// What is thrown of a set that bears none of a document's marks.
  static var foreign: CryptoError {
    CryptoError(.authenticationFailed, "it is a set of another document, or was changed since")
  }

  /// Whether a file is of this document.
  func ends(_ file: [UInt8]) -> Bool { file.suffix(Self.length).elementsEqual(bytes) }

  /// The set of an uploaded file, of whatever document.
  package static func removed(from file: [UInt8]) -> [UInt8] { Array(file.dropLast(length)) }
}
