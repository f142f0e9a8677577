import Crypto

/// What lies in `Encryption`, by name.
package struct KeyFolder: Sendable {
  /// The key files, in order.
  package var keyFiles: [KeyFileName] = []
  /// When key files were written, as far as the storage says.
  private(set) var written: [KeyFileName: Duration] = [:]
  /// The wrapped keys.
  package var wrapped: Set<WrappedKeyName> = []
  /// What is said to open nothing any more. Only who has the key knows whether a member says so.
  package var withdrawals: Set<WithdrawalName> = []
  /// Those of them of which a file lies there.
  private(set) var withdrawalFiles: Set<WithdrawalName> = []
  /// Names of key files and wrapped keys that something else bears than a file.
  private(set) var covered: Set<RemoteName> = []
  /// Whether there are the files by which the classic system tells of encryption.
  var hasClassicSalt = false
  /// Names of what lies in the place of keys and is none: links, pipes, folders, conflict copies.
  var strange: [String] = []

  private static let classicFiles = ["salt.ticdsync", "test.ticdsync"]

  /// Nothing.
  package init() {}

  /// Sorts what was listed. What nobody would take for a key, such as a dropping of a file browser, is left out.
  init(_ listing: RemoteListing) {
    for entry in listing.entries {
      let isFile = entry.kind == .file
      if isFile, let name = KeyFileName(entry.name) {
        keyFiles.append(name)
        written[name] = entry.modified
      } else if isFile, let name = WrappedKeyName(entry.name) {
        wrapped.insert(name)
      } else if isFile, WithdrawalName(entry.name) != nil {
        continue
      } else if isFile, Self.classicFiles.contains(entry.name.description) {
        hasClassicSalt = true
      } else {
        add(strange: entry.name.description)
      }
    }
    for name in listing.foreign { add(strange: name) }
    withdrawals = Set(listing.names.compactMap { WithdrawalName($0) })
    let files = Set(listing.entries.filter { $0.kind == .file }.map(\.name))
    withdrawalFiles = Set(files.compactMap { WithdrawalName($0) })
    covered = Set(listing.names.filter { KeyFileName($0) != nil || WrappedKeyName($0) != nil })
      .subtracting(files)
    keyFiles.sort()
  }

  /// Adds what this device has seen of withdrawals, which may be gone from the folder, or not have arrived there.
  mutating func add(known: Set<WithdrawalName>) { withdrawals.formUnion(known) }

  /// The withdrawals that members have written, as far as the keys at hand tell.
  func withdrawals(
    _ names: NameAuthenticator, _ hierarchy: ApplicationHierarchy
  ) -> Set<WithdrawalName> { withdrawals.filter { hierarchy.isGenuine($0, names) } }

  /// Keys in whose place others have come, by the names: they need no file, for whoever opens that of the other key gets them.
  package var replacedKeys: Set<KeyIdentifier> {
    keysInside(Set(keyFiles.map(\.key))).intersection(withdrawals.map(\.key))
  }

  /// The keys that can be had with some keys, directly or by way of others, as far as names tell.
  private func keysInside(_ keys: Set<KeyIdentifier>) -> Set<KeyIdentifier> {
    Self.reachable(keys, Dictionary(grouping: wrapped, by: \.wrapping).mapValues { $0.map(\.key) })
  }

  /// Whether wrapped keys name a key of which there is no file, and none of a key that leads to it: its file is late, or lost.
  var lacksKeyFile: Bool {
    let files = Set(keyFiles.map(\.key))
    let had = files.union(keysInside(files))
    return wrapped.contains { !had.contains($0.wrapping) }
  }

  /// The keys that some keys can be had with, directly or by way of others, as far as names tell.
  func keys(leadingTo keys: Set<KeyIdentifier>) -> Set<KeyIdentifier> {
    Self.reachable(keys, Dictionary(grouping: wrapped, by: \.key).mapValues { $0.map(\.wrapping) })
  }

  /// What can be reached from a start in one step or more.
  private static func reachable(
    _ start: Set<KeyIdentifier>, _ steps: [KeyIdentifier: [KeyIdentifier]]
  ) -> Set<KeyIdentifier> {
    var reached: Set<KeyIdentifier> = []
    var open = Array(start)
    while let key = open.popLast() {
      for next in steps[key] ?? [] where reached.insert(next).inserted { open.append(next) }
    }
    return reached
  }

  /// What lies there of a key that has come in the place of one.
  enum Replacement: Sendable {
    /// None has, as far as a member says so.
    case none
    /// The former key is withdrawn, and there is no key file of a later one: it is late, or lost.
    case late
    /// The former key is withdrawn, and there is a key file of a later key, which is not at hand.
    case there
    /// The former key is withdrawn, and all that lies there of a later one is kept back by the storage.
    case refused(BackendError)
  }

  /// Whether others have replaced the newest key at hand.
  ///
  /// Only the withdrawal of that key says so, for nobody makes one without it. Until it is there a replacement has not come into effect,
  /// and what else lies there may be forged.
  func replacement(
    of keys: KeyRing, _ hierarchy: ApplicationHierarchy
  ) throws(CryptoError) -> Replacement {
    let newest = keys.newest.identifier
    let genuine = withdrawals(try NameAuthenticator(keys: keys), hierarchy)
    guard genuine.contains(where: { $0.key == newest && $0.isOfKey }) else { return .none }
    return laterFiles(than: keys).isEmpty ? .late : .there
  }

  /// The same, where files that are no key files count as none: they are not there in full, or damaged for good.
  func readableReplacement(
    of keys: KeyRing, _ unlocking: KeyUnlocking
  ) async throws -> Replacement {
    let said = try replacement(of: keys, unlocking.hierarchy)
    guard case .there = said else { return said }
    let unreadable = try await unlocking.unreadable(laterFiles(than: keys))
    guard
      case .late = try without(Array(unreadable.keys)).replacement(
        of: keys, unlocking.hierarchy)
    else { return said }
    let refused = unreadable.compactMapValues(\.self).min { $0.key < $1.key }?.value
    return refused.map { .refused($0.ofNewKeyFile) } ?? .late
  }

  /// The files of keys that are not at hand and lead to the newest that is.
  func laterFiles(than keys: KeyRing) -> [KeyFileName] {
    let later = self.keys(leadingTo: [keys.newest.identifier])
    return keyFiles.filter { keys[$0.key] == nil && later.contains($0.key) }
  }

  /// The same without some key files.
  func without(_ files: [KeyFileName]) -> KeyFolder {
    var folder = self
    let left = Set(files)
    folder.keyFiles.removeAll(where: left.contains)
    return folder
  }

  /// The keys that are not at hand: those of the key files, and those that have come in the place of the newest at hand and whose files
  /// are late.
  ///
  /// Which of them came in the place of one at hand only who has that one can say: a withdrawal of it is genuine, and wrapped
  /// keys lead from the other to it.
  func missingKeys(_ ring: KeyRing, _ hierarchy: ApplicationHierarchy) throws(CryptoError) -> Set<MissingKey>
  {
    let genuine = withdrawals(try NameAuthenticator(keys: ring), hierarchy)
    let replacements = keys(leadingTo: Set(genuine.map(\.key)).filter { ring[$0] != nil })
    let newest = ring.newest.identifier
    let isReplaced = genuine.contains { $0.isOfKey && $0.key == newest }
    let filed = Set(keyFiles.map(\.key))
    // What was replaced in its turn whoever gets the later one has, and no password opens it any more.
    let later = isReplaced ? keys(leadingTo: [newest]) : []
    let reached = keysInside(later.intersection(filed))
    let all = filed.union(later.subtracting(reached))
    return Set(
      all.filter { ring[$0] == nil }.map { MissingKey($0, isReplacement: replacements.contains($0)) })
  }

  /// The same keys with the names of their files where none of these is a key file any more: no password opens such a key.
  func noting(
    unreadableFilesOf keys: some Collection<MissingKey>, _ unlocking: KeyUnlocking
  ) async throws -> [MissingKey] {
    let files = Dictionary(grouping: keyFiles, by: \.key)
    let unreadable = try await unlocking.unreadable(keys.flatMap { files[$0.identifier] ?? [] })
    let unusable = Set(unreadable.filter { $0.value == nil }.keys)
    return keys.map { key in
      var key = key
      let own = files[key.identifier] ?? []
      key.hasFile = !own.isEmpty
      if unusable.isSuperset(of: own) { key.unreadableFile = own.first }
      return key
    }
  }

  /// Notes the name of something that cannot be used, if it is, or was once, that of a key.
  private mutating func add(strange name: String) {
    let lowercase = name.lowercased()
    if ["keys", "wrapped", "salt"].contains(where: lowercase.contains) { strange.append(name) }
  }
}
