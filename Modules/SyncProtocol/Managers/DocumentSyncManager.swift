import ChangeTracking
import Crypto

/// Keeps one document's store in step with a remote.
///
/// ```swift
/// let document = try DocumentSyncManager(application: application, document: "notes", replica: replica)
/// try await document.register()
/// let report = try await document.synchronize()
/// ```
///
/// An actor that owns its replica. Calls may come from anywhere and are carried out one after the other. Each may be
/// cancelled, fail or be killed at any instant and is safe to repeat: it continues.
public actor DocumentSyncManager {
  /// The application that the document belongs to.
  public nonisolated let application: ApplicationSyncManager
  /// Where the document lies.
  public nonisolated let hierarchy: DocumentHierarchy
  /// What a person calls the document.
  public nonisolated let documentDescription: String

  let replica: Replica
  let backend: RetryingBackend
  /// Below the retries, so that it counts every attempt.
  let counting: CountingBackend
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Prepares a document; makes no request.
  ///
  /// - Parameters:
  ///   - application: registered or resumed before the document is registered or synchronised.
  ///   - document: the document's identifier; names a folder on the remote.
  ///   - description: what a person calls the document.
  ///   - replica: the store's replica, which belongs to the manager from now on.
  /// - Throws: ``SyncError`` with `invalidIdentifier`.
  public init(
    application: ApplicationSyncManager, document: String, description: String = "", replica: sending Replica
  ) throws(SyncError) {
    self.application = application
    self.documentDescription = description
    self.replica = replica
    hierarchy = application.hierarchy.document(try ApplicationConfiguration.name(document, of: "document"))
    counting = CountingBackend(application.storage)
    backend = application.configuration.retrying(counting)
    application.add(self)
  }

  nonisolated var configuration: ApplicationConfiguration { application.configuration }
  var pins: RegistrationPins { RegistrationPins(replica: replica) }

  /// The keys at hand, the one that this device seals with first; `nil` without encryption.
  func ring() async throws -> KeyRing? {
    guard let registration = await application.registration else {
      throw SyncError(
        .notRegistered, "The application was not registered with the remote.",
        recovery: "Register or resume the application first.")
    }
    let isEncrypted = try pins.isEncrypted
    guard let given = registration.keys else {
      guard isEncrypted == true else { return nil }
      throw SyncError(
        .keyMissing, "The document is encrypted, and no key is at hand.",
        recovery: "Give the keys or the password; nothing is written unencrypted.")
    }
    guard isEncrypted != false else {
      throw SyncError(
        .encryptionChanged, "The document was joined without encryption, and a key was given.",
        recovery: "Go on without a key, or join another document.")
    }
    let ring = KeyExchange.adding(try pins.wrappedKeys, to: given, application.hierarchy)
    guard let pinned = try pins.key else { return ring }
    guard let primary = ring[pinned] else {
      // That a key is missing is to be told even where storage cannot be reached.
      try? await restoreKeyFile(of: pinned)
      throw SyncError(
        .keyMissing, "The document is encrypted with a key that is not at hand.",
        recovery: "Give the keys or the password that it was joined with.")
    }
    // What replaced the key that the document was joined with seals from then on. Of several it is the one that was given, as for names: whoever
    // lacks the key then sees so from the names.
    let newest = ring.newest
    guard newest.generation > primary.generation else { return ring.replacingPrimary(with: primary) }
    return given.primary.generation == newest.generation ? ring : ring.replacingPrimary(with: newest)
  }

  /// How the files of a registered document are protected.
  func protection() async throws -> DocumentProtection {
    guard let own = try pins.integrityKey else { throw notRegistered() }
    return try DocumentProtection(
      keys: try await ring(), hierarchy: hierarchy, own: own, others: try pins.united,
      deleted: try pins.latestDeletedFoundings, secrets: configuration.secrets)
  }

  func heads(_ protection: DocumentProtection) -> HeadTransfer {
    HeadTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
  }

  func notRegistered() -> SyncError {
    SyncError(
      .notRegistered, "The document “\(hierarchy.document)” was not registered from this store.",
      recovery: "Register the document first.")
  }

  /// How the document's foundings are looked at.
  func founding(_ keys: KeyRing?) throws -> DocumentFounding {
    try DocumentFounding(
      backend: backend, hierarchy: hierarchy, configuration: configuration, keys: keys,
      members: Set(
        try pins.united + [pins.integrityKey].compactMap { $0 } + pins.begunFoundings.map(\.founding)),
      // Without encryption anybody can have written it.
      deleted: keys == nil ? [] : try pins.deletedFoundings)
  }

  /// Where the document stands. Makes no request.
  ///
  /// - Throws: ``SyncError`` with `storeBusy` or `store`.
  public func status() throws(SyncError) -> DocumentStatus {
    do {
      let status = try replica.status()
      var names = try pins.deviceNames()
      names[status.author] = configuration.clientDescription
      var clients = [status.author: configuration.client.description]
      // Of an author whose sets were all said again by others nothing tells which client it was.
      for applied in status.applied where !applied.client.isEmpty { clients[applied.author] = applied.client }
      let heads = try pins.heads
      let known = DocumentStatus.Known(
        clients: clients, names: names, removed: try pins.removedAuthors,
        superseded: try pins.supersededAuthors().mapValues(\.sequence))
      return DocumentStatus(
        isRegistered: try pins.document != nil, isEncrypted: try pins.isEncrypted,
        isDeleted: try pins.deletion != nil, isRemoved: known.removed.contains(status.author),
        replica: status,
        devices: DocumentStatus.devices(heads, own: status.author, known, try reckoning(heads)),
        blocked: try pins.awaitedAuthors(), givenUp: try pins.givenUpSets(),
        missingKeys: try pins.closerLook.missingKeys,
        separations: try pins.closerLook.separations(isEncrypted: pins.isEncrypted ?? false)
          + pins.ignoredHeads,
        names: names,
        awaited: try pins.awaitedChanges(at: configuration.now()),
        obstructions: try pins.obstructions(), asking: try pins.askingDevices(), lastSync: try pins.lastSync,
        failure: try pins.failure)
    } catch {
      throw SyncError(wrapping: error)
    }
  }

  /// Yields when another device may have pushed something, so that it is worth synchronising; `nil` if the storage does not tell
  /// (``BackendCapabilities/watch``). Makes no request.
  ///
  /// What this device pushes is told too. The stream ends when the document can no longer be watched; ask again once a
  /// synchronisation has succeeded.
  public nonisolated func remoteChanges() -> AsyncStream<Void>? {
    guard application.storage.capabilities.contains(.watch) else { return nil }
    return application.storage.changes(below: hierarchy.recentSyncs)
  }

  /// Runs one operation after the other.
  func exclusively<Result>(_ operation: () async throws -> Result) async throws(SyncError) -> Result {
    while isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    defer {
      isBusy = false
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    do {
      try Task.checkCancellation()
      backend.renewPatience()
      return try await operation()
    } catch {
      throw SyncError(wrapping: error)
    }
  }
}
