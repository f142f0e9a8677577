import Crypto
import SyncProtocol

/// Files that are sealed with a key which is not at hand: nobody here can tell what they hold, so they are not damaged. After the keys were
/// replaced storage may deliver the files first and the key later, and another password may open them.
struct FilesOfKey: Sendable {
  private(set) var count = 0
  private(set) var first: RemotePath

  init(_ first: RemotePath) { self.first = first }

  mutating func add(_ path: RemotePath) {
    count += 1
    first = min(first, path)
  }

  /// The files as the subject of a sentence, with the verb.
  var subject: String {
    count == 1 ? "The file is" : "\(count) files, “\(first)” among them, are"
  }
}

extension Verification {
  /// Keys that are told of one by one, at most: whoever can write here can name as many as there are files.
  private static let keyLimit = 16

  /// Notes a file that cannot be opened for want of a key.
  ///
  /// - Returns: whether it is one; else something is wrong with it.
  mutating func passesOver(_ failure: ReadingFailure, at path: RemotePath) -> Bool {
    switch failure {
    case .locked, .unfounded: locked += 1
    case .unknownKey(let key):
      guard let name = path.names.first else { return false }
      keysNotAtHand[RemotePath([name]), default: [:]][key, default: FilesOfKey(path)].add(path)
    default: return false
    }
    return true
  }

  /// Reports the keys that are not at hand, unless the whole application is doubted, which is a finding of its own.
  mutating func tellKeysNotAtHand(_ applications: [ApplicationReader], named remote: String) {
    for application in applications {
      let root = application.hierarchy.root
      guard let keys = keysNotAtHand[root] else { continue }
      if doubted.contains(root) {
        locked += keys.values.reduce(0) { $0 + $1.count }
        continue
      }
      let ordered = keys.sorted { ($1.value.count, $0.value.first) < ($0.value.count, $1.value.first) }
      for (key, files) in ordered.prefix(Self.keyLimit) {
        findings.append(
          Finding(
            .keyNotAtHand, path: files.first.description,
            message: "\(files.subject) sealed with the key \(key), which is not at hand.",
            next: application.advice(onLacking: key, named: remote)))
      }
      let others = ordered.dropFirst(Self.keyLimit)
      guard let first = others.first else { continue }
      let count = others.reduce(0) { $0 + $1.value.count }
      findings.append(
        Finding(
          .keyNotAtHand, path: first.value.first.description,
          message: "\(count) more files are sealed with \(others.count) other keys, which are not at hand.",
          next: application.advice(onLacking: first.key, named: remote)))
    }
  }
}

extension ApplicationReader {
  fileprivate func advice(onLacking key: KeyIdentifier, named remote: String) -> String {
    guard keys.isEncrypted else {
      return
        "Nothing here is encrypted, so it comes from another remote, and devices pass it over. Find out who has put it here, and move it away."
    }
    guard namedKeys.contains(key) else {
      return
        "Leave it. Wait until the storage has delivered all files; if another password belongs to it, verify with that. If nobody knows such a key, it comes from another remote: then move it away."
    }
    return
      "Leave it: the file of this key is late or lost. Wait until the storage has delivered all files, verify with the other password if the keys were replaced, or put “Encryption” back from a copy: ticds-inspect repair \(remote) --from COPY"
  }

  /// The keys that founding records and the names of wrapped keys tell of.
  private var namedKeys: Set<KeyIdentifier> {
    Set(
      entries.compactMap { node in
        switch node.roleOfName {
        case .founding(let name): name.key
        case .wrappedKey(let name): name.key
        default: nil
        }
      })
  }

  /// Keys of founding records that no key file opens, and in whose place no other has come: their files are late or lost.
  var unfiledKeys: Set<KeyIdentifier> {
    let founded = entries.compactMap { node in
      if case .founding(let name) = node.roleOfName { name.key } else { nil as KeyIdentifier? }
    }
    return Set(founded).subtracting(keyFileNames.map(\.key)).subtracting(replacedKeys)
  }
}
