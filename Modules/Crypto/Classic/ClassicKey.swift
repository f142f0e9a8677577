import TICDSOpenSSL

/// The key of TICoreDataSync's FZACryptor: 7500 rounds of SHA-256 over password and salt.
///
/// For existing data only: so few rounds do not slow a guesser down. The bytes are erased when the last copy goes.
public struct ClassicKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Size in bytes.
  public static let size = 32
  private static let rounds = 7500

  let secret: SecretBytes

  /// Derives the key. Takes about a millisecond.
  ///
  /// - Parameters:
  ///   - password: as UTF-16LE, without normalisation. TICoreDataSync trimmed white space at both ends before;
  ///     this does not.
  ///   - salt: the whole content of the salt file; 16 bytes where TICoreDataSync wrote it.
  public init(password: String, salt: [UInt8]) {
    var text: [UInt8] = []
    text.reserveCapacity(2 * password.utf16.count)
    for unit in password.utf16 {
      text.append(UInt8(truncatingIfNeeded: unit))
      text.append(UInt8(truncatingIfNeeded: unit >> 8))
    }
    defer { SecretBytes.erase(&text) }
    secret = SecretBytes(count: Self.size) { key in
      var hash = SHA256()
      hash.update(text)
      hash.update(salt)
      hash.finalize(into: key)
      for _ in 1..<Self.rounds {
        hash.update(UnsafeRawBufferPointer(key))
        hash.finalize(into: key)
      }
    }
  }

  /// Takes a key that was kept elsewhere.
  ///
  /// - Throws: ``CryptoError`` with `invalidArgument` unless there are exactly 32 bytes.
  public init(_ secret: SecretBytes) throws(CryptoError) {
    guard secret.count == Self.size else {
      throw CryptoError(.invalidArgument, "a classic key has \(Self.size) bytes, not \(secret.count)")
    }
    self.secret = secret
  }

  /// Lends the bytes, so that the key can be kept elsewhere. Erase every copy.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try secret.withUnsafeBytes(body)
  }

  /// Describes what it is, never its bytes.
  public var description: String { "ClassicKey" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
