import TICDSOpenSSL
import UntrustedBytes

extension KeyFile {
  /// One way to unlock a key file.
  public struct Slot: Sendable, Hashable {
    /// What unlocks the slot.
    public enum Kind: UInt8, Sendable, Hashable {
      /// A password that a person chose.
      case password = 1
      /// A generated ``RecoveryCode``.
      case recoveryCode = 2
    }

    /// The name of a slot within its file: 16 random bytes.
    public struct Identifier: Sendable, Hashable, CustomStringConvertible {
      /// The 16 bytes.
      public let bytes: [UInt8]

      /// The first 4 bytes in hexadecimal, enough to tell slots of one file apart.
      public var description: String {
        HexadecimalDigits.text(Array(bytes.prefix(4)))
      }
    }

    /// The slot's name.
    public let identifier: Identifier
    /// What unlocks it.
    public let kind: Kind
    /// What its owner called it, at most 64 bytes of UTF-8; not secret.
    public let label: String
    /// The cost of trying one password.
    public let parameters: Scrypt.Parameters
    let salt: [UInt8]
    /// The master key and its tag.
    let wrappedKey: [UInt8]

    static let identifierSize = 16
    static let saltSize = 32
    static let maximumLabelSize = 64
    static let wrappedKeySize = MasterKey.size + AES256GCM.tagSize

    /// Everything before the wrapped key, which is bound to it.
    static func descriptor(
      identifier: Identifier, kind: Kind, label: String, parameters: Scrypt.Parameters, salt: [UInt8]
    ) -> [UInt8] {
      let label = Array(label.utf8)
      let cost = UInt8(parameters.cost.trailingZeroBitCount)
      return identifier.bytes + [
        kind.rawValue, cost, UInt8(parameters.blockSize), UInt8(parameters.parallelization),
      ]
        + salt + [UInt8(label.count)] + label
    }

    var descriptor: [UInt8] {
      Self.descriptor(identifier: identifier, kind: kind, label: label, parameters: parameters, salt: salt)
    }
  }
}

// MARK: - Wrapping

extension KeyFile.Slot {
  /// Wraps a master key for one secret.
  static func wrap(
    _ key: MasterKey, for secret: SecretBytes, kind: Kind, label: String, parameters: Scrypt.Parameters,
    random: any RandomSource
  ) throws(CryptoError) -> KeyFile.Slot {
    guard label.utf8.count <= maximumLabelSize else {
      throw CryptoError(
        .invalidArgument, "a label has at most \(maximumLabelSize) bytes, not \(label.utf8.count)")
    }
    guard parameters.areStorable else {
      throw CryptoError(.invalidArgument, "scrypt parameters \(parameters) cannot be stored")
    }
    let identifier = Identifier(bytes: try random.bytes(count: identifierSize))
    let salt = try random.bytes(count: saltSize)
    let bound = descriptor(
      identifier: identifier, kind: kind, label: label, parameters: parameters, salt: salt)
    let wrappedKey = try primitive { () throws(OpenSSLError) in
      var cipher = try cipher(for: secret, salt: salt, parameters: parameters)
      var wrapped = [UInt8](repeating: 0, count: wrappedKeySize)
      try key.secret.withUnsafeBytes { (key) throws(OpenSSLError) in
        try wrapped.lendMutableBytes { (wrapped) throws(OpenSSLError) in
          try cipher.seal(key, nonce: nonce, authenticating: bound, into: wrapped)
        }
      }
      return wrapped
    }
    return KeyFile.Slot(
      identifier: identifier, kind: kind, label: label, parameters: parameters, salt: salt,
      wrappedKey: wrappedKey)
  }

  /// The master key, or `nil` if the secret is not this slot's.
  func unwrap(with secret: SecretBytes) throws(CryptoError) -> MasterKey? {
    let unwrapped: SecretBytes
    do throws(OpenSSLError) {
      var cipher = try Self.cipher(for: secret, salt: salt, parameters: parameters)
      unwrapped = try SecretBytes(count: MasterKey.size) { (key) throws(OpenSSLError) in
        try wrappedKey.lendBytes { (wrapped) throws(OpenSSLError) in
          try cipher.open(wrapped, nonce: Self.nonce, authenticating: descriptor, into: key)
        }
      }
    } catch {
      if error.code == .authenticationFailed { return nil }
      throw CryptoError(error)
    }
    return try MasterKey(unwrapped)
  }

  /// Every wrapping has a fresh salt and thus a key of its own, which seals one message: its nonce may be constant.
  private static var nonce: [UInt8] { [UInt8](repeating: 0, count: AES256GCM.nonceSize) }

  private static func cipher(
    for secret: SecretBytes, salt: [UInt8], parameters: Scrypt.Parameters
  ) throws(OpenSSLError) -> AES256GCM {
    // Limits were checked when the file was read or changed.
    let key = try Scrypt.deriveKey(
      from: secret, salt: salt, parameters: parameters, memoryLimit: parameters.memory ?? 0)
    return try AES256GCM(key: key)
  }
}
