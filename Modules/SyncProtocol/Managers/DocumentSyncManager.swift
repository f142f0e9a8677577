import ChangeTracking

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
  let backend: CountingBackend
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
    backend = CountingBackend(application.backend)
  }

  nonisolated var configuration: ApplicationConfiguration { application.configuration }
  var pins: RegistrationPins { RegistrationPins(replica: replica) }

  /// How the document's files are protected.
  func protection() async throws -> FileProtection {
    guard let registration = await application.registration else {
      throw SyncError(
        .notRegistered, "The application was not registered with the remote.",
        recovery: "Register or resume the application first.")
    }
    let protection = FileProtection(keys: registration.keys)
    if let isEncrypted = try pins.isEncrypted, isEncrypted != registration.isEncrypted {
      throw isEncrypted
        ? SyncError(
          .keyMissing, "The document is encrypted, and no key is at hand.",
          recovery: "Give the keys or the password; nothing is written unencrypted.")
        : SyncError(
          .encryptionChanged, "The document was joined without encryption, and a key was given.",
          recovery: "Go on without a key, or join another document.")
    }
    return protection
  }

  /// Where the document stands. Makes no request.
  ///
  /// - Throws: ``SyncError`` with `storeBusy` or `store`.
  public func status() throws(SyncError) -> DocumentStatus {
    do {
      let status = try replica.status()
      var clients = [status.author: configuration.client.description]
      for applied in status.applied { clients[applied.author] = applied.client }
      return DocumentStatus(
        isRegistered: try pins.document != nil, isEncrypted: try pins.isEncrypted, replica: status,
        devices: DocumentStatus.devices(try pins.heads, own: status.author, clients: clients),
        lastSync: try pins.lastSync)
    } catch {
      throw SyncError(wrapping: error)
    }
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
      return try await operation()
    } catch {
      throw SyncError(wrapping: error)
    }
  }
}
