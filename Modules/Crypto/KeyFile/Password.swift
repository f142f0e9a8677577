import Foundation
import TICDSOpenSSL

/// A password as the bytes that keys are derived from: UTF-8 of its canonical composition (NFC), nothing trimmed.
///
/// Keyboards and operating systems compose accents differently; normalising makes one password of them. The `String` it
/// came from cannot be erased; drop it early.
enum Password {
  static let maximumSize = 1024

  static func bytes(of text: String) throws(CryptoError) -> SecretBytes {
    var bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
    defer { SecretBytes.erase(&bytes) }
    guard (1...maximumSize).contains(bytes.count) else {
      throw CryptoError(
        .invalidPassword, bytes.isEmpty ? "the password is empty" : "the password is too long")
    }
    return SecretBytes(copying: bytes)
  }
}
