import Crypto
import SyncProtocol

extension ApplicationReader {
  /// The key files that lie there, by their names.
  var keyFileNames: [KeyFileName] {
    entries.compactMap { $0.role == .keyFile ? $0.path?.name.flatMap { KeyFileName($0) } : nil }
  }

  /// Whether the key of a file is at hand, which another file must have given.
  func isOpened(byAnotherThan file: KeyFileName) -> Bool {
    keys.ring?[file.key] != nil && keyFileNames.contains { $0.key == file.key && $0 != file }
  }

  /// The founding records of the application that lie there, by their names.
  var foundingNames: [FoundingName] {
    entries.compactMap { node in
      guard case .founding(let name) = node.roleOfName,
        (node.takenPlace ?? node.path)?.parent == hierarchy.founding
      else { return nil }
      return name
    }
  }

  /// The clients that are registered.
  var clients: Set<String> {
    // Not the whole tree: it is looked through for each document.
    Set(
      node.children.filter { $0.path == hierarchy.clientDevices }.flatMap(\.children).compactMap {
        if case .client(let client) = $0.role { client } else { nil as String? }
      })
  }

  /// The keys that these records name.
  var foundedKeys: Set<KeyIdentifier> { Set(foundingNames.compactMap(\.key)) }

  /// Keys in whose place others have come, so that they need no file: who opens that of the other key gets them.
  var replacedKeys: Set<KeyIdentifier> {
    let withdrawn = Set(
      entries.compactMap { node in
        if case .withdrawal(let name) = node.roleOfName { name.key } else { nil as KeyIdentifier? }
      })
    return Set(
      entries.compactMap { node in
        guard case .wrappedKey(let name) = node.role else { return nil }
        guard let ring = keys.ring else { return withdrawn.contains(name.key) ? name.key : nil }
        guard let key = ring[name.key], let wrapping = ring[name.wrapping] else { return nil }
        return key.generation < wrapping.generation ? name.key : nil
      })
  }

  /// Keys at hand that a member has taken back, and that lie there sealed with a founding's key that is not at hand: that may have come in
  /// their place, and only its password tells.
  var keysOfFormerPasswords: Set<KeyIdentifier> {
    guard let ring = keys.ring, let names = try? NameAuthenticator(keys: ring) else { return [] }
    let founded = foundedKeys
    var (sealed, withdrawn): (Set<KeyIdentifier>, Set<KeyIdentifier>) = ([], [])
    for node in entries {
      switch node.roleOfName {
      case .wrappedKey(let name) where ring[name.wrapping] == nil && founded.contains(name.wrapping):
        sealed.insert(name.key)
      case .withdrawal(let name) where hierarchy.isGenuine(name, names): withdrawn.insert(name.key)
      default: continue
      }
    }
    return sealed.intersection(withdrawn)
  }

  /// Keys that have come in the place of others, and none in theirs.
  var replacingKeys: Set<KeyIdentifier> {
    let replaced = replacedKeys
    return Set(
      entries.compactMap { node in
        guard case .wrappedKey(let name) = node.role, replaced.contains(name.key) else { return nil }
        return replaced.contains(name.wrapping) ? nil : name.wrapping
      })
  }

  /// Keys of which every password was taken back, or may have been, and that those of other files lead to: a newcomer gets them with these.
  ///
  /// Where foundings became one, who changes a password takes it back from all keys that it opens, and gives the new one to the key that seals.
  private var keysWithinOthers: Set<KeyIdentifier> {
    var folder = KeyFolder()
    folder.keyFiles = keyFileNames
    for case .wrappedKey(let name) in entries.map(\.role)
    where keys.ring.map({ $0[name.key] != nil && $0[name.wrapping] != nil }) ?? true {
      folder.wrapped.insert(name)
    }
    let names = keys.ring.flatMap { try? NameAuthenticator(keys: $0) }
    for case .withdrawal(let name) in entries.map(\.roleOfName)
    where names.map({ hierarchy.isGenuine(name, $0) }) ?? true {
      folder.withdrawals.insert(name)
    }
    return folder.replacedKeys
  }

  /// Keys that need no file of their own.
  var keysWithoutFile: Set<KeyIdentifier> { replacedKeys.union(keysWithinOthers) }
}
