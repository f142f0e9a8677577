import ChangeTracking
import Crypto
import Foundation
import ObjectStore
import TICDSOpenSSL
import Simulation
import SyncProtocol

/// One device: a store in a file, and the programs that are started on it and killed.
final class SimulatedDevice {
  let name: String
  let storage: SimulatedStorage
  let clock: SimulatedClock
  private let path: String
  private let random: SharedRandom
  /// Whether the program makes sets by itself when it starts. Drawn apart, as identities are.
  private var ownSets: SeededRandomSource
  private var storeOptions = PersistentStore.Options()
  /// When the device uploads whole stores by itself.
  private let wholeStores: WholeStorePolicy?
  /// What the device's owner has been told; `nil` without encryption.
  let password: String?
  private var keys: KeyRing?
  private(set) var isRegistered = false
  /// Who decides conflicts, whatever the clocks say; `nil` if nobody is asked.
  var user: SimulatedUser?
  /// Whether it was removed from the document, and its owner leaves it at that.
  var staysAway = false
  /// Whether it never synchronises again, without a word.
  var isGone = false
  private var session: Session?
  /// What the present program has read of the document when it began with a whole store.
  private var begun: BegunStore?

  private struct Session {
    var context: ManagedObjectContext
    var manager: DocumentSyncManager
    var application: ApplicationSyncManager
  }

  init(
    name: String, folder: String, storage: SimulatedStorage, clock: SimulatedClock, seed: UInt64,
    password: String?, wholeStores: WholeStorePolicy?
  ) {
    self.wholeStores = wholeStores
    self.name = name
    self.storage = storage
    self.clock = clock
    self.password = password
    path = "\(folder)/\(name).sqlite"
    random = SharedRandom(seed: seed)
    ownSets = SeededRandomSource(seed: seed &+ 1)
    // Drawn apart, so that a run draws the same whether or not a store is made.
    var identity = SeededRandomSource(seed: ~seed)
    let (high, low) = (identity.next(), identity.next())
    // Both have 16 bytes and nothing but numbers in them.
    storeOptions.uuid = UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
  }

  private func open() throws -> Session {
    if let session { return session }
    let store = try PersistentStore(
      model: ManagedObjectModel(SimulatedNote.self), path: path, options: storeOptions)
    let replica = try store.newReplica(replicaConfiguration)
    // As an application may that knows nothing of the document yet.
    if ownSets.oneIn(4) { try replica.freeze() }
    let application = ApplicationSyncManager(backend: storage, configuration: try configuration())
    let session = Session(
      context: try store.newContext(),
      manager: try DocumentSyncManager(application: application, document: document, replica: replica),
      application: application)
    self.session = session
    return session
  }

  private var replicaConfiguration: Replica.Configuration {
    let (clock, random) = (clock, random)
    return Replica.Configuration(
      client: name, now: { clock.milliseconds }, random: { random.next() }, setLimit: 20)
  }

  private let document = "notes"

  private func configuration() throws -> ApplicationConfiguration {
    let (clock, random) = (clock, random)
    var configuration = try ApplicationConfiguration(
      application: "com.example.notes", client: name, clientDescription: "The \(name)")
    configuration.passwordCost = Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1)
    configuration.pause = { _ in try Task.checkCancellation() }
    configuration.random = { SeededRandomSource(seed: random.next()) }
    configuration.secrets = SeededSecrets(random: random)
    configuration.now = { clock.milliseconds }
    return configuration
  }

  /// Ends the program, as a crash does: what is in memory is gone.
  func kill() { (session, begun) = (nil, nil) }

  // MARK: The user

  /// What the store shows: texts by name.
  func notes() throws -> [String: String] {
    let context = try open().context
    context.mergePendingChanges()
    let notes = try context.fetch(FetchRequest<SimulatedNote>())
    return Dictionary(notes.map { ($0.name, Self.shown($0.text)) }) { first, second in
      "\(first) and \(second)"
    }
  }

  /// Notes whose texts have not arrived, by name.
  func awaitedNotes() async throws -> Set<String> {
    let session = try open()
    let objects = Set(try await session.manager.status().awaited.map(\.change.object.string))
    guard !objects.isEmpty else { return [] }
    session.context.mergePendingChanges()
    return Set(
      try session.context.fetch(FetchRequest<SimulatedNote>())
        .filter { $0.ticdsSyncID.map(objects.contains) ?? false }.map(\.name))
  }

  /// What makes a text too long for a set.
  private static let padding = "\n" + String(repeating: "…", count: 6_000)

  private static func shown(_ text: String) -> String {
    // By bytes: the padding is long, and texts are compared after each step.
    guard text.utf8.count >= padding.utf8.count else { return text }
    let own = text.utf8.dropLast(padding.utf8.count)
    return text.utf8[own.endIndex...].elementsEqual(padding.utf8)
      ? String(decoding: own, as: UTF8.self) : text
  }

  func author() async throws -> AuthorID { try await open().manager.status().replica.author }

  /// Of each other author, the last set merged.
  func merged() async throws -> VersionVector {
    try await open().manager.status().replica.applied.reduce(into: VersionVector()) {
      $0[$1.author] = $1.sequence
    }
  }

  /// Who writes, and the last set merged of each other author.
  func standing() async throws -> String {
    let status = try await open().manager.status().replica
    let others = status.applied.map { "\($0.author) \($0.sequence)" }.sorted()
    return "\(status.author), after \(others.joined(separator: ", "))"
  }

  /// The foundings of the document whose files this device reads.
  func foundings() async throws -> [IntegrityKey] {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.remoteDocument().foundings
  }

  /// - Returns: what identifies the note on all devices.
  func write(_ name: String, _ text: String, isLong: Bool = false) throws -> String? {
    let text = isLong ? text + Self.padding : text
    let context = try open().context
    context.mergePendingChanges()
    let found = try note(name, context)
    let note = try found ?? context.insert(SimulatedNote.self)
    if found == nil { note.name = name }
    note.text = text
    try context.save()
    return note.ticdsSyncID
  }

  /// - Returns: what identifies the note on all devices.
  func delete(_ name: String) throws -> String? {
    let context = try open().context
    context.mergePendingChanges()
    guard let note = try note(name, context) else { return nil }
    let identifier = note.ticdsSyncID
    context.delete(note)
    try context.save()
    return identifier
  }

  private func note(_ name: String, _ context: ManagedObjectContext) throws -> SimulatedNote? {
    try context.fetch(FetchRequest<SimulatedNote>().where(\.name == name)).first
  }

  // MARK: Synchronising

  /// - Parameter other: a password that the owner learned of beside the own one.
  /// - Parameters:
  ///   - other: the password that is given, if not its own.
  ///   - keepsKeys: whether the keys at hand are given along with it.
  func register(other: String? = nil, keepsKeys: Bool = true) async throws {
    let session = try open()
    let choice: EncryptionChoice =
      if let password = other ?? password {
        if keepsKeys, let keys, let other { .keysAndPassword(keys, other) } else { .password(password) }
      } else {
        .none
      }
    let registration = try await session.application.register(choice)
    let former = keys
    keys = registration.keys
    do {
      _ = try await session.manager.register(after: begun)
    } catch {
      // The password does not lead to the key of the document any more, which the application has kept.
      if error.code == .keyMissing { keys = former ?? keys }
      throw error
    }
    isRegistered = true
  }

  func synchronize() async throws -> SyncReport {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.synchronize(options)
  }

  private var options: SyncOptions {
    var options = SyncOptions()
    options.wholeStores = wholeStores
    if let user { options.conflicts = .ask { user.answers(to: $0) } }
    return options
  }

  /// What the notes show about which the user was asked since this was called, by what identifies them.
  func decidedNotes() throws -> [String: (name: String, text: String)] {
    let objects = user?.takeAsked() ?? []
    guard !objects.isEmpty else { return [:] }
    let context = try open().context
    context.mergePendingChanges()
    let notes = try context.fetch(FetchRequest<SimulatedNote>())
    return Dictionary(
      notes.compactMap { note in
        note.ticdsSyncID.map { ($0, (note.name, Self.shown(note.text))) }
      }
    ) { first, _ in first }.filter { objects.contains($0.key) }
  }

  func refill() async throws -> SyncReport {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.refill()
  }

  // MARK: Passwords

  /// The names of the keys that its owner holds.
  var heldKeys: Set<KeyIdentifier> { keys.map { Set($0.identifiers) } ?? [] }

  /// The key files that this device sees on its storage.
  var keyFiles: Set<KeyFileName> {
    Set(storage.files.files.keys.compactMap { $0.name.flatMap { KeyFileName($0) } })
  }

  /// Does something with the passwords of the remote, and has the document keep copies of what came of it.
  ///
  /// - Returns: the keys of which it wrote files.
  @discardableResult
  func changePasswords(_ change: PasswordChange) async throws -> Set<KeyIdentifier> {
    let session = try open()
    await session.application.resume(keys: keys)
    let former = keyFiles
    switch change {
    case .add(let password): try await session.application.addPassword(password)
    case .change(let old, let new): try await session.application.changePassword(from: old, to: new)
    case .remove(let password): try await session.application.removePassword(password)
    case .replaceKeys(let password): keys = try await session.application.replaceKeys(password: password)
    }
    let written = keyFiles.subtracting(former)
    try await session.manager.keepPasswordFiles()
    return Set(written.map(\.key))
  }

  /// Tries a password as somebody does who has nothing else.
  func opens(_ password: String) async throws -> Bool { try await generation(opening: password) != nil }

  /// The generation of the newest key that somebody gets with a password who has nothing else; `nil` if it opens nothing.
  func generation(opening password: String) async throws -> Int? {
    let application = ApplicationSyncManager(backend: storage, configuration: try configuration())
    let opened: KeyRing?
    do {
      opened = try await application.register(.password(password), mayCreate: false).keys
    } catch let error where [.wrongPassword, .keysNotDelivered].contains(error.code) {
      return nil
    }
    return opened?.newest.generation
  }

  // MARK: Members

  func members() async throws -> [DocumentDevice] {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.devices()
  }

  /// Whether there are sets that it waits for no more.
  func hasGivenUp() async throws -> Bool { try await !open().manager.status().givenUp.isEmpty }

  /// Whether it tells of authors whose heads are missing.
  func missesHeads() async throws -> Bool { try await !open().manager.authorsMissingHeads().isEmpty }

  func remove(_ author: AuthorID) async throws {
    let session = try open()
    await session.application.resume(keys: keys)
    try await session.manager.removeDevice(author)
  }

  func rejoin() async throws -> SyncReport {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.rejoin(options)
  }

  /// Deletes the document, for everybody.
  func deleteDocument() async throws {
    let session = try open()
    await session.application.resume(keys: keys)
    try await session.manager.delete()
  }

  // MARK: Whole stores

  func uploadStore() async throws -> WholeStoreUpload {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.uploadStore()
  }

  // MARK: Vacuum

  /// - Parameters:
  ///   - grace: for how long it must have been announced, in milliseconds.
  ///   - absence: for how long devices that stay away hold back what they lack, in milliseconds; `nil` as usual.
  func vacuum(grace: UInt64, absence: UInt64?) async throws -> VacuumReport {
    let session = try open()
    await session.application.resume(keys: keys)
    return try await session.manager.vacuum(VacuumPolicy(grace: grace, absence: absence), options)
  }

  /// Removes the store, as an owner does who joins anew.
  func startOver() throws {
    kill()
    for suffix in Self.suffixes where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    isRegistered = false
  }

  /// Whether the device has no store.
  var isBlank: Bool { session == nil && !FileManager.default.fileExists(atPath: path) }

  /// Begins with a whole store of the remote, if there is one that can be used.
  ///
  /// - Parameter other: the password that is given, if not its own.
  func begin(other: String? = nil) async throws -> BegunStore {
    let application = ApplicationSyncManager(backend: storage, configuration: try configuration())
    let choice = (other ?? password).map { EncryptionChoice.password($0) } ?? .none
    keys = try await application.register(choice, mayCreate: false).keys
    let begun = try await application.document(document).beginStore(at: path) { path in
      let store = try PersistentStore(model: ManagedObjectModel(SimulatedNote.self), path: path)
      try store.requireTablesOfModel()
      return try store.newReplica(replicaConfiguration)
    }
    self.begun = begun
    return begun
  }

  // MARK: Copies of the store

  /// What a backup holds.
  struct Backup {
    fileprivate var files: [String: Data]
    fileprivate var isRegistered: Bool
    fileprivate var keys: KeyRing?
  }

  private static let suffixes = ["", "-wal", "-shm"]

  func backUp() throws -> Backup {
    _ = try open()
    kill()
    var files: [String: Data] = [:]
    for suffix in Self.suffixes { files[suffix] = try? Data(contentsOf: URL(fileURLWithPath: path + suffix)) }
    return Backup(files: files, isRegistered: isRegistered, keys: keys)
  }

  func restore(_ backup: Backup) throws {
    kill()
    for suffix in Self.suffixes {
      try? FileManager.default.removeItem(atPath: path + suffix)
      try backup.files[suffix]?.write(to: URL(fileURLWithPath: path + suffix))
    }
    isRegistered = backup.isRegistered
    keys = backup.keys ?? keys
  }
}
