import TICDSOpenSSL

extension MasterKey {
  /// A name for some content: always the same under one key, and without the key it tells nothing about the content, not
  /// even to somebody who guesses it.
  ///
  /// HMAC-SHA-256 under a key of its own for each purpose (HKDF), cut to 16 bytes.
  ///
  /// - Parameters:
  ///   - content: what is named, for example its hash.
  ///   - purpose: what the names are for. Names for different purposes have nothing in common.
  /// - Throws: ``CryptoError`` if the primitives fail.
  public func pseudonym(of content: [UInt8], purpose: String) throws(CryptoError) -> [UInt8] {
    let key = try derive(salt: [], purpose: purpose, count: 32)
    return Array(HMACSHA256.authenticate(content, key: key).prefix(16))
  }
}
