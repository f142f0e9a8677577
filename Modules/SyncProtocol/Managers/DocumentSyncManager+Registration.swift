import ChangeTracking
import Crypto

/// What came of the registration of a document.
public struct DocumentRegistration: Hashable, Sendable {
  /// Whether this client created the document on the remote.
  public var isNew: Bool
  /// What the remote says about the document.
  public var information: DocumentInformation
  /// Whether members have removed sets because whole stores contain them, and this store has begun with none: it shows a part of the
  /// document until a whole store arrives.
  public var lacksHistory = false
}

extension DocumentSyncManager {
  /// Creates the document on the remote or joins it, and makes this device known there. What a client that was
  /// interrupted left incomplete is completed. Repeating it is harmless.
  ///
  /// - Parameters:
  ///   - mayCreate: whether an absent document is created.
  ///   - begun: what came of beginning the store from this document just now: what was read then is not asked for again, unless the keys are
  ///     others since.
  ///   - joining: what becomes of what the store holds already, until it has been synchronised once.
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `notDelivered`, `documentDeleted`, `documentReplaced`,
  ///   `tooManyFoundings`, `storeOfAnotherDocument`, `unsupportedFormat`, `keyMissing`, `encryptionChanged`, `damaged`, `storage`, `store` or `cancelled`.
  @discardableResult
  public func register(
    mayCreate: Bool = true, after begun: BegunStore? = nil, joining: JoiningChoice = .merge
  ) async throws(SyncError) -> DocumentRegistration {
    try await exclusively { try await join(mayCreate: mayCreate, begun, joining) }
  }

  private func join(
    mayCreate: Bool, _ begun: BegunStore?, _ joining: JoiningChoice
  ) async throws -> DocumentRegistration {
    let keys = try await ring()
    let path = hierarchy.root.description
    try requireNoOtherDocument()
    let founding = try founding(keys)
    let pinned = try pins.integrityKey
    var view =
      if pinned == nil, let begun { try await self.view(founding, after: begun) } else {
        try await founding.view()
      }
    // Where somebody's record can be read the folders are there, for the record was written after them.
    var folder = view.isFounded ? nil : try await backend.listIfPresent(hierarchy.root)
    var evidence = try await evidence(folder, view, keys)
    if evidence.hasContent, !view.isFounded {
      // Somebody may have founded it since the records were listed.
      view = try await founding.view()
      if view.isFounded { folder = nil }
      evidence = try await self.evidence(folder, view, keys)
    }
    let copied = pinned == nil ? try pins.begunFoundings : []
    try await requireBegun(copied, view.look, evidence)
    evidence.keepOnly(copied)
    let records = view.records
    if let pinned, let deleted = try await deleted(view.look.deleted, own: pinned) { throw deleted }
    let record: DocumentFounding.Record
    var isNew = false
    switch DocumentFoundingDecision(evidence, pinned: pinned, mayCreate: mayCreate) {
    case .found:
      try folder?.requireCase(of: hierarchy.folders, in: hierarchy.root)
      try await makeFolders(folder)
      (record, isNew) = try await founding.found()
      view.look = try await founding.look()
    case .join(let key):
      guard let found = records.first(where: { $0.name.integrityKey == key }) ?? view.look.unread(key) else {
        throw SyncError.replaced(hierarchy)
      }
      if !view.isFounded { try await makeFolders(folder) }
      record = found
    case .restore(let key):
      try await makeFolders(view.isFounded ? backend.listIfPresent(hierarchy.root) : folder)
      if let (name, bytes) = try pins.namedFounding, !bytes.isEmpty || view.look.unread(key) == nil {
        let content = bytes.isEmpty ? nil : try FoundingRecord(bytes, keys: keys)
        do throws(BackendError) {
          try await founding.restore(bytes, name)
        } catch {
          // Each synchronisation names what lies in the way. A member does without the record.
          guard error.isObstruction else { throw error }
        }
        record = DocumentFounding.Record(name: name, bytes: bytes, content: content)
      } else {
        guard let found = view.look.unread(key) else { throw SyncError.replaced(hierarchy) }
        record = found
      }
      view.look = try await founding.look()
    case .refuse(let refusal): throw try await error(refusal, view.look)
    }
    if let content = record.content { try check(content) }

    let own = record.name.integrityKey
    try await founding.accept(&view.look, as: own)
    try pins.add(deleted: view.look.deleted)
    let united = view.look.united(with: own)
    let protection = try DocumentProtection(
      keys: keys, hierarchy: hierarchy, own: own, others: Array(Set(united).union(pins.united)).sorted(),
      deleted: pins.latestDeletedFoundings, secrets: configuration.secrets)
    let (information, description) = try await describe(protection, record.content)
    let heads = heads(protection)
    let listed = try await heads.list()
    if listed == nil { try await backend.makeFolder(hierarchy.recentSyncs) }
    let listing = protection.heads(listed?.listing ?? RemoteListing(), isCut: listed?.isCut ?? false)
    try await learnRemovals(listing, heads, again: false)
    // A store that never took part is a copy of that of the device which was removed.
    if pinned == nil, try isRemoved { try replica.beginNewIncarnation() }
    try await requireMembership(heads)
    let headless = try await authorsWithoutHead(listing, protection)
    var known = KnownFiles(view: view, application: await application.registration?.files)
    if !view.records.contains(where: { $0.name == record.name }) { known.view?.records.append(record) }
    known.contents[hierarchy.information] = description
    try await keepFiles(founding, known)
    try pins.registered(
      as: path, key: keys?.primary.identifier, founding: record,
      united: Array(protection.foundings.dropFirst()), headless: headless, joining: joining)
    if try pins.publishedName == nil { try pins.setPublishedName(configuration.clientDescription) }
    // Last: whoever fails before is unknown to the others, and who fails here is introduced by the first synchronisation.
    try await introduce(listing, heads)
    return DocumentRegistration(
      isNew: isNew, information: information,
      lacksHistory: try listing.floors.contains { $0.phase == .inForce } && replica.vector().total == 0)
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
    _ folder: RemoteListing?, _ view: DocumentFounding.View, _ keys: KeyRing?
  ) async throws -> DocumentEvidence {
    let (look, records) = (view.look, view.records)
    var evidence = DocumentEvidence()
    evidence.foundings = records.compactMap { record in
      record.content.map {
        .init(integrityKey: record.name.integrityKey, time: $0.time, isReadable: $0.isReadable)
      }
    }
    evidence.unread = look.genuine.map(\.integrityKey).filter { key in
      !records.contains { $0.name.integrityKey == key }
    }
    evidence.hasUnknownKeys = !look.unknownKeys.isEmpty
    evidence.isUndecided = look.isUndecided
    evidence.deleted = try await deletions(withRemainsIn: look, keys)
    if let pinned = try pins.integrityKey, !look.contains(pinned) {
      let protection = try await protection()
      evidence.hasPinned = try await isStillThere(look, protection, heads(protection).genuine())
    }
    // A record that cannot be read is late, or damaged.
    evidence.hasContent = !look.genuine.isEmpty || look.obstruction != nil
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

  func error(
    _ refusal: DocumentFoundingDecision.Refusal, _ look: DocumentFounding.Look
  ) async throws -> SyncError {
    switch refusal {
    case .undecided: return .crowded(hierarchy, count: look.crowd ?? 0)
    case .absent:
      return SyncError(
        .documentNotFound, "The remote holds no document “\(hierarchy.document)”.",
        recovery: "Check the document's identifier, or create the document from this device.")
    case .notDelivered:
      if look.genuine.isEmpty, let obstruction = look.obstruction { return .obstructedFounding(obstruction) }
      return SyncError(
        .notDelivered,
        "The remote holds files of the document “\(hierarchy.document)”, but not the record of its founding.",
        recovery:
          "Wait until the storage has delivered everything, then try again. A device that has joined puts a lost record back within a day of synchronising. If the folder is a copy of another document’s, remove it, or choose another identifier."
      )
    case .keyMissing:
      if let missing = try await ring()?.missingGenerations, missing > 0 {
        return try await olderKeysMissing(missing)
      }
      return SyncError(
        .keyMissing,
        "The document “\(hierarchy.document)” was created by a device with a key that is not at hand.",
        recovery: "Join again with the password; if there are several, with each of them.")
    case .replaced: return try await replaced()
    case .deleted(let names): return try await remains(of: names)
    case .classic:
      return SyncError(
        .unsupportedFormat, subject: hierarchy.document.description,
        "The document was made by TICoreDataSync, which this version does not read.",
        recovery: "Choose another identifier for the document.")
    }
  }

  private func check(_ record: FoundingRecord) throws {
    guard record.isReadable else {
      throw SyncError(
        .unsupportedFormat, subject: hierarchy.document.description,
        "The document is in a format that this version does not read: \(record.format) \(record.formatVersion).",
        recovery: "Update the application on this device.")
    }
  }

  /// What the document's description says; describes the document if nobody did. For people only: if it cannot be read, or something
  /// lies in its place, the founding record has what counts.
  ///
  /// - Returns: the bytes of the file as well, if it is what a member has written.
  private func describe(
    _ protection: DocumentProtection, _ record: FoundingRecord?
  ) async throws -> (information: DocumentInformation, bytes: [UInt8]?) {
    let founded = DocumentInformation(
      identifier: hierarchy.document.description, description: "", originalClient: record?.creator ?? "",
      originalClientDescription: "")
    do throws(BackendError) {
      let bytes = try await backend.download(hierarchy.information, limit: InformationFile.sizeLimit * 2)
      guard let content = try? protection.open(bytes, as: .information),
        let information = try? DocumentInformation(content),
        information.identifier == hierarchy.document.description
      else { return (founded, nil) }
      return (information, bytes)
    } catch {
      guard error.isAboutOneFile else { throw error }
      guard error.code == .notFound else { return (founded, nil) }
    }
    // Storage may have lost what the founder had written.
    let own = configuration.client.description
    let isFounder = record.map { $0.creator == own } ?? true
    let information = DocumentInformation(
      identifier: hierarchy.document.description, description: documentDescription,
      originalClient: record?.creator ?? own,
      originalClientDescription: isFounder ? configuration.clientDescription : "")
    let bytes = try protection.seal(information.bytes, as: .information)
    do throws(BackendError) {
      let isWritten = try await backend.createUnlessPresent(bytes, at: hierarchy.information)
      return isWritten ? (information, bytes) : (founded, nil)
    } catch {
      guard error.isAboutOneFile else { throw error }
      return (founded, nil)
    }
  }

  /// Publishes this device's first head, so that the others know of it from the start.
  private func introduce(_ listing: HeadListing, _ heads: HeadTransfer) async throws {
    let author = try replica.author
    guard listing.newest(of: author) == nil, try replica.pushedSequence == 0 else { return }
    let vector = try replica.held()
    let name = heads.protection.head(author: author, sequence: 0, seen: vector.total, hash: nil)
    let bytes = try heads.bytes(of: try head(name, vector: vector))
    try pins.willPublish(name, size: bytes.count)
    try await heads.publish(bytes, as: name)
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
