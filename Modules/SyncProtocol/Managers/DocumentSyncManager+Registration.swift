import ChangeTracking

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
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `documentReplaced`, `storeOfAnotherDocument`,
  ///   `unsupportedFormat`, `keyMissing`, `encryptionChanged`, `damaged`, `storage`, `store` or `cancelled`.
  @discardableResult
  public func register(mayCreate: Bool = true) async throws(SyncError) -> DocumentRegistration {
    try await exclusively { try await join(mayCreate: mayCreate) }
  }

  private func join(mayCreate: Bool) async throws -> DocumentRegistration {
    let protection = try await protection()
    let path = hierarchy.root.description
    if let pinned = try pins.document, pinned != path {
      throw SyncError(
        .storeOfAnotherDocument, subject: pinned,
        "The store is in step with this document, not with “\(path)”.",
        recovery: "Use another store for another document.")
    }
    let present = Set<RemoteName?>(try await backend.listIfPresent(hierarchy.root)?.entries.map(\.name) ?? [])
    let isComplete = present.contains(hierarchy.information.name)
    guard isComplete || mayCreate else {
      throw SyncError(
        .documentNotFound, "The remote holds no document “\(hierarchy.document)”.",
        recovery: "Check the document's identifier, or create the document from this device.")
    }
    for folder in hierarchy.folders where !present.contains(folder.name) {
      try await backend.makeDirectory(folder)
    }
    let key = try await agreeOnIntegrityKey()
    // Marks the document as complete, so it comes last.
    let isNew = isComplete ? false : try await describe(protection)
    let information = try await readInformation(protection)
    try await backend.makeDirectory(hierarchy.changes(of: replica.author))
    try await introduce(protection)
    try pins.registered(as: path, isEncrypted: protection.keys != nil, integrityKey: key)
    return DocumentRegistration(isNew: isNew, information: information)
  }

  /// The key that everybody agrees on: the smallest there is, one of ours if there is none.
  private func agreeOnIntegrityKey() async throws -> IntegrityKey {
    var keys = try await integrityKeys()
    let pinned = try pins.integrityKey
    if keys.isEmpty {
      if pinned != nil { throw replaced() }
      var random = configuration.random()
      let own = IntegrityKey(using: &random)
      try await backend.createIfAbsent(
        Array(configuration.client.description.utf8), at: hierarchy.integrityKey / own.name)
      keys = try await integrityKeys()
      // A listing may lag behind what was just written.
      if keys.isEmpty { keys = [own] }
    }
    // Several keys tell of clients that created the document at the same time; then the smallest is everybody's.
    guard let smallest = keys.min(), pinned.map({ keys.contains($0) }) ?? true else { throw replaced() }
    return smallest
  }

  func integrityKeys() async throws -> [IntegrityKey] {
    try await backend.list(hierarchy.integrityKey).entries.compactMap { IntegrityKey($0.name) }
  }

  func replaced() -> SyncError {
    SyncError(
      .documentReplaced, "The document “\(hierarchy.document)” was deleted and created again on the remote.",
      recovery: "Join the new document with a new store; this store keeps everything that it holds.")
  }

  /// - Returns: whether this client was the first.
  private func describe(_ protection: FileProtection) async throws -> Bool {
    let information = DocumentInformation(
      identifier: hierarchy.document.description, description: documentDescription,
      originalClient: configuration.client.description,
      originalClientDescription: configuration.clientDescription)
    let bytes = try protection.seal(information.bytes, as: .documentInformation, hierarchy.identity())
    return try await backend.createUnlessPresent(bytes, at: hierarchy.information)
  }

  private func readInformation(_ protection: FileProtection) async throws -> DocumentInformation {
    let bytes = try await backend.download(hierarchy.information, limit: InformationFile.sizeLimit * 2)
    let information: DocumentInformation
    do {
      information = try DocumentInformation(
        try protection.open(bytes, as: .documentInformation, hierarchy.identity()))
    } catch {
      throw SyncError.damaged(hierarchy.information, error)
    }
    guard case .compact(let version) = information.format, version <= DocumentInformation.compactVersion
    else {
      throw SyncError(
        .unsupportedFormat, subject: hierarchy.document.description,
        "The document is in a format that this version does not read: \(information.format).",
        recovery: "Update the application on this device.")
    }
    guard information.identifier == hierarchy.document.description else {
      throw SyncError(
        .damaged, subject: "“\(hierarchy.information)” on the remote",
        "The file describes another document, “\(information.identifier)”.",
        recovery: "Run ticds-inspect verify on the remote.")
    }
    return information
  }

  /// Publishes this device's first head, so that the others know of it from the start.
  private func introduce(_ protection: FileProtection) async throws {
    let heads = HeadTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let author = try replica.author
    guard try await heads.list()?.newest(of: author) == nil, try replica.pushedSequence == 0 else { return }
    let vector = try replica.vector()
    let name = HeadName(author: author, sequence: 0, seen: vector.total, hash: nil)
    try pins.willPublish(name)
    try await heads.publish(try head(name, vector: vector))
  }

  /// What this device tells the others.
  func head(_ name: HeadName, vector: VersionVector) throws -> Head {
    Head(
      name: name, client: configuration.client.description,
      clientDescription: configuration.clientDescription, vector: vector, time: configuration.now())
  }
}
