import ChangeTracking
import Crypto

/// Removes what lies there of foundings of a document, and leaves alone what belongs to others of the same name.
struct DocumentRemoval {
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let keys: KeyRing?
  let names: NameAuthenticator

  init(backend: any SyncBackend, hierarchy: DocumentHierarchy, keys: KeyRing?) throws(CryptoError) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.keys = keys
    names = try NameAuthenticator(keys: keys)
  }

  /// Removes foundings with everything that belongs to them; the whole folder if there is no other.
  ///
  /// - Returns: the others.
  func remove(_ foundings: [IntegrityKey]) async throws -> RemoteDocument.Remainder {
    let listing = try await backend.listIfPresent(hierarchy.integrityKey) ?? RemoteListing()
    let remainder = remainder(listing, foundings)
    guard !remainder.isEmpty else {
      // Founding records first: what lies there without one is nobody's.
      for path in [hierarchy.integrityKey, hierarchy.recentSyncs, hierarchy.root] { try await remove(path) }
      return remainder
    }
    for entry in listing.entries where isOf(foundings, entry.name) {
      try await remove(hierarchy.integrityKey / entry.name)
    }
    try await removeAuthors(foundings)
    return remainder
  }

  private func remainder(_ listing: RemoteListing, _ foundings: [IntegrityKey]) -> RemoteDocument.Remainder {
    var remainder = RemoteDocument.Remainder()
    var unknown: Set<KeyIdentifier> = []
    for name in listing.entries.compactMap({ FoundingName($0.name) })
    where !foundings.contains(name.integrityKey) {
      let statement = hierarchy.statement(founding: name.integrityKey, key: name.key)
      switch names.verifies(name.code, statement, key: name.key) {
      case true?: remainder.foundings += 1
      case false?: continue
      case nil: if let key = name.key { unknown.insert(key) }
      }
    }
    remainder.unknownKeys = unknown.sorted { $0.description < $1.description }
    return remainder
  }

  private func isOf(_ foundings: [IntegrityKey], _ name: RemoteName) -> Bool {
    if let founding = FoundingName(name) { return foundings.contains(founding.integrityKey) }
    guard let acceptance = AcceptanceName(name) else { return false }
    return foundings.contains(acceptance.founding) || foundings.contains(acceptance.other)
  }

  /// Removes what stands among the heads in the name of the foundings, the sets of all whom it names and those that tell by themselves whose they
  /// are, what tells of devices that were away, and whole stores.
  private func removeAuthors(_ foundings: [IntegrityKey]) async throws {
    guard let own = foundings.first else { return }
    let protection = try DocumentProtection(
      keys: keys, hierarchy: hierarchy, own: own, others: Array(foundings.dropFirst()))
    let heads = try await names(in: hierarchy.recentSyncs).compactMap { HeadListing.codedName($0) }
      .filter { protection.verifies($0) }
    let named = Set(heads.flatMap(\.authors))
    let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let folders = try await names(in: hierarchy.syncChanges).compactMap { AuthorID($0.description) }
    for author in folders {
      // What sets tell of themselves counts more than who names their author.
      guard try await sets.areOfDocument(author) ?? named.contains(author) else { continue }
      try await remove(hierarchy.changes(of: author))
    }
    // The names last: without them nobody finds the sets again.
    for head in heads { try await remove(hierarchy.recentSyncs / head.name) }
    for absence in try await names(in: hierarchy.deletedClients).compactMap({ AbsenceName($0) })
    where protection.verifies(absence) {
      try await remove(hierarchy.file(of: absence))
    }
    let stores = WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    for store in try await stores.list().stores { try await remove(hierarchy.file(of: store.name)) }
  }

  private func names(in folder: RemotePath) async throws(BackendError) -> [RemoteName] {
    try await backend.listIfPresent(folder)?.entries.map(\.name) ?? []
  }

  private func remove(_ path: RemotePath) async throws(BackendError) {
    do throws(BackendError) { try await backend.remove(path) } catch {
      guard error.code == .notFound else { throw error }
    }
  }
}
