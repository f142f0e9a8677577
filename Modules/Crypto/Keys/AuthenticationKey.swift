import TICDSOpenSSL

/// A key that proves who wrote something and hides nothing: HMAC-SHA-256 under a key of its own for each purpose (HKDF).
///
/// Kept by whoever has many things to check, because deriving it costs more than using it. The bytes are erased when the
/// last copy goes, and are never printed. Usable from any thread.
public struct AuthenticationKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Size of a code in bytes.
  public static let codeSize = HMACSHA256.codeSize

  private let secret: SecretBytes

  fileprivate init(_ secret: SecretBytes) { self.secret = secret }

  /// The 32 bytes that only somebody with the key can tell of a message.
  public func code(of message: [UInt8]) -> [UInt8] { HMACSHA256.authenticate(message, key: secret) }

  /// Whether bytes are the code of a message, compared in a time that does not depend on them.
  public func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool {
    ConstantTime.areEqual(code, self.code(of: message))
  }

  /// Describes what it is, never its bytes.
  public var description: String { "AuthenticationKey" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MasterKey {
  /// The key for codes of one purpose, independent of those for all others.
  ///
  /// - Throws: ``CryptoError`` if the primitives fail.
  public func authenticationKey(purpose: String) throws(CryptoError) -> AuthenticationKey {
    AuthenticationKey(try derive(salt: [], purpose: purpose, count: 32))
  }
}
