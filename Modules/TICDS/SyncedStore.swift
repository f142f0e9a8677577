import Crypto

/// A store that is kept in step with a remote: the usual thing in a few lines.
///
/// ```swift
/// let notes = try SyncedStore(
///   model: ManagedObjectModel(Note.self), at: path, application: "com.example.notes",
///   through: FileManagerBackend(folder: folder), device: "Anna's laptop", encryption: .password(password))
/// let context = try notes.store.newContext()
/// try context.insert(Note.self).title = "Buy milk"
/// try context.save()
/// try await notes.synchronize()
/// ```
///
/// It records what all contexts of ``store`` save, registers application and document when it synchronises for the first time, and
/// tries again what fails for a reason that passes. Whatever else can be done with the document is done through ``document``.
///
/// An actor: its methods may be called from anywhere. Each may be cancelled, fail or be killed at any instant, and the next call
/// continues.
public actor SyncedStore {
  /// The objects.
  public nonisolated let store: PersistentStore
  /// The application's part of the remote.
  public nonisolated let application: ApplicationSyncManager
  /// The document that the store is in step with.
  public nonisolated let document: DocumentSyncManager

  private let encryption: EncryptionChoice
  private let keys: (any KeyStorage)?
  private let joining: JoiningChoice
  private var isReady = false
  private var hasTriedPassword = false
  var saves: Task<Void, Never>?

  /// Connects a store with a remote; makes no request.
  ///
  /// - Parameters:
  ///   - store: has entities with an attribute `ticdsSyncID`, which are synchronised.
  ///   - application: the application's global identifier, for example `com.example.notes`. Names a folder on the remote.
  ///   - document: the document's identifier; one store is in step with one document.
  ///   - backend: the storage.
  ///   - device: what a person calls this device. The identifier that devices are told apart by is kept in the store.
  ///   - encryption: a password (or keys) for everything that leaves the device, or `.none`.
  ///   - keys: keeps the unlocked keys, so that the password is only needed until the first synchronisation has succeeded: later runs
  ///     may give any, and make no request for it. Without it, each run unlocks the keys with the password, which takes no request
  ///     either: the store keeps a copy of the key file.
  ///   - joining: what becomes of what the store holds already, when it joins a document that others have filled.
  /// - Throws: ``SyncError`` with `invalidIdentifier`, or what opening the replica throws.
  public init(
    _ store: PersistentStore, application: String, document: String = "document",
    through backend: any SyncBackend, device: String, encryption: EncryptionChoice,
    keys: (any KeyStorage)? = nil, joining: JoiningChoice = .merge
  ) throws {
    let replica = try store.newReplica(Replica.Configuration())
    self.store = store
    self.encryption = encryption
    self.keys = keys
    self.joining = joining
    var configuration = try ApplicationConfiguration(
      application: application, client: replica.client, clientDescription: device)
    if store.path != PersistentStore.memoryPath { configuration.triedKeyFiles = store.path + ".tried" }
    self.application = ApplicationSyncManager(backend: backend, configuration: configuration)
    self.document = try DocumentSyncManager(
      application: self.application, document: document, replica: replica)
  }

  /// Opens a store, or makes it, and connects it with a remote; makes no request.
  ///
  /// - Parameters:
  ///   - model: has entities with an attribute `ticdsSyncID`, which are synchronised.
  ///   - path: where the store's file lies: not in the folder that is synchronised.
  ///   - application: the application's global identifier.
  ///   - document: the document's identifier.
  ///   - backend: the storage.
  ///   - device: what a person calls this device.
  ///   - encryption: a password (or keys) for everything that leaves the device, or `.none`.
  ///   - keys: keeps the unlocked keys.
  ///   - joining: what becomes of what the store holds already, when it joins a document that others have filled.
  /// - Throws: `StoreError`; ``SyncError`` with `invalidIdentifier`, or what opening the replica throws.
  public init(
    model: ManagedObjectModel, at path: String, application: String, document: String = "document",
    through backend: any SyncBackend, device: String, encryption: EncryptionChoice,
    keys: (any KeyStorage)? = nil, joining: JoiningChoice = .merge
  ) throws {
    try self.init(
      PersistentStore(model: model, path: path), application: application, document: document,
      through: backend, device: device, encryption: encryption, keys: keys, joining: joining)
  }

  deinit { saves?.cancel() }

  /// Fetches what is new, merges it, and uploads what was saved here. Registers first, where that was not done.
  ///
  /// - Throws: ``SyncError`` with the codes of registration and synchronisation. Store and remote are in agreement with what was done
  ///   so far.
  @discardableResult
  public func synchronize(_ options: SyncOptions = SyncOptions()) async throws(SyncError) -> SyncReport {
    if !isReady {
      try await register()
      isReady = true
    }
    let report = try await document.synchronize(options)
    guard report.isKeyMissing, try await takeUpKeys() else { return report }
    return try await document.synchronize(options)
  }

  /// Tries the password on a key that is missing, once: where keys are kept nothing has asked for it.
  ///
  /// - Returns: whether another key is at hand now.
  private func takeUpKeys() async throws(SyncError) -> Bool {
    guard !hasTriedPassword, let kept = try keptKeys() else { return false }
    hasTriedPassword = true
    do throws(SyncError) {
      guard let ring = try await document.resume(choice(kept)), ring.all.count > kept.all.count else {
        return false
      }
      try keys?.save(ring)
      return true
    } catch {
      // That the password is another one, or cannot be tried now, the report's finding tells.
      guard error.code == .cancelled else { return false }
      throw error
    }
  }

  private func register() async throws(SyncError) {
    let kept = try keptKeys()
    // Who is a member never creates anything: if nothing is left of the remote, that is for a person to decide about.
    if try await document.status().isRegistered {
      let ring = try await document.resume(kept.map { .keys($0) } ?? encryption)
      if kept == nil, let ring { try keys?.save(ring) }
      return
    }
    let registration = try await application.register(choice(kept))
    if let ring = registration.keys { try keys?.save(ring) }
    try await document.register(joining: joining)
  }

  /// The keys that were kept. Damaged ones are as good as none where there is a password to get them with.
  private func keptKeys() throws(SyncError) -> KeyRing? {
    do throws(SyncError) {
      return try keys?.load()
    } catch {
      guard error.code == .keysDamaged, case .password = encryption else { throw error }
      return nil
    }
  }

  /// Keys that were kept go on being used, and what the password opens comes to them.
  private func choice(_ kept: KeyRing?) -> EncryptionChoice {
    guard let kept else { return encryption }
    return switch encryption {
    case .none, .keys: .keys(kept)
    case .password(let password), .keysAndPassword(_, let password): .keysAndPassword(kept, password)
    }
  }
}
