import ChangeTracking
import Crypto

/// Deleting the document, and what a device does whose document somebody has deleted.
extension DocumentSyncManager {
  /// The document as it lies on the remote, told from others that bear its name: asking it tells of the one that this store belongs to.
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `keyMissing` or `store`.
  public func remoteDocument() async throws(SyncError) -> RemoteDocument {
    try await exclusively { try await documentOfStore() }
  }

  /// Deletes the document that this store belongs to from the remote, for everybody, as ``RemoteDocument/delete()`` does.
  ///
  /// Another document that bears its name is left alone: one that was created since, or by devices that this one has not met.
  /// Repeating it removes what others have written meanwhile, and what storage has delivered late.
  ///
  /// - Returns: what is left there under the document's name.
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `keyMissing`, `storage`, `store` or `cancelled`.
  @discardableResult
  public func delete() async throws(SyncError) -> RemoteDocument.Remainder {
    try await exclusively {
      let document = try await documentOfStore()
      let remainder = try await document.delete()
      _ = try await deleted(try await deletions(document.keys).list(), own: document.foundings[0])
      return remainder
    }
  }

  func documentOfStore() async throws -> RemoteDocument {
    try requireRegistration()
    let protection = try await protection()
    return RemoteDocument(
      hierarchy: hierarchy, backend: backend, configuration: configuration, keys: protection.keys,
      foundings: protection.foundings)
  }

  private func deletions(_ keys: KeyRing?) throws -> DocumentDeletion {
    try DocumentDeletion(backend: backend, hierarchy: hierarchy, keys: keys)
  }

  /// Stops a device whose document was deleted, once it was told. Once a day everybody asks, by one request, for nothing else need tell:
  /// storage may have put all files back, and taken away the note of the deletion. Whoever knows of that puts it back, or those who were told
  /// and those who were not would each go on by themselves.
  func requireDocument(_ protection: DocumentProtection, isAskingDue: Bool) async throws {
    let isTold = try pins.deletion != nil
    guard isTold || isAskingDue else { return }
    // Only members can have said it where there is encryption, so nothing on the remote takes it back.
    let isCertain = isTold && protection.keys != nil
    let names = isCertain && !isAskingDue ? [] : try await deletions(protection.keys).list()
    try pins.add(deleted: names)
    if isCertain, isAskingDue { try await putBackDeletion(beside: names, protection.keys) }
    if let deleted = try await deleted(names, own: protection.foundings[0]) { throw deleted }
  }

  private func putBackDeletion(beside names: [DeletionName], _ keys: KeyRing?) async throws {
    if let deletion = try pins.deletion, !names.contains(where: { $0.founding == deletion.name.founding }) {
      try await deletions(keys).putBack(deletion)
    }
    try pins.setUpkeep(at: configuration.now())
  }

  /// Why the document is not there any more: it was deleted, or is lost or late.
  func gone() async throws -> SyncError {
    let protection = try await protection()
    let names = try await deletions(protection.keys).list()
    if let deleted = try await deleted(names, own: protection.foundings[0]) { return deleted }
    let obstruction = try await founding(protection.keys).look().obstruction
    return obstruction.map { .obstructedFounding($0) } ?? removed()
  }

  /// The failure of a device whose founding was deleted, as one of the notes that lie there says, which it remembers from now on; `nil` if it
  /// was not.
  ///
  /// Without encryption anybody can have put the note there, so it is forgotten once that is removed.
  func deleted(_ names: [DeletionName], own: IntegrityKey) async throws -> SyncError? {
    let keys = try await ring()
    var deletion = try pins.deletion
    if let name = names.first(where: { $0.founding == own }) {
      if deletion?.information == nil {
        let deletions = try deletions(keys)
        deletion = FoundDeletion(name: name, information: await deletions.information(name))
        try pins.setDeletion(deletion)
      }
    } else if deletion != nil, keys == nil {
      deletion = nil
      try pins.setDeletion(nil)
    }
    return deletion.map { .deleted($0, hierarchy, isEncrypted: keys != nil) }
  }

  /// Notes of deletions that are looked at, to tell whose files lie there, and names among the heads.
  private static let noteLimit = 16
  private static let headNameLimit = 64

  /// The notes of deletions whose documents have left something there. Another document may have the name since, and be late.
  func deletions(withRemainsIn look: DocumentFounding.Look, _ keys: KeyRing?) async throws -> [DeletionName] {
    guard look.genuine.isEmpty, !look.deleted.isEmpty else { return [] }
    let remaining = look.deleted.filter { look.remaining.contains($0.founding) }
    let candidates = Array(
      (remaining + look.deleted.filter { !remaining.contains($0) }).prefix(Self.noteLimit))
    let listing = try await backend.listIfPresent(hierarchy.recentSyncs, limit: HeadTransfer.entryLimit)?
      .listing
    var names = listing ?? RemoteListing()
    names.entries = Array(names.entries.prefix(Self.headNameLimit))
    // Sets without heads tell nothing of whose they are.
    guard !names.entries.isEmpty else { return candidates }
    return try candidates.filter { name in
      if look.remaining.contains(name.founding) { return true }
      let protection = try DocumentProtection(keys: keys, hierarchy: hierarchy, own: name.founding)
      return !protection.heads(names).authors.isEmpty
    }
  }

  /// The failure of a device that wants to join, where files of a document lie that was deleted.
  ///
  /// - Parameter names: the notes of that, of which at least one is there.
  func remains(of names: [DeletionName]) async throws -> SyncError {
    let keys = try await ring()
    let deletions = try deletions(keys)
    var found: [FoundDeletion] = []
    for name in names {
      found.append(FoundDeletion(name: name, information: await deletions.information(name)))
    }
    let newest = found.max { ($0.information?.time ?? 0) < ($1.information?.time ?? 0) }
    guard let newest else { return removed() }
    return .remainsOfDeleted(newest, hierarchy, isEncrypted: keys != nil)
  }
}
