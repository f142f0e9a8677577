import CTICDSOpenSSL

/// HKDF with SHA-256 (RFC 5869): independent keys from one strong key. Not for passwords; see ``Scrypt``.
public enum HKDF {
  /// The greatest length that can be derived, in bytes.
  public static let maximumCount = 255 * SHA256.digestSize

  /// Extracts and expands.
  ///
  /// - Parameters:
  ///   - key: input keying material.
  ///   - salt: random and public; may be empty.
  ///   - info: what the derived key is for; different purposes give independent keys.
  ///   - count: length of the derived key, 1 … ``maximumCount`` bytes.
  /// - Throws: ``OpenSSLError`` with `invalidArgument` for another length.
  public static func deriveKey(
    from key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int = 32
  ) throws(OpenSSLError) -> SecretBytes {
    guard (1...maximumCount).contains(count) else {
      throw OpenSSLError(.invalidArgument, algorithm: "HKDF", message: "cannot derive \(count) bytes")
    }
    return try SecretBytes(count: count) { (derived) throws(OpenSSLError) in
      let status = key.withUnsafeBytes { key in
        salt.withUnsafeBytes { salt in
          info.withUnsafeBytes { info in
            ticds_hkdf_sha256(
              Library.hkdf.pointer, key.baseAddress, key.count, salt.baseAddress, salt.count,
              info.baseAddress, info.count, derived.baseAddress, derived.count)
          }
        }
      }
      guard status == 1 else { throw OpenSSLError.last("HKDF") }
    }
  }
}
