import TICDSOpenSSL

extension KeyFile {
  /// The same file with another password that unlocks it.
  ///
  /// - Parameters:
  ///   - password: the other password.
  ///   - label: what its owner calls it; not secret.
  ///   - key: the master key, from unlocking this file.
  ///   - parameters: how dear each guess at the password is.
  ///   - limits: what the file must stay within.
  ///   - random: where salt and nonce come from.
  /// - Throws: ``CryptoError`` with `invalidPassword`, `invalidArgument`, `limitExceeded`, `unknownKey` if `key` is not
  ///   this file's, `damaged` if the file was changed by somebody without it.
  public func addingPassword(
    _ password: String, label: String = "", with key: MasterKey, parameters: Scrypt.Parameters = .standard,
    limits: Limits = .standard, random: any RandomSource = .system
  ) throws(CryptoError) -> KeyFile {
    try authenticate(with: key)
    let slot = try Slot.wrap(
      key, for: Password.bytes(of: password), kind: .password, label: label, parameters: parameters,
      random: random)
    return try KeyFile(authenticating: slots + [slot], with: key, limits: limits)
  }

  /// The same file with a password replaced, keeping its slot's place and label. Other passwords go on working.
  ///
  /// - Throws: ``CryptoError`` as ``unlock(password:)`` for `old`, as ``create(password:label:for:parameters:limits:random:)``
  ///   for `new`.
  public func changingPassword(
    from old: String, to new: String, parameters: Scrypt.Parameters = .standard, limits: Limits = .standard,
    random: any RandomSource = .system
  ) throws(CryptoError) -> KeyFile {
    let secret = try Password.bytes(of: new)
    let (replaced, key) = try find(Password.bytes(of: old), kind: .password)
    let slot = try Slot.wrap(
      key, for: secret, kind: .password, label: replaced.label, parameters: parameters, random: random)
    return try KeyFile(
      authenticating: slots.map { $0.identifier == replaced.identifier ? slot : $0 }, with: key,
      limits: limits)
  }

  /// The same file with a new recovery code, and that code. Show it to its owner; it is kept nowhere.
  ///
  /// - Parameters:
  ///   - label: what its owner calls it; not secret.
  ///   - key: the master key, from unlocking this file.
  ///   - parameters: how dear each guess at the code is.
  ///   - limits: what the file must stay within.
  ///   - random: where the code, salt and nonce come from.
  /// - Throws: ``CryptoError`` as ``addingPassword(_:label:with:parameters:limits:random:)``.
  public func addingRecoveryCode(
    label: String = "", with key: MasterKey, parameters: Scrypt.Parameters = .standard,
    limits: Limits = .standard, random: any RandomSource = .system
  ) throws(CryptoError) -> (file: KeyFile, code: RecoveryCode) {
    try authenticate(with: key)
    let code = try RecoveryCode.generate(random: random)
    let slot = try Slot.wrap(
      key, for: code.secret, kind: .recoveryCode, label: label, parameters: parameters, random: random)
    return (try KeyFile(authenticating: slots + [slot], with: key, limits: limits), code)
  }

  /// The same file without one of its slots.
  ///
  /// - Parameters:
  ///   - identifier: the slot that goes.
  ///   - key: the master key, from unlocking this file.
  ///   - limits: what the file must stay within.
  /// - Throws: ``CryptoError`` with `unknownSlot`, `lastSlot`, `unknownKey`, or `damaged` if the file was changed by
  ///   somebody without the key.
  public func removingSlot(
    _ identifier: Slot.Identifier, with key: MasterKey, limits: Limits = .standard
  ) throws(CryptoError) -> KeyFile {
    try authenticate(with: key)
    let rest = slots.filter { $0.identifier != identifier }
    guard rest.count < slots.count else { throw CryptoError(.unknownSlot, "there is no slot \(identifier)") }
    guard !rest.isEmpty else { throw CryptoError(.lastSlot, "slot \(identifier) is the last one") }
    return try KeyFile(authenticating: rest, with: key, limits: limits)
  }
}
