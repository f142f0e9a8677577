import CTICDSOpenSSL

/// Owns the state of one cipher: the expanded key and the position in the message. OpenSSL erases it when freed.
struct CipherContext: ~Copyable {
  let pointer: OpaquePointer

  /// Allocates the state without a key.
  init(name: String) throws(OpenSSLError) {
    guard let pointer = EVP_CIPHER_CTX_new() else { throw OpenSSLError.last(name) }
    self.pointer = pointer
  }

  deinit { EVP_CIPHER_CTX_free(pointer) }

  /// Sets algorithm, key and direction; the vector may follow later.
  func start(
    _ algorithm: Library.Shared, key: SecretBytes, vector: [UInt8]?, encrypting: Bool
  ) -> Bool {
    key.withUnsafeBytes { key in
      EVP_CipherInit_ex2(
        pointer, algorithm.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
        vector, encrypting ? 1 : 0, nil) == 1
    }
  }
}
