import Crypto

/// The key files of all keys at hand.
///
/// Several keys have files where a document was founded more than once and became one, and where somebody had not heard yet that a key was
/// replaced. What opens one of the newest generation opens all of them, so a password is one of the remote whichever of them it opens, and one that is removed is
/// removed from each.
struct KeyRingFiles: Sendable {
  /// What names slots: those of different keys are told apart by their keys.
  typealias Slots = [KeyIdentifier: Set<KeyFile.Slot.Identifier>]

  /// The files of the key that passwords are added to.
  let newest: KeyFileVersions
  private let others: [KeyFileVersions]
  /// Whether there are files of keys that are not at hand.
  let hasStrangeKeys: Bool

  init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, keys: KeyRing, folder: KeyFolder
  ) async throws {
    func files(of key: MasterKey) async throws -> KeyFileVersions {
      try await KeyFileVersions(backend: backend, hierarchy: hierarchy, key: key, folder: folder)
    }
    newest = try await files(of: keys.newest)
    var others: [KeyFileVersions] = []
    let named = Set(folder.keyFiles.map(\.key))
    for key in keys.all where key.identifier != keys.newest.identifier && named.contains(key.identifier) {
      others.append(try await files(of: key))
    }
    self.others = others
    hasStrangeKeys = named.contains { keys[$0] == nil }
  }

  private init(_ newest: KeyFileVersions, _ others: [KeyFileVersions], hasStrangeKeys: Bool) {
    (self.newest, self.others, self.hasStrangeKeys) = (newest, others, hasStrangeKeys)
  }

  private var all: [KeyFileVersions] { [newest] + others }

  /// How many files there are.
  var count: Int { all.reduce(0) { $0 + $1.files.count } }

  /// All slots that open something; a password that opens several keys has one for each.
  var slots: [KeyFile.Slot] { all.flatMap(\.slots) }

  /// Files that the storage does not hand out, and that may hold what opens something.
  var refused: [BackendError] { all.flatMap(\.refused) }

  /// Whether of some key with files all are kept back: then nothing tells what opens it.
  var isKeptBack: Bool { all.contains { $0.files.isEmpty && !$0.refused.isEmpty } }

  /// Whether nothing opens a key that whoever joins could use: those of before the newest generation do not open it.
  var isLocked: Bool {
    all.allSatisfy { $0.key.generation < newest.key.generation || $0.slots.isEmpty }
  }

  /// The slots that a password or recovery code opens.
  func slots(opening secret: String) throws(CryptoError) -> Slots {
    var slots: Slots = [:]
    for files in all {
      let opened = try files.slots(opening: secret)
      if !opened.isEmpty { slots[files.key.identifier] = opened }
    }
    return slots
  }

  /// The slot with that name.
  func slots(named digits: String) -> Slots {
    var slots: Slots = [:]
    for files in all {
      let named = files.slots.filter { $0.identifier.digits == digits }.map(\.identifier)
      if !named.isEmpty { slots[files.key.identifier] = Set(named) }
    }
    return slots
  }

  /// Whether a password opens a key of the newest generation.
  func opens(_ secret: String) throws(CryptoError) -> Bool {
    for files in all where files.key.generation == newest.key.generation {
      if try files.opens(secret) { return true }
    }
    return false
  }

  /// The same, as if slots were withdrawn.
  func without(_ slots: Slots) -> KeyRingFiles {
    func rest(_ files: KeyFileVersions) -> KeyFileVersions {
      files.without(slots[files.key.identifier] ?? [])
    }
    return KeyRingFiles(rest(newest), others.map(rest), hasStrangeKeys: hasStrangeKeys)
  }

  /// Puts a file in the place of all of the newest key, and withdraws slots of all keys. What was broken off is completed by trying again.
  ///
  /// - Parameter file: what opens the newest key from now on; `nil` for what is left.
  /// - Returns: what holds now.
  func replace(
    with file: KeyFile? = nil, withdrawing slots: Slots, _ configuration: ApplicationConfiguration
  ) async throws -> WrittenKeyFiles {
    var written = WrittenKeyFiles()
    let rest = without(slots)
    // The newest first: whoever is to be let in is let in before anybody is shut out.
    for (files, left) in zip(all, rest.all) {
      let isNewest = files.key.identifier == newest.key.identifier
      let withdrawn = (slots[files.key.identifier] ?? []).sorted { $0.digits < $1.digits }
      guard isNewest && file != nil || !withdrawn.isEmpty else { continue }
      written.add(
        try await files.replace(
          with: isNewest ? try file ?? left.combined() : try left.combined(), withdrawing: withdrawn,
          configuration))
    }
    return written
  }
}
