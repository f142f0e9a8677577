import Crypto

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
  /// The storage, without any counting.
  public nonisolated let backend: any SyncBackend
  /// What was learned when registering; `nil` before.
  public private(set) var registration: ApplicationRegistration?

  private static let readMe = """
    These files let an application keep its documents in step on several devices.
    Please do not move, rename, change or remove anything here.

    """

  /// Prepares to register; makes no request.
  public init(backend: any SyncBackend, configuration: ApplicationConfiguration) {
    self.backend = backend
    self.configuration = configuration
    hierarchy = ApplicationHierarchy(application: configuration.application)
  }

  /// Creates the application's part of the remote or joins it. What a client that was interrupted left incomplete is
  /// completed.
  ///
  /// - Parameters:
  ///   - encryption: what this client expects of the remote.
  ///   - mayCreate: whether an absent remote is created.
  /// - Throws: ``SyncError`` with `applicationNotFound`, `passwordRequired`, `wrongPassword`, `notEncrypted`,
  ///   `keyMissing`, `encryptionChanged`, `storage` or `cancelled`. The remote is then as it was, or will be completed by
  ///   the next attempt.
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
    let present = try await backend.listIfPresent(hierarchy.root)
    let isComplete = present?.entries.contains { $0.name == hierarchy.readMe.name } ?? false
    guard isComplete || mayCreate else {
      throw SyncError(
        .applicationNotFound, "The remote holds nothing of “\(configuration.application)” yet.",
        recovery: "Check the location of the remote, or create it from this device.")
    }
    let setup = EncryptionSetup(backend: backend, hierarchy: hierarchy, configuration: configuration)
    let keys = try await setup.keys(for: encryption, isComplete: isComplete)
    if !isComplete {
      for folder in hierarchy.folders { try await backend.makeDirectory(folder) }
    }
    try await introduceClient(keys)
    if !isComplete {
      // Tells everybody that the state of encryption is final, so it comes last.
      _ = try await backend.createUnlessPresent(Array(Self.readMe.utf8), at: hierarchy.readMe)
      // Another client may have turned encryption on meanwhile; nothing of the user's was written in the clear yet.
      if keys == nil { _ = try await setup.keys(for: .none, isComplete: true) }
    }
    return ApplicationRegistration(isNew: present == nil, keys: keys)
  }

  private func introduceClient(_ keys: KeyRing?) async throws {
    let path = hierarchy.deviceInformation(of: configuration.client)
    if try await backend.exists(path) { return }
    let information = DeviceInformation(
      identifier: configuration.client.description, description: configuration.clientDescription,
      userInformation: configuration.userInformation)
    let bytes = try FileProtection(keys: keys).seal(
      information.bytes, as: .deviceInformation,
      hierarchy.identity(ofClient: configuration.client.description))
    try await backend.makeDirectory(hierarchy.clientDevices / configuration.client)
    _ = try await backend.createUnlessPresent(bytes, at: path)
  }
}
