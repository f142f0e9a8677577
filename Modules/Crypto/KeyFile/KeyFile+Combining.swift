import TICDSOpenSSL
import UntrustedBytes

/// Several versions of one key file, as devices leave them that change it without seeing each other.
extension KeyFile {
  /// One file with the slots of several, each once, but for some.
  ///
  /// - Parameters:
  ///   - files: files of one key.
  ///   - withdrawn: slots that are left out.
  ///   - key: the master key of all of them.
  ///   - limits: what the file must stay within.
  /// - Returns: `nil` if no slot remains.
  /// - Throws: ``CryptoError`` with `unknownKey`, `damaged` if one was changed by somebody without the key, `limitExceeded`.
  public static func combining(
    _ files: [KeyFile], without withdrawn: Set<Slot.Identifier>, with key: MasterKey,
    limits: Limits = .standard
  ) throws(CryptoError) -> KeyFile? {
    var slots: [Slot] = []
    for file in files {
      try file.authenticate(with: key)
      for slot in file.slots
      where !withdrawn.contains(slot.identifier)
        && !slots.contains(where: { $0.identifier == slot.identifier })
      {
        slots.append(slot)
      }
    }
    guard !slots.isEmpty else { return nil }
    return try KeyFile(authenticating: slots, with: key, limits: limits)
  }

  /// The slot that what a person typed opens, be it a password or a recovery code, with the master key.
  ///
  /// - Parameters:
  ///   - secret: what was typed.
  ///   - last: slots that are tried when all others have not opened.
  ///   - except: slots that are not tried.
  /// - Throws: ``CryptoError`` as ``unlock(password:)``.
  public func open(
    _ secret: String, last: Set<Slot.Identifier> = [], except: Set<Slot.Identifier> = []
  ) throws(CryptoError) -> (slot: Slot.Identifier, key: MasterKey) {
    let password = try Password.bytes(of: secret)
    let code = try? RecoveryCode(parsing: secret)
    let tried = slots.filter { !except.contains($0.identifier) }
    for slot in tried.filter({ !last.contains($0.identifier) })
      + tried.filter({ last.contains($0.identifier) })
    {
      let bytes = slot.kind == .password ? password : code?.secret
      guard let bytes, let key = try slot.unwrap(with: bytes) else { continue }
      try authenticate(with: key)
      return (slot.identifier, key)
    }
    throw CryptoError(.wrongPassword, "no slot opens with this password or recovery code")
  }
}

extension KeyFile.Slot.Identifier {
  /// Reads exactly 32 lower-case hexadecimal digits.
  public init?(digits: some StringProtocol) {
    guard digits.utf8.count == 2 * KeyFile.Slot.identifierSize,
      let bytes = HexadecimalDigits.bytes(digits)
    else { return nil }
    self.init(bytes: bytes)
  }

  /// All 32 hexadecimal digits.
  public var digits: String { HexadecimalDigits.text(bytes) }
}
