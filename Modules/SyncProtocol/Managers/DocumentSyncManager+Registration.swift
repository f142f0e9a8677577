import ChangeTracking
import Crypto

/// What came of the registration of a document.
public struct DocumentRegistration: Hashable, Sendable {
  /// Whether this client created the document on the remote.
  public var isNew: Bool
  /// What the remote says about the document.
  public var information: DocumentInformation
}

extension DocumentSyncManager {
  /// Creates the document on the remote or joins it, and makes this device known there. What a client that was
  /// interrupted left incomplete is completed. Repeating it is harmless.
  ///
  /// - Parameter mayCreate: whether an absent document is created.
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `notDelivered`, `documentDeleted`, `documentReplaced`,
  ///   `storeOfAnotherDocument`, `unsupportedFormat`, `keyMissing`, `encryptionChanged`, `damaged`, `storage`, `store` or `cancelled`.
  @discardableResult
  public func register(mayCreate: Bool = true) async throws(SyncError) -> DocumentRegistration {
    try await exclusively { try await join(mayCreate: mayCreate) }
  }

  private func join(mayCreate: Bool) async throws -> DocumentRegistration {
    let keys = try await ring()
    let path = hierarchy.root.description
    try requireNoOtherDocument()
    let founding = try founding(keys)
    let folder = try await backend.listIfPresent(hierarchy.root)
    var look = try await founding.look()
    let records = try await founding.records(look)
    let evidence = try await evidence(folder, look, records, keys)
    let pinned = try pins.integrityKey
    if let pinned, let deleted = try await deleted(look.deleted, own: pinned) { throw deleted }
    let record: DocumentFounding.Record
    var isNew = false
    switch DocumentFoundingDecision(evidence, pinned: pinned, mayCreate: mayCreate) {
    case .found:
      try await makeFolders(folder)
      (record, isNew) = try await founding.found()
    case .join(let key):
      guard let found = records.first(where: { $0.name.integrityKey == key }) ?? look.unread(key) else {
        throw SyncError.replaced(hierarchy)
      }
      try await makeFolders(folder)
      record = found
    case .restore(let key):
      try await makeFolders(folder)
      if let (name, bytes) = try pins.foundingRecord {
        let content = try FoundingRecord(bytes, keys: keys)
        try await founding.restore(bytes, name)
        record = DocumentFounding.Record(name: name, bytes: bytes, content: content)
      } else {
        guard let found = look.unread(key) else { throw SyncError.replaced(hierarchy) }
        record = found
      }
    case .refuse(let refusal): throw try await error(refusal)
    }
    if let content = record.content { try check(content) }

    look = try await founding.look()
    let own = record.name.integrityKey
    try await founding.accept(&look, as: own)
    let united = look.united(with: own)
    let protection = try DocumentProtection(
      keys: keys, hierarchy: hierarchy, own: own, others: Array(Set(united).union(pins.united)).sorted(),
      secrets: configuration.secrets)
    try await describe(protection)
    let information = await readInformation(protection, record.content)
    try await backend.makeFolder(hierarchy.changes(of: replica.author))
    let heads = heads(protection)
    let listing = try await heads.genuine()
    let headless = try await authorsWithoutHead(listing)
    try await keepFiles(founding)
    try pins.registered(
      as: path, key: keys?.primary.identifier, founding: record,
      united: Array(protection.foundings.dropFirst()), headless: headless)
    // Last: whoever fails before is unknown to the others, and who fails here is introduced by the first synchronisation.
    try await introduce(listing, heads)
    return DocumentRegistration(isNew: isNew, information: information)
  }

  func requireNoOtherDocument() throws {
    let path = hierarchy.root.description
    guard let pinned = try pins.document, pinned != path else { return }
    throw SyncError(
      .storeOfAnotherDocument, subject: pinned,
      "The store is in step with this document, not with “\(path)”.",
      recovery: "Use another store for another document.")
  }

  private func makeFolders(_ present: RemoteListing?) async throws {
    let names = Set(present?.entries.map(\.name) ?? [])
    let needed = [hierarchy.integrityKey, hierarchy.syncChanges, hierarchy.recentSyncs]
    for folder in hierarchy.folders where !names.contains(where: { $0 == folder.name }) {
      do throws(BackendError) {
        try await backend.makeFolder(folder)
      } catch {
        // A link or the like. Who needs what belongs there comes upon it.
        guard error.isObstruction, !needed.contains(folder) else { throw error }
      }
    }
  }

  private func evidence(
    _ folder: RemoteListing?, _ look: DocumentFounding.Look, _ records: [DocumentFounding.Record],
    _ keys: KeyRing?
  ) async throws -> DocumentEvidence {
    var evidence = DocumentEvidence()
    evidence.foundings = records.compactMap { record in
      record.content.map { .init(integrityKey: record.name.integrityKey, time: $0.time) }
    }
    evidence.unread = look.genuine.map(\.integrityKey).filter { key in
      !records.contains { $0.name.integrityKey == key }
    }
    evidence.hasUnknownKeys = !look.unknownKeys.isEmpty
    evidence.deleted = try await deletions(withRemainsIn: look, keys)
    if let pinned = try pins.integrityKey, !look.contains(pinned) {
      let protection = try await protection()
      evidence.hasPinned = try await isStillThere(look, protection, heads(protection).genuine())
    }
    // A record that cannot be read is late, or damaged.
    evidence.hasContent = !look.genuine.isEmpty
    guard let folder, evidence.foundings.isEmpty else { return evidence }
    let names = Set(folder.entries.map(\.name))
    if let information = hierarchy.information.name, names.contains(information) {
      evidence.hasContent = true
      let bytes = try? await backend.download(hierarchy.information, limit: InformationFile.sizeLimit)
      evidence.isClassic = bytes.flatMap { try? DocumentInformation($0) }?.format == .classic
    }
    for folder in [hierarchy.recentSyncs, hierarchy.syncChanges] where !evidence.hasContent {
      guard let name = folder.name, names.contains(name) else { continue }
      evidence.hasContent = try await backend.listIfPresent(folder)?.entries.isEmpty == false
    }
    return evidence
  }

  private func error(_ refusal: DocumentFoundingDecision.Refusal) async throws -> SyncError {
    switch refusal {
    case .absent:
      return SyncError(
        .documentNotFound, "The remote holds no document “\(hierarchy.document)”.",
        recovery: "Check the document's identifier, or create the document from this device.")
    case .notDelivered:
      return SyncError(
        .notDelivered,
        "The remote holds files of the document “\(hierarchy.document)”, but not the record of its founding.",
        recovery:
          "Wait until the storage has delivered everything, then try again. A device that has joined puts a lost record back within a day of synchronising."
      )
    case .keyMissing:
      return SyncError(
        .keyMissing,
        "The document “\(hierarchy.document)” was created by a device with a key that is not at hand.",
        recovery: "Join again with the password; if there are several, with each of them.")
    case .replaced: return .replaced(hierarchy)
    case .deleted(let names): return try await remains(of: names)
    case .classic:
      return SyncError(
        .unsupportedFormat, subject: hierarchy.document.description,
        "The document was made by TICoreDataSync, which this version does not read.",
        recovery: "Choose another identifier for the document.")
    }
  }

  private func check(_ record: FoundingRecord) throws {
    guard record.format == FoundingRecord.compact,
      record.formatVersion <= UInt16(DocumentInformation.compactVersion)
    else {
      throw SyncError(
        .unsupportedFormat, subject: hierarchy.document.description,
        "The document is in a format that this version does not read: \(record.format) \(record.formatVersion).",
        recovery: "Update the application on this device.")
    }
  }

  /// Describes the document, unless somebody did.
  private func describe(_ protection: DocumentProtection) async throws {
    let information = DocumentInformation(
      identifier: hierarchy.document.description, description: documentDescription,
      originalClient: configuration.client.description,
      originalClientDescription: configuration.clientDescription)
    do {
      if try await backend.exists(hierarchy.information) { return }
      let bytes = try protection.seal(information.bytes, as: .information)
      _ = try await backend.createUnlessPresent(bytes, at: hierarchy.information)
    } catch let error as BackendError where error.isAboutOneFile {
      // Something lies in its place. It is for people only, so nothing depends on it.
    }
  }

  /// What the document's description says. For people only: if it cannot be read, the founding record has what counts.
  private func readInformation(_ protection: DocumentProtection, _ record: FoundingRecord?) async
    -> DocumentInformation
  {
    let founded = DocumentInformation(
      identifier: hierarchy.document.description, description: "", originalClient: record?.creator ?? "",
      originalClientDescription: "")
    guard
      let bytes = try? await backend.download(hierarchy.information, limit: InformationFile.sizeLimit * 2),
      let content = try? protection.open(bytes, as: .information),
      let information = try? DocumentInformation(content),
      information.identifier == hierarchy.document.description
    else { return founded }
    return information
  }

  /// Publishes this device's first head, so that the others know of it from the start.
  private func introduce(_ listing: HeadListing, _ heads: HeadTransfer) async throws {
    let author = try replica.author
    guard listing.newest(of: author) == nil, try replica.pushedSequence == 0 else { return }
    let vector = try replica.vector()
    let name = heads.protection.head(author: author, sequence: 0, seen: vector.total, hash: nil)
    try pins.willPublish(name)
    try await heads.publish(try head(name, vector: vector))
  }

  /// Takes back what registration has told the others of this device, for a store that is given up before it was used: they would wait
  /// for a device that never comes. Does nothing once something was sent.
  ///
  /// - Throws: ``SyncError`` with `storage`, `store` or `cancelled`; repeating it continues.
  public func withdraw() async throws(SyncError) {
    try await exclusively {
      guard try replica.pushedSequence == 0 else { return }
      let author = try replica.author
      if try pins.integrityKey != nil {
        let heads = heads(try await protection())
        await heads.remove(try await heads.genuine().heads[author] ?? [])
      }
      for path in [
        hierarchy.changes(of: author), application.hierarchy.clientDevices / configuration.client,
      ] {
        do {
          try await backend.remove(path)
        } catch let error as BackendError where error.isAboutOneFile {
          continue
        }
      }
    }
  }

  /// What this device tells the others.
  func head(_ name: HeadName, vector: VersionVector) throws -> Head {
    Head(
      name: name, client: configuration.client.description,
      clientDescription: configuration.clientDescription, vector: vector,
      wholeStore: try pins.ownWholeStores.last(where: \.isComplete)?.name.name, time: configuration.now())
  }
}
