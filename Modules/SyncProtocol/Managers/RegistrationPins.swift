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
    static let ownHeads = "ownHeads"
    static let settledForks = "settledForks"
    static let pendingForks = "pendingForks"
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
  var heads: HeadListing { get throws { HeadListing(try headNames(Name.heads)) } }

  func synchronized(at time: UInt64, heads: HeadListing) throws {
    if try self.heads.heads != heads.heads { try set(Name.heads, heads.all) }
    try set(Name.lastSync, String(time))
  }

  // MARK: Own heads

  /// The latest heads that this store has published or was about to, oldest first.
  var ownHeads: [HeadName] { get throws { try headNames(Name.ownHeads) } }

  /// Own heads that are remembered. More than the newest may lie there: removing older ones can fail, and a remote that was
  /// rolled back shows them again. Whose remote goes back further goes on as a new author, which does no harm.
  private static let ownHeadLimit = 64

  /// Notes that a head is about to be published. Without this note, it would look like that of a copy of this store.
  func willPublish(_ head: HeadName) throws {
    let others = try ownHeads.filter { $0 != head }
    try set(Name.ownHeads, others.suffix(Self.ownHeadLimit - 1) + [head])
  }

  private func headNames(_ name: String) throws -> [HeadName] {
    let lines = try text(name)?.split(separator: "\n") ?? []
    return lines.compactMap { RemoteName($0) }.compactMap { HeadName($0) }
  }

  private func set(_ name: String, _ heads: [HeadName]) throws {
    try set(name, heads.map(\.name.description).joined(separator: "\n"))
  }

  // MARK: Forks

  /// Sets beside the chain of their author that were merged, or turned out to be on it.
  var settledForks: Set<SyncPlan.ForkedSet> { get throws { try forks(Name.settledForks) } }

  /// Sets beside the chain of their author that are known to exist and have not arrived yet.
  var pendingForks: Set<SyncPlan.ForkedSet> { get throws { try forks(Name.pendingForks) } }

  func setForks(settled: Set<SyncPlan.ForkedSet>, pending: Set<SyncPlan.ForkedSet>) throws {
    if try settled != settledForks { try set(Name.settledForks, settled) }
    if try pending != pendingForks { try set(Name.pendingForks, pending) }
  }

  private func forks(_ name: String) throws -> Set<SyncPlan.ForkedSet> {
    var forks: Set<SyncPlan.ForkedSet> = []
    for line in try text(name)?.split(separator: "\n") ?? [] {
      let parts = line.split(separator: "/")
      guard parts.count == 2, let author = AuthorID(parts[0]),
        let set = RemoteName(parts[1]).flatMap({ SetName($0) })
      else { continue }
      forks.insert(SyncPlan.ForkedSet(author: author, set: set))
    }
    return forks
  }

  private func set(_ name: String, _ forks: Set<SyncPlan.ForkedSet>) throws {
    try set(name, forks.sorted().map { "\($0.author)/\($0.set.name)" }.joined(separator: "\n"))
  }
}
