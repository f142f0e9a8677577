import CTICDSOpenSSL

/// Random numbers from OpenSSL's generator, seeded by the operating system. Usable from any thread and after `fork`.
public enum SecureRandom {
  /// Random bytes that may become public: salts, nonces, identifiers.
  ///
  /// - Throws: ``OpenSSLError`` with `libraryFailure` if the system offers no entropy.
  public static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = bytes.withUnsafeMutableBufferPointer {
      RAND_bytes_ex(Library.context.pointer, $0.baseAddress, $0.count, 0)
    }
    guard status == 1 else { throw OpenSSLError.last("random numbers") }
    return bytes
  }

  /// Fills a buffer from the generator that is kept apart for private values.
  ///
  /// - Throws: ``OpenSSLError`` with `libraryFailure` if the system offers no entropy.
  public static func fillSecret(_ buffer: UnsafeMutableRawBufferPointer) throws(OpenSSLError) {
    guard let address = buffer.baseAddress else { return }
    guard RAND_priv_bytes_ex(Library.context.pointer, address, buffer.count, 0) == 1 else {
      throw OpenSSLError.last("random numbers")
    }
  }
}
