import ChangeTracking

/// What registration fixed for a store, kept in the store itself: a remote that contradicts it later is not believed.
struct RegistrationPins {
  let replica: Replica

  private enum Name {
    static let document = "document"
    static let encryption = "encryption"
    static let integrityKey = "integrityKey"
    static let lastSync = "lastSync"
    static let heads = "heads"
    static let mergedForks = "mergedForks"
  }

  private static let sealed = "sealed"
  private static let plain = "none"

  private func text(_ name: String) throws -> String? {
    try replica.remoteState(name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func set(_ name: String, _ text: String?) throws {
    try replica.setRemoteState(name, text.map { Array($0.utf8) })
  }

  /// The document's path; set last, so that it stands for a complete registration.
  var document: String? { get throws { try text(Name.document) } }

  /// Whether the remote is encrypted.
  var isEncrypted: Bool? { get throws { try text(Name.encryption).map { $0 == Self.sealed } } }

  var integrityKey: IntegrityKey? {
    get throws { try text(Name.integrityKey).flatMap { RemoteName($0) }.flatMap { IntegrityKey($0) } }
  }

  func registered(as document: String, isEncrypted: Bool, integrityKey: IntegrityKey) throws {
    try set(Name.encryption, isEncrypted ? Self.sealed : Self.plain)
    try set(Name.integrityKey, integrityKey.name.description)
    try set(Name.document, document)
  }

  /// When the last synchronisation was completed, in milliseconds since 1970.
  var lastSync: UInt64? { get throws { try text(Name.lastSync).flatMap { UInt64($0) } } }

  /// The heads as they were then.
  var heads: HeadListing {
    get throws {
      let names = try text(Name.heads)?.split(separator: "\n") ?? []
      return HeadListing(names.compactMap { RemoteName($0) }.compactMap { HeadName($0) })
    }
  }

  func synchronized(at time: UInt64, heads: HeadListing) throws {
    if try self.heads.heads != heads.heads {
      try set(Name.heads, heads.all.map(\.name.description).joined(separator: "\n"))
    }
    try set(Name.lastSync, String(time))
  }

  /// Sets that were merged beside the chain of their author.
  var mergedForks: Set<SyncPlan.ForkedSet> {
    get throws {
      var forks: Set<SyncPlan.ForkedSet> = []
      for line in try text(Name.mergedForks)?.split(separator: "\n") ?? [] {
        let parts = line.split(separator: "/")
        guard parts.count == 2, let author = AuthorID(parts[0]),
          let set = RemoteName(parts[1]).flatMap({ SetName($0) })
        else { continue }
        forks.insert(SyncPlan.ForkedSet(author: author, set: set))
      }
      return forks
    }
  }

  func merged(_ forks: [SyncPlan.ForkedSet]) throws {
    let lines = try mergedForks.union(forks).map { "\($0.author)/\($0.set.name)" }.sorted()
    try set(Name.mergedForks, lines.joined(separator: "\n"))
  }
}
