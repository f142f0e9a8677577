import Crypto
import SyncProtocol

extension ApplicationReader {
  /// The key files that lie there, by their names.
  var keyFileNames: [KeyFileName] {
    entries.compactMap { $0.role == .keyFile ? $0.path?.name.flatMap { KeyFileName($0) } : nil }
  }

  /// The founding records of the application that lie there, by their names.
  var foundingNames: [FoundingName] {
    entries.compactMap { node in
      guard case .founding(let name) = node.role, node.path?.parent == hierarchy.founding else { return nil }
      return name
    }
  }

  /// The keys that these records name.
  var foundedKeys: Set<KeyIdentifier> { Set(foundingNames.compactMap(\.key)) }

  /// Keys in whose place others have come, so that they need no file: who opens that of the other key gets them.
  var replacedKeys: Set<KeyIdentifier> {
    let withdrawn = Set(
      entries.compactMap { node in
        if case .withdrawal(let name) = node.role { name.key } else { nil as KeyIdentifier? }
      })
    return Set(
      entries.compactMap { node in
        guard case .wrappedKey(let name) = node.role else { return nil }
        guard let ring = keys.ring else { return withdrawn.contains(name.key) ? name.key : nil }
        guard let key = ring[name.key], let wrapping = ring[name.wrapping] else { return nil }
        return key.generation < wrapping.generation ? name.key : nil
      })
  }
}
