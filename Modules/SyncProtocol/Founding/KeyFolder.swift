import Crypto

/// What lies in `Encryption`, by name.
struct KeyFolder: Sendable {
  /// The key files, in order.
  var keyFiles: [KeyFileName] = []
  /// When key files were written, as far as the storage says.
  private(set) var written: [KeyFileName: Duration] = [:]
  /// The wrapped keys.
  var wrapped: Set<WrappedKeyName> = []
  /// What is said to open nothing any more. Only who has the key knows whether a member says so.
  var withdrawals: Set<WithdrawalName> = []
  /// Whether there are the files by which the classic system tells of encryption.
  var hasClassicSalt = false
  /// Names of what lies in the place of keys and is none: links, pipes, folders, conflict copies.
  var strange: [String] = []

  private static let classicFiles = ["salt.ticdsync", "test.ticdsync"]

  /// Nothing.
  init() {}

  /// Sorts what was listed. What nobody would take for a key, such as a dropping of a file browser, is left out.
  init(_ listing: RemoteListing) {
    for entry in listing.entries {
      let isFile = entry.kind == .file
      if isFile, let name = KeyFileName(entry.name) {
        keyFiles.append(name)
        written[name] = entry.modified
      } else if isFile, let name = WrappedKeyName(entry.name) {
        wrapped.insert(name)
      } else if isFile, let name = WithdrawalName(entry.name) {
        withdrawals.insert(name)
      } else if isFile, Self.classicFiles.contains(entry.name.description) {
        hasClassicSalt = true
      } else {
        add(strange: entry.name.description)
      }
    }
    for name in listing.foreign { add(strange: name) }
    keyFiles.sort()
  }

  /// The withdrawals that members have written, as far as the keys at hand tell.
  func withdrawals(
    _ names: NameAuthenticator, _ hierarchy: ApplicationHierarchy
  ) -> Set<WithdrawalName> { withdrawals.filter { hierarchy.isGenuine($0, names) } }

  /// Keys in whose place others have come, by the names: they need no file, for whoever opens that of the other key gets them.
  var replacedKeys: Set<KeyIdentifier> {
    let files = Set(keyFiles.map(\.key))
    let withdrawn = Set(withdrawals.map(\.key))
    return Set(wrapped.filter { files.contains($0.wrapping) && withdrawn.contains($0.key) }.map(\.key))
  }

  /// The keys of the key files that are not at hand.
  ///
  /// Which of them came in the place of one at hand only who has that one can say: a withdrawal of it is genuine, and its wrapped form
  /// bears the name of the other.
  func missingKeys(_ ring: KeyRing, _ hierarchy: ApplicationHierarchy) throws(CryptoError) -> Set<MissingKey>
  {
    let withdrawn = Set(withdrawals(try NameAuthenticator(keys: ring), hierarchy).map(\.key))
    let replacements = Set(
      wrapped.filter { withdrawn.contains($0.key) && ring[$0.key] != nil }.map(\.wrapping))
    return Set(
      keyFiles.map(\.key).filter { ring[$0] == nil }.map {
        MissingKey($0, isReplacement: replacements.contains($0))
      })
  }

  /// Notes the name of something that cannot be used, if it is, or was once, that of a key.
  private mutating func add(strange name: String) {
    let lowercase = name.lowercased()
    if ["keys", "wrapped", "salt"].contains(where: lowercase.contains) { strange.append(name) }
  }
}
