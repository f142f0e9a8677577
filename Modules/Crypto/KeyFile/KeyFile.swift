import TICDSOpenSSL

/// A small file that keeps one master key locked by passwords; described byte by byte in `Docs/Formats/KeyFile.md`.
///
/// ```swift
/// let (file, key) = try KeyFile.create(password: password)
/// store(file.bytes)
/// let key = try KeyFile(parsing: bytes).unlock(password: password)
/// ```
///
/// A value: every change gives another file, which the caller stores in place of the old one. Who has an old copy of the
/// file and an old password can still unlock it; if a password has leaked, seal with a new master key
/// (``KeyRing/replacingPrimary(with:)``) instead of only changing it. Functions that take a password block the
/// thread for the time that scrypt takes, about half a second per slot of standard cost.
public struct KeyFile: Sendable, Equatable {
  /// How many slots a file can have.
  public static let maximumSlotCount = 16

  /// The ways to unlock it, in the order in which they were added.
  public let slots: [Slot]
  /// The name of the master key inside.
  public let keyIdentifier: KeyIdentifier
  /// HMAC under the master key over everything before it.
  let code: [UInt8]

  init(slots: [Slot], keyIdentifier: KeyIdentifier, code: [UInt8]) {
    self.slots = slots
    self.keyIdentifier = keyIdentifier
    self.code = code
  }

  /// Locks a master key.
  ///
  /// - Parameters:
  ///   - password: 1 to 1024 bytes of UTF-8 after NFC normalisation; nothing is trimmed.
  ///   - label: for people, at most 64 bytes of UTF-8; not secret.
  ///   - key: the master key; a new one by default.
  ///   - parameters: the cost of trying one password.
  ///   - limits: what readers permit.
  ///   - random: where keys and salts come from.
  /// - Throws: ``CryptoError`` with `invalidPassword`, `invalidArgument`, `limitExceeded` or `primitiveFailure`.
  public static func create(
    password: String, label: String = "", for key: MasterKey? = nil,
    parameters: Scrypt.Parameters = .standard,
    limits: Limits = .standard, random: any RandomSource = .system
  ) throws(CryptoError) -> (file: KeyFile, key: MasterKey) {
    let secret = try Password.bytes(of: password)
    let masterKey: MasterKey
    if let key { masterKey = key } else { masterKey = try .generate(random: random) }
    let slot = try Slot.wrap(
      masterKey, for: secret, kind: .password, label: label, parameters: parameters, random: random)
    return (try KeyFile(authenticating: [slot], with: masterKey, limits: limits), masterKey)
  }

  /// Unlocks the master key with a password, trying every password slot.
  ///
  /// - Throws: ``CryptoError`` with `wrongPassword` if no slot opens, `invalidPassword` for a text that can be no
  ///   password, `damaged` if a slot opens and the rest of the file does not belong to it.
  public func unlock(password: String) throws(CryptoError) -> MasterKey {
    try find(Password.bytes(of: password), kind: .password).key
  }

  /// Unlocks the master key with a recovery code.
  ///
  /// - Throws: ``CryptoError`` as ``unlock(password:)``.
  public func unlock(recoveryCode: RecoveryCode) throws(CryptoError) -> MasterKey {
    try find(recoveryCode.secret, kind: .recoveryCode).key
  }

  func find(_ secret: SecretBytes, kind: Slot.Kind) throws(CryptoError) -> (slot: Slot, key: MasterKey) {
    for slot in slots where slot.kind == kind {
      guard let key = try slot.unwrap(with: secret) else { continue }
      try authenticate(with: key)
      return (slot, key)
    }
    let what = kind == .password ? "password" : "recovery code"
    throw CryptoError(.wrongPassword, "no slot opens with this \(what)")
  }
}

// MARK: - Integrity

extension KeyFile {
  private static let purpose = "TICDS key file integrity v1"

  /// Makes a file of slots that all hold `key`.
  init(authenticating slots: [Slot], with key: MasterKey, limits: Limits) throws(CryptoError) {
    guard slots.count <= Self.maximumSlotCount else {
      throw CryptoError(.limitExceeded, "a key file has at most \(Self.maximumSlotCount) slots")
    }
    try limits.check(slots)
    let content = Self.content(slots: slots, keyIdentifier: key.identifier)
    self.init(slots: slots, keyIdentifier: key.identifier, code: try Self.code(of: content, with: key))
  }

  /// Checks that the file is as somebody with the master key left it.
  ///
  /// - Throws: ``CryptoError`` with `damaged` or `unknownKey`.
  package func authenticate(with key: MasterKey) throws(CryptoError) {
    guard key.identifier == keyIdentifier else {
      throw CryptoError(.unknownKey, "the file names key \(keyIdentifier), not \(key.identifier)")
    }
    let expected = try Self.code(of: Self.content(slots: slots, keyIdentifier: keyIdentifier), with: key)
    guard ConstantTime.areEqual(code, expected) else {
      throw CryptoError(.damaged, "the file was changed by somebody without its master key")
    }
  }

  private static func code(of content: [UInt8], with key: MasterKey) throws(CryptoError) -> [UInt8] {
    HMACSHA256.authenticate(content, key: try key.derive(salt: [], purpose: purpose, count: 32))
  }
}
