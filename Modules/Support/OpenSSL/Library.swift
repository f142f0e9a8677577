import CTICDSOpenSSL

/// The algorithms in use, fetched once: a fetch costs more than hashing a small input.
///
/// They come from a library context of our own, which reads no configuration file and always has the default
/// provider, so what is available does not depend on the machine.
enum Library {
  /// A handle to something that OpenSSL permits several threads to use at once.
  ///
  /// Safe to share: library contexts and fetched algorithms are immutable or locked by OpenSSL itself
  /// (openssl-threads(7)), and these are never freed.
  struct Shared: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?, _ name: StaticString) {
      // Can be nil only for want of memory or without any libcrypto provider, when nothing here could work.
      guard let pointer else { preconditionFailure("OpenSSL offers no \(name)") }
      self.pointer = pointer
    }
  }

  static let context = Shared(OSSL_LIB_CTX_new(), "library context")
  static let sha256 = Shared(EVP_MD_fetch(context.pointer, "SHA2-256", nil), "SHA-256")
  static let sha512 = Shared(EVP_MD_fetch(context.pointer, "SHA2-512", nil), "SHA-512")
  static let hmac = Shared(EVP_MAC_fetch(context.pointer, "HMAC", nil), "HMAC")
  static let hkdf = Shared(EVP_KDF_fetch(context.pointer, "HKDF", nil), "HKDF")
  static let aes256GCM = Shared(EVP_CIPHER_fetch(context.pointer, "AES-256-GCM", nil), "AES-256-GCM")
  static let aes256CBC = Shared(EVP_CIPHER_fetch(context.pointer, "AES-256-CBC", nil), "AES-256-CBC")
}
