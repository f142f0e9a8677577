import Crypto

/// What lies in an application's part of a remote, as far as it tells who founded it and whether it is encrypted.
///
/// Storage delivers in any order, so anything may be missing that is there, and attackers add what they like. So this is a set of
/// traces and no state; ``FoundingDecision`` says what follows from them.
struct ApplicationEvidence: Hashable, Sendable {
  /// Whether there is a founding record of a remote without encryption.
  var isFoundedPlain = false
  /// The keys that founding records name. Those that are forged, as far as the keys at hand tell, are left out.
  var foundedKeys: Set<KeyIdentifier> = []
  /// The keys that key files name. Files that turned out to be no key files are left out.
  var keyFiles: Set<KeyIdentifier> = []
  /// Keys in whose place others have come, as names say.
  var replacedKeys: Set<KeyIdentifier> = []
  /// The keys at hand of which a member has withdrawn something. Their founding records and key files may all be gone.
  var withdrawnKeys: Set<KeyIdentifier> = []
  /// Whether something lies in the place of keys that is none: a link, a pipe, a folder, a conflict copy, junk.
  var hasStrangeKeys = false
  /// Whether there is the salt file of the classic system's encryption.
  var hasClassicSalt = false
  /// Whether there are clients or documents, which nobody makes before the remote is founded.
  var hasContent = false

  /// Whether anything says that the remote is, or is to be, encrypted.
  var isEncrypted: Bool {
    !foundedKeys.isEmpty || !keyFiles.isEmpty || !withdrawnKeys.isEmpty || hasStrangeKeys || hasClassicSalt
  }
}

/// What a device has that registers.
enum HeldKeys: Hashable, Sendable {
  /// The wish to go without encryption.
  case none
  /// A password that was not tried yet.
  case password
  /// The keys that a password has opened, none if it has opened nothing.
  case opened(Set<KeyIdentifier>)
  /// Keys that were kept, the one that seals among them.
  case ring(primary: KeyIdentifier, Set<KeyIdentifier>)
}
