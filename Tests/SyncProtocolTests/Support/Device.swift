import ByteFixtures
import Crypto
import Foundation
import ObjectStore
import TICDSOpenSSL
import TICDSSQLite
import Synchronization
import TemporaryFolders
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// One device of a person: a store in a file, opened anew for every operation as a program that is started anew does.
final class Device: Sendable {
  let client: String
  let path: String
  let document: String
  /// Tests of single failures see each of them.
  private let retries: RetryPolicy
  /// How much of what it has pushed it keeps.
  private let keptBytes: Int64
  private let workplace: Workplace
  private var clock: TestClock { workplace.clock }
  private let keys = Mutex<KeyRing?>(nil)
  /// What its writes depend on, if something does.
  private let power = Mutex<PowerSupply?>(nil)
  /// What a person calls it, once it was renamed.
  private let name = Mutex<String?>(nil)

  init(
    _ client: String, in folder: Workplace, document: String = "notes", retries: RetryPolicy = .never,
    keptBytes: Int64 = 32 << 20
  ) {
    self.keptBytes = keptBytes
    self.client = client
    self.retries = retries
    self.document = document
    path = folder.file("\(client).sqlite")
    workplace = folder
  }

  var configuration: ApplicationConfiguration {
    get throws {
      var configuration = try ApplicationConfiguration(
        application: "com.example.notes", client: client,
        clientDescription: name.withLock { $0 } ?? "Device \(client)")
      configuration.passwordCost = Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1)
      configuration.passwordMinimum = 1
      let workplace = workplace
      configuration.retries = retries
      configuration.pause = { _ in try Task.checkCancellation() }
      configuration.now = { workplace.clock.milliseconds }
      configuration.random = { SeededGenerator(seed: workplace.random()) }
      return configuration
    }
  }

  func setPower(_ supply: PowerSupply?) { power.withLock { $0 = supply } }

  func replica(_ store: NoteStore? = nil) throws -> Replica {
    let workplace = workplace
    let store = try store ?? NoteStore(path: path)
    power.withLock { $0 }?.feed(store.connection)
    return try Replica(
      store: store,
      configuration: Replica.Configuration(
        client: client, now: { workplace.clock.milliseconds },
        random: { workplace.random() }, setLimit: 3, keptBytes: keptBytes))
  }

  func manager(_ backend: any SyncBackend) async throws -> DocumentSyncManager {
    try DocumentSyncManager(
      application: await application(backend), document: document, replica: try replica())
  }

  /// The application, registered before, as this device uses it.
  func application(_ backend: any SyncBackend) async throws -> ApplicationSyncManager {
    let application = ApplicationSyncManager(backend: backend, configuration: try configuration)
    await application.resume(keys: ring)
    return application
  }

  @discardableResult
  func deleteDocument(_ backend: any SyncBackend) async throws -> RemoteDocument.Remainder {
    try await manager(backend).delete()
  }

  /// The document as it lies on the remote, as this device knows it.
  func remoteDocument(_ backend: any SyncBackend) async throws -> RemoteDocument {
    try await manager(backend).remoteDocument()
  }

  func rename(_ text: String) { name.withLock { $0 = text } }

  func devices(_ backend: any SyncBackend) async throws -> [DocumentDevice] {
    try await manager(backend).devices()
  }

  @discardableResult
  func remove(_ other: Device, _ backend: any SyncBackend) async throws -> [RemoteDocument.Device] {
    try await manager(backend).removeDevice(try other.author)
  }

  // MARK: Synchronising

  @discardableResult
  func register(
    _ backend: any SyncBackend, _ encryption: EncryptionChoice = .none, mayCreate: Bool = true,
    joining: JoiningChoice = .merge
  ) async throws -> DocumentRegistration {
    let application = ApplicationSyncManager(backend: backend, configuration: try configuration)
    let registration = try await application.register(encryption, mayCreate: mayCreate)
    keys.withLock { $0 = registration.keys }
    let manager = try DocumentSyncManager(
      application: application, document: document, replica: try replica())
    return try await manager.register(mayCreate: mayCreate, joining: joining)
  }

  /// Joins as a device without a store does: begins with a whole store if there is one that can be used, then registers.
  ///
  /// - Parameter meanwhile: what happens between the two; returns what the device is registered with then.
  @discardableResult
  func begin(
    _ backend: any SyncBackend, _ encryption: EncryptionChoice = .none,
    meanwhile: (() async throws -> EncryptionChoice)? = nil
  ) async throws -> BegunStore {
    let (application, begun) = try await beginStore(backend, encryption)
    if let other = try await meanwhile?() {
      let registration = try await application.register(other, mayCreate: false)
      keys.withLock { $0 = registration.keys }
    }
    let manager = try DocumentSyncManager(
      application: application, document: document, replica: try replica())
    try await manager.register(mayCreate: false, after: begun)
    return begun
  }

  /// Begins with a whole store if there is one that can be used, and does not come to register.
  @discardableResult
  func beginStore(
    _ backend: any SyncBackend, _ encryption: EncryptionChoice = .none
  ) async throws -> (application: ApplicationSyncManager, begun: BegunStore) {
    let application = ApplicationSyncManager(backend: backend, configuration: try configuration)
    let registration = try await application.register(encryption, mayCreate: false)
    keys.withLock { $0 = registration.keys }
    let begun = try await application.document(document).beginStore(at: path) { path in
      try replica(NoteStore(path: path))
    }
    return (application, begun)
  }

  @discardableResult
  func uploadStore(
    _ backend: any SyncBackend, progress: WholeStoreProgress.Handler? = nil
  ) async throws -> WholeStoreUpload {
    try await manager(backend).uploadStore(progress: progress)
  }

  @discardableResult
  func vacuum(
    _ backend: any SyncBackend, grace: UInt64? = nil, dryRun: Bool = false
  ) async throws -> VacuumReport {
    try await manager(backend).vacuum(VacuumPolicy(grace: grace), dryRun: dryRun)
  }

  /// Remembers something of the remote.
  func remember(_ kind: String, _ key: String) throws {
    try replica().changeRemoteNotes { try $0.set(kind, .init(key: key)) }
  }

  @discardableResult
  func sync(_ backend: any SyncBackend, _ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
    try await manager(backend).synchronize(options)
  }

  @discardableResult
  func rejoin(_ backend: any SyncBackend) async throws -> SyncReport {
    try await manager(backend).rejoin()
  }

  @discardableResult
  func undo(_ inverses: [MergeInverse], _ backend: any SyncBackend) async throws -> UndoReport {
    try await manager(backend).undo(inverses)
  }

  /// The name of a head as this device would publish it.
  func headName(sequence: UInt64, seen: UInt64 = 0, hash: ContentHash) async throws -> HeadName {
    try await manager(ClosedBackend()).protection()
      .head(author: try author, sequence: sequence, seen: seen, hash: hash)
  }

  /// How this device makes and checks names.
  func protection() async throws -> DocumentProtection { try await manager(ClosedBackend()).protection() }

  @discardableResult
  func refill(_ backend: any SyncBackend) async throws -> SyncReport { try await manager(backend).refill() }

  /// The sizes of the own sets that the device keeps, in order.
  func keptSets() throws -> [Int64] {
    let replica = try replica()
    return try replica.sentSets(of: try replica.author).map(\.size)
  }

  /// Notes a synchronisation that has found something.
  func note(_ findings: [SyncFinding]) throws {
    try RegistrationPins(replica: replica()).synchronized(
      at: 0, heads: HeadListing(RemoteListing()), findings: findings, asked: [])
  }

  /// The founding that the store belongs to.
  func pinnedFounding() throws -> IntegrityKey? { try RegistrationPins(replica: replica()).integrityKey }

  /// Notes that a statement of somebody was followed.
  func noteFollowed(_ statement: Supersession, _ content: Supersession.Content) throws {
    try RegistrationPins(replica: replica()).follow(statement, content)
  }

  /// How much the device remembers of the remote, of each kind.
  func remembered(_ kind: String) throws -> Int { try replica().remoteNotes.all(kind).count }

  func remoteChanges(_ backend: any SyncBackend) async throws -> AsyncStream<Void>? {
    try await manager(backend).remoteChanges()
  }

  func status(_ backend: any SyncBackend = ClosedBackend()) async throws -> DocumentStatus {
    try await manager(backend).status()
  }

  var ring: KeyRing? { keys.withLock { $0 } }

  func forgetKeys() { setKeys(nil) }

  func setKeys(_ ring: KeyRing?) { keys.withLock { $0 = ring } }

  // MARK: The user

  func write(_ note: String, _ text: String, place: String? = nil) throws {
    try edit { store, recording in try Self.put(note, text, place, store, recording) }
  }

  /// Writes notes, each into a set of its own.
  func writeSets(_ notes: [(note: String, text: String)]) throws {
    let store = try NoteStore(path: path)
    let replica = try replica(store)
    for (note, text) in notes {
      try edit(store) { store, recording in try Self.put(note, text, nil, store, recording) }
      _ = try replica.freeze()
    }
  }

  private static func put(
    _ note: String, _ text: String, _ place: String?, _ store: NoteStore,
    _ recording: ChangeRecorder.Recording
  ) throws {
    var values = [PropertyValue(property: NoteStore.text, value: .string(text))]
    if let place { values.append(PropertyValue(property: NoteStore.place, value: .string(place))) }
    if let row = try store.row(note) {
      try store.updateRow(row, values: values)
      try recording.update(row, values.map(\.property))
    } else {
      let row = try store.insertRow(NoteStore.note, syncID: SyncID(note), values: values)
      try recording.insert(RowReference(entity: NoteStore.note, row: row))
    }
  }

  func delete(_ note: String) throws {
    try edit { store, recording in
      let row = try #require(try store.row(note), "\(client) shows no note \(note)")
      try store.deleteRow(row)
      try recording.delete(row, SyncID(note))
    }
  }

  /// Makes sets without a manager, as an application may.
  func freeze() throws { _ = try replica().freeze() }

  private func edit(_ body: (NoteStore, ChangeRecorder.Recording) throws -> Void) throws {
    let store = try NoteStore(path: path)
    // Makes the bookkeeping if there is none.
    _ = try replica(store)
    try edit(store, body)
  }

  private func edit(
    _ store: NoteStore, _ body: (NoteStore, ChangeRecorder.Recording) throws -> Void
  ) throws {
    clock.advance(1)
    let now = clock.milliseconds
    let recorder = try ChangeRecorder(schema: store.schema, database: store.database, now: { now })
    try store.connection.transaction { try body(store, recorder.recording()) }
  }

  func shows(_ note: String) throws -> Bool { try NoteStore(path: path).row(note) != nil }

  /// Everything that the store shows, in order.
  var notes: [String] {
    get throws {
      let store = try NoteStore(path: path)
      let statement = try store.connection.prepare(
        "SELECT coalesce(syncid, '?') || ': ' || coalesce(text, '-') || coalesce(' @' || place, '') FROM note ORDER BY 1"
      )
      var notes: [String] = []
      while try statement.step() { notes.append(statement.text(0)) }
      return notes
    }
  }

  var author: AuthorID {
    get throws { try replica().author }
  }

  /// What the device tells others that it holds.
  var held: VersionVector { get throws { try replica().held() } }

  /// Authors of whom the device has given up sets that have not come since.
  var incomplete: Set<AuthorID> { get throws { Set(try replica().gaps().keys) } }

  /// Copies the store, as a backup does.
  func backUp() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  /// Puts a copy of the store in place.
  func restore(_ backup: Data) throws { try backup.write(to: URL(fileURLWithPath: path)) }
}

/// A folder for the stores of a test, removed at its end, and what its devices share: a clock and random numbers.
final class Workplace: Sendable {
  let clock = TestClock()
  private let folder: TemporaryFolder
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64 = 1) throws {
    generator = Mutex(SeededGenerator(seed: seed))
    folder = try TemporaryFolder()
  }

  func random() -> UInt64 { generator.withLock { $0.next() } }

  func file(_ name: String) -> String { folder.file(name) }

  /// Three devices that have nothing yet.
  func devices() -> (Device, Device, Device) {
    (Device("device-a", in: self), Device("device-b", in: self), Device("device-c", in: self))
  }
}

/// A wall clock that a test sets.
final class TestClock: Sendable {
  private let value = Atomic<UInt64>(1_700_000_000_000)
  var milliseconds: UInt64 { value.load(ordering: .relaxed) }
  func advance(_ milliseconds: UInt64) { value.add(milliseconds, ordering: .relaxed) }
  func turnBack(_ milliseconds: UInt64) { value.subtract(milliseconds, ordering: .relaxed) }
}
