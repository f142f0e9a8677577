import Crypto
import Locking

/// Registers a client of an application with a remote: the first step before any document is synchronised.
///
/// ```swift
/// let application = ApplicationSyncManager(backend: backend, configuration: configuration)
/// let registration = try await application.register(.password(password))
/// ```
///
/// An actor; its methods may be called from anywhere, and each is safe to repeat after any failure.
public actor ApplicationSyncManager {
  /// Who synchronises.
  public nonisolated let configuration: ApplicationConfiguration
  /// Where everything lies.
  public nonisolated let hierarchy: ApplicationHierarchy
  /// The storage as it was given, without retries.
  public nonisolated let storage: any SyncBackend
  /// The storage, with retries.
  nonisolated let backend: any SyncBackend
  /// What was learned when registering; `nil` before.
  public private(set) var registration: ApplicationRegistration?
  /// What was made of passwords and keys, until a document keeps it.
  var written = WrittenKeyFiles()
  /// The documents that this device synchronises. They remember what was withdrawn, whatever storage shows.
  nonisolated let documents = Locked<[DocumentReference]>([])

  /// A document, as long as somebody uses it.
  struct DocumentReference: Sendable {
    weak var manager: DocumentSyncManager?
  }

  /// Prepares to register; makes no request.
  public init(backend: any SyncBackend, configuration: ApplicationConfiguration) {
    storage = backend
    self.backend = configuration.retrying(backend)
    self.configuration = configuration
    hierarchy = ApplicationHierarchy(application: configuration.application)
  }

  nonisolated func add(_ document: DocumentSyncManager) {
    documents.withLock { documents in
      documents.removeAll { $0.manager == nil }
      documents.append(DocumentReference(manager: document))
    }
  }

  /// Creates the application's part of the remote or joins it. What a client that was interrupted left incomplete is
  /// completed.
  ///
  /// - Parameters:
  ///   - encryption: what this client expects of the remote.
  ///   - mayCreate: whether an absent remote is created.
  /// - Throws: ``SyncError`` with `applicationNotFound`, `notDelivered`, `passwordRequired`, `wrongPassword`, `weakPassword`,
  ///   `notEncrypted`, `keyMissing`, `keysNotDelivered`, `encryptionChanged`, `unsupportedFormat`, `storage` or `cancelled`.
  ///   The remote is then as it was, or will be completed by the next attempt.
  @discardableResult
  public func register(
    _ encryption: EncryptionChoice, mayCreate: Bool = true
  ) async throws(SyncError) -> ApplicationRegistration {
    do {
      let registration = try await join(encryption, mayCreate: mayCreate)
      self.registration = registration
      return registration
    } catch {
      throw SyncError(wrapping: error)
    }
  }

  /// Goes on from an earlier registration, without a request.
  ///
  /// - Parameter keys: what ``register(_:mayCreate:)`` gave. A document that was joined with encryption refuses to go on
  ///   without.
  public func resume(keys: KeyRing?) {
    registration = ApplicationRegistration(isNew: false, keys: keys)
  }

  private func join(_ encryption: EncryptionChoice, mayCreate: Bool) async throws -> ApplicationRegistration {
    let founding = ApplicationFounding(backend: backend, hierarchy: hierarchy, configuration: configuration)
    var registration = try await founding.register(encryption, mayCreate: mayCreate)
    try await introduceClient(&registration)
    return registration
  }

  private func introduceClient(_ registration: inout ApplicationRegistration) async throws {
    do {
      try await describeClient(&registration)
    } catch let error as BackendError where error.isAboutOneFile && error.code != .notFound {
      // Something lies in its place. It is for people only, so nothing depends on it.
    }
  }

  private func describeClient(_ registration: inout ApplicationRegistration) async throws {
    let path = hierarchy.deviceInformation(of: configuration.client)
    let information = DeviceInformation(
      identifier: configuration.client.description, description: configuration.clientDescription,
      userInformation: configuration.userInformation)
    let bytes = try fileProtection(with: registration.keys, secrets: configuration.secrets).seal(
      information.bytes, as: hierarchy.deviceContext(of: configuration.client.description))
    try await backend.makeFolder(hierarchy.clientDevices / configuration.client)
    // Whoever registers again has described itself before: that costs no more than to look first.
    if try await backend.createUnlessPresent(bytes, at: path) { registration.files?.contents[path] = bytes }
  }
}
