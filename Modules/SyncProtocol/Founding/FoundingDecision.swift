import Crypto

/// What a device does that registers with an application's part of a remote: decided from what lies there and what it holds.
///
/// A value without I/O: ``ApplicationFounding`` carries it out. The rules, in their order of rank:
/// 1. Nothing is written in the clear where anything says that there is encryption, and nobody who has a password goes without.
/// 2. Who holds a key that is in use joins, whatever else lies there: what others put there locks nobody out.
/// 3. Nothing is founded where clients or documents lie already: the record is late, and a second founding would only split.
enum FoundingDecision: Hashable, Sendable {
  /// Try the password on the key files, then decide again.
  case tryPassword
  /// Join without encryption.
  case joinPlain
  /// Join with this key. If no founding record names it, its founder was interrupted, and the record is written.
  case joinSealed(KeyIdentifier, isFounded: Bool)
  /// Found a part, encrypted or not.
  case found(isEncrypted: Bool)
  /// Do nothing, and say why.
  case refuse(Refusal)

  /// Why a device can neither join nor found.
  enum Refusal: Hashable, Sendable, CaseIterable {
    /// There is nothing, and nothing may be created.
    case absent
    /// Files of an application are there, but not its founding record (yet).
    case notDelivered
    /// It is encrypted, and the device was told to go without.
    case passwordRequired
    /// It is encrypted, but the keys are not there (yet).
    case keysNotDelivered
    /// No key file opens with the password.
    case wrongPassword
    /// It is encrypted with keys that are not those of this device.
    case keyMissing
    /// It is not encrypted, and the device has a password.
    case notEncrypted
    /// It is not encrypted (any more), and the device has keys.
    case encryptionChanged
    /// It is encrypted by the classic system.
    case classicEncryption
  }

  init(_ evidence: ApplicationEvidence, holding held: HeldKeys, mayCreate: Bool) {
    switch held {
    case .none: self = Self.withoutEncryption(evidence, mayCreate)
    case .password:
      self = evidence.keyFiles.isEmpty ? Self.withPassword(evidence, opened: [], mayCreate) : .tryPassword
    case .opened(let keys): self = Self.withPassword(evidence, opened: keys, mayCreate)
    case .ring(let primary, let keys): self = Self.withKeys(evidence, primary, keys)
    }
  }

  private static func withoutEncryption(
    _ evidence: ApplicationEvidence, _ mayCreate: Bool
  ) -> FoundingDecision {
    if evidence.isEncrypted {
      if !evidence.keyFiles.isEmpty { return .refuse(.passwordRequired) }
      return .refuse(isClassic(evidence) ? .classicEncryption : .keysNotDelivered)
    }
    if evidence.isFoundedPlain { return .joinPlain }
    return unfounded(evidence, isEncrypted: false, mayCreate)
  }

  private static func withPassword(
    _ evidence: ApplicationEvidence, opened: Set<KeyIdentifier>, _ mayCreate: Bool
  ) -> FoundingDecision {
    if let key = least(opened.intersection(evidence.foundedKeys)) {
      return .joinSealed(key, isFounded: true)
    }
    if let key = least(opened) { return .joinSealed(key, isFounded: false) }
    if evidence.isEncrypted {
      if evidence.keyFiles.isEmpty {
        return .refuse(isClassic(evidence) ? .classicEncryption : .keysNotDelivered)
      }
      // The files that are there may be those of somebody else; the one that the founder wrote tells.
      let isComplete = evidence.foundedKeys.isSubset(of: evidence.keyFiles.union(evidence.replacedKeys))
      return .refuse(isComplete ? .wrongPassword : .keysNotDelivered)
    }
    if evidence.isFoundedPlain { return .refuse(.notEncrypted) }
    return unfounded(evidence, isEncrypted: true, mayCreate)
  }

  private static func withKeys(
    _ evidence: ApplicationEvidence, _ primary: KeyIdentifier, _ keys: Set<KeyIdentifier>
  ) -> FoundingDecision {
    for used in [evidence.foundedKeys, evidence.keyFiles, evidence.withdrawnKeys] {
      let common = used.intersection(keys)
      guard let key = common.contains(primary) ? primary : least(common) else { continue }
      return .joinSealed(key, isFounded: evidence.foundedKeys.contains(key))
    }
    if !evidence.foundedKeys.isEmpty || !evidence.keyFiles.isEmpty { return .refuse(.keyMissing) }
    return .refuse(
      evidence.isFoundedPlain && !evidence.isEncrypted ? .encryptionChanged : .keysNotDelivered)
  }

  private static func unfounded(
    _ evidence: ApplicationEvidence, isEncrypted: Bool, _ mayCreate: Bool
  ) -> FoundingDecision {
    if evidence.hasContent { return .refuse(.notDelivered) }
    return mayCreate ? .found(isEncrypted: isEncrypted) : .refuse(.absent)
  }

  /// Whether the classic system's salt is all that tells of encryption.
  private static func isClassic(_ evidence: ApplicationEvidence) -> Bool {
    evidence.hasClassicSalt && evidence.foundedKeys.isEmpty && !evidence.hasStrangeKeys
  }

  /// Any key would do; all devices take the same.
  private static func least(_ keys: Set<KeyIdentifier>) -> KeyIdentifier? {
    keys.min { $0.description < $1.description }
  }
}
