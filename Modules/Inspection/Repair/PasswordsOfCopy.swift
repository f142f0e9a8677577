import Crypto
import SyncProtocol

/// What another copy of the remote tells of passwords, and this one has lost: that slots of key files open nothing any more.
///
/// Withdrawals only grow, so none is older than another. But the password that came in the place of a withdrawn one may lie in a key file that
/// was lost with the note: so nothing is taken unless something opens the key afterwards, and the files that do come first.
struct PasswordsOfCopy {
  /// The key files, then the withdrawals, that are to be taken.
  private(set) var files: [RemotePath] = []

  /// Looks at the keys that are at hand.
  init(_ applications: [ApplicationReader], _ other: OtherRemote, _ copy: any SyncBackend) async {
    for application in applications where other.isSame(application) {
      guard let ring = application.keys.ring else { continue }
      for key in ring.all where !Task.isCancelled { await add(key, application, other, copy) }
    }
  }

  private mutating func add(
    _ key: MasterKey, _ application: ApplicationReader, _ other: OtherRemote, _ copy: any SyncBackend
  ) async {
    let folder = application.hierarchy.encryption
    let there = other.files(in: folder)
    let here = application.node.children.first { $0.path == folder }?.children.compactMap(\.path) ?? []
    let present = Set(here)
    guard let names = try? NameAuthenticator(keys: KeyRing(key)) else { return }
    func withdrawals(_ paths: [RemotePath]) -> [RemotePath: KeyFile.Slot.Identifier] {
      let found = paths.compactMap { path -> (RemotePath, KeyFile.Slot.Identifier)? in
        guard let name = path.name.flatMap({ WithdrawalName($0) }), name.key == key.identifier,
          application.hierarchy.isGenuine(name, names)
        else { return nil }
        return (path, name.slot)
      }
      return Dictionary(found) { first, _ in first }
    }
    func keyFiles(_ paths: [RemotePath]) -> [RemotePath] {
      paths.filter { $0.name.flatMap { KeyFileName($0) }?.key == key.identifier }
    }
    let missing = withdrawals(there).filter { !present.contains($0.key) }
    guard !missing.isEmpty else { return }
    if !application.replacedKeys.contains(key.identifier) {
      let withdrawn = Set(missing.values).union(withdrawals(here).values)
      var isOpened = false
      for path in keyFiles(here) {
        if await opens(path, key, withdrawn, application.backend) { isOpened = true }
      }
      for path in keyFiles(there) where !present.contains(path) {
        guard await opens(path, key, withdrawn, copy) else { continue }
        files.append(path)
        isOpened = true
      }
      guard isOpened else { return }
    }
    files += missing.keys.sorted()
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
