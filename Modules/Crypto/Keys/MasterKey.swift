import TICDSOpenSSL

/// The key of a whole document or application: 32 random bytes, from which a key for every file is derived.
///
/// The bytes are erased when the last copy goes, and are never printed. Usable from any thread.
public struct MasterKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Size in bytes.
  public static let size = 32

  /// The key's public name.
  public let identifier: KeyIdentifier
  let secret: SecretBytes

  /// Makes a new key.
  ///
  /// - Throws: ``CryptoError`` with `primitiveFailure` if the system offers no entropy.
  public static func generate(random: any RandomSource = .system) throws(CryptoError) -> MasterKey {
    try MasterKey(random.secret(count: size))
  }

  /// Takes a key that was kept elsewhere, for example in a key ring of the system.
  ///
  /// - Throws: ``CryptoError`` with `invalidArgument` unless there are exactly 32 bytes.
  public init(_ secret: SecretBytes) throws(CryptoError) {
    guard secret.count == Self.size else {
      throw CryptoError(.invalidArgument, "a master key has \(Self.size) bytes, not \(secret.count)")
    }
    self.secret = secret
    let name = try Self.derive(
      from: secret, salt: [], purpose: "TICDS key identifier v1", count: KeyIdentifier.size)
    guard let identifier = name.withUnsafeBytes({ KeyIdentifier(bytes: $0) }) else {
      throw CryptoError(.invalidArgument, "a key identifier has \(KeyIdentifier.size) bytes")
    }
    self.identifier = identifier
  }

  /// Lends the bytes, so that the key can be kept elsewhere. Erase every copy.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try secret.withUnsafeBytes(body)
  }

  /// The identifier, never the bytes.
  public var description: String { "MasterKey(\(identifier))" }
  /// Shows the identifier only.
  public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }

  /// A key for one purpose, independent of those for all others.
  func derive(salt: [UInt8], purpose: String, count: Int) throws(CryptoError) -> SecretBytes {
    try Self.derive(from: secret, salt: salt, purpose: purpose, count: count)
  }

  private static func derive(
    from secret: SecretBytes, salt: [UInt8], purpose: String, count: Int
  ) throws(CryptoError) -> SecretBytes {
    try primitive { () throws(OpenSSLError) in
      try HKDF.deriveKey(from: secret, salt: salt, info: Array(purpose.utf8), count: count)
    }
  }
}
