import Crypto
import SyncProtocol

/// What another copy of the remote tells of passwords, and this one has lost: that slots of key files open nothing any more.
///
/// Withdrawals only grow, so none is older than another. But the password that came in the place of a withdrawn one may lie in a key file that
/// was lost with the note: so nothing is taken unless something opens the key afterwards, and the files that do come first.
struct PasswordsOfCopy {
  /// The key files, then the withdrawals, that are to be taken.
  private(set) var files: [RemotePath] = []

  /// Looks at the keys that are at hand, here or in the copy: what leads from one to another may be lost here.
  init(_ applications: [ApplicationReader], _ other: OtherRemote, _ copy: any SyncBackend) async {
    for application in applications where other.isSame(application) {
      guard let ring = application.keys.ring else { continue }
      let known = Set(ring.all.map(\.identifier))
      let keys = ring.all + other.keys(of: application).filter { !known.contains($0.identifier) }
      for key in keys where !Task.isCancelled { await add(key, of: keys, application, other, copy) }
    }
  }

  private mutating func add(
    _ key: MasterKey, of keys: [MasterKey], _ application: ApplicationReader, _ other: OtherRemote,
    _ copy: any SyncBackend
  ) async {
    let passwords = Passwords(of: key, application, other)
    guard !passwords.missing.isEmpty else { return }
    // Who opens a key that came in the place of this one gets this with it.
    if !application.replacedKeys.contains(key.identifier) {
      guard await isAnyOpened(key, of: keys, passwords, application, other, copy) else { return }
      for path in passwords.filesThere where await opens(path, key, passwords.withdrawn, copy) {
        files.append(path)
      }
    }
    files += passwords.missing.sorted()
  }

  /// Whether a file, here or in the copy, opens a key, or one that came in its place as the copy tells: its file is put back as well.
  private func isAnyOpened(
    _ key: MasterKey, of keys: [MasterKey], _ passwords: Passwords, _ application: ApplicationReader,
    _ other: OtherRemote, _ copy: any SyncBackend
  ) async -> Bool {
    var candidates = [(key, passwords)]
    if other.replacedKeys(of: application).contains(key.identifier) {
      let replacing = other.replacingKeys(of: application)
      candidates = keys.filter { replacing.contains($0.identifier) }.map {
        ($0, Passwords(of: $0, application, other))
      }
    }
    for (key, passwords) in candidates {
      for path in passwords.filesHere where await opens(path, key, passwords.withdrawn, application.backend) {
        return true
      }
      for path in passwords.filesThere where await opens(path, key, passwords.withdrawn, copy) { return true }
    }
    return false
  }

  /// Whether a file is one that somebody with the key wrote, and something in it opens that.
  private func opens(
    _ path: RemotePath, _ key: MasterKey, _ withdrawn: Set<KeyFile.Slot.Identifier>,
    _ backend: any SyncBackend
  ) async -> Bool {
    guard let bytes = try? await backend.download(path, limit: KeyFile.maximumSize),
      let file = try? KeyFile(parsing: bytes), (try? file.authenticate(with: key)) != nil
    else { return false }
    return file.slots.contains { !withdrawn.contains($0.identifier) }
  }
}

/// The files of a key, here and in another copy of the remote, and what of them was withdrawn.
private struct Passwords {
  let filesHere: [RemotePath]
  /// Those of the copy that are not here.
  let filesThere: [RemotePath]
  /// Notes of withdrawals that are in the copy alone.
  let missing: [RemotePath]
  /// The slots that open nothing any more, as either tells.
  let withdrawn: Set<KeyFile.Slot.Identifier>

  init(of key: MasterKey, _ application: ApplicationReader, _ other: OtherRemote) {
    let folder = application.hierarchy.encryption
    let there = other.files(in: folder)
    let here = application.node.children.first { $0.path == folder }?.children.compactMap(\.path) ?? []
    let present = Set(here)
    let names = try? NameAuthenticator(keys: KeyRing(key))
    func withdrawals(_ paths: [RemotePath]) -> [RemotePath: KeyFile.Slot.Identifier] {
      let found = paths.compactMap { path -> (RemotePath, KeyFile.Slot.Identifier)? in
        guard let name = path.name.flatMap({ WithdrawalName($0) }), name.key == key.identifier, let names,
          application.hierarchy.isGenuine(name, names)
        else { return nil }
        return (path, name.slot)
      }
      return Dictionary(found) { first, _ in first }
    }
    func keyFiles(_ paths: [RemotePath]) -> [RemotePath] {
      paths.filter { $0.name.flatMap { KeyFileName($0) }?.key == key.identifier }
    }
    let added = withdrawals(there).filter { !present.contains($0.key) }
    missing = Array(added.keys)
    withdrawn = Set(added.values).union(withdrawals(here).values)
    filesHere = keyFiles(here)
    filesThere = keyFiles(there).filter { !present.contains($0) }
  }
}
