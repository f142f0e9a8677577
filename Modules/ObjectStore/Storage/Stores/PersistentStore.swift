import Foundation
import Locking
import TICDSSQLite

/// A store file together with its model: what an application opens once and shares.
///
/// ```swift
/// let store = try PersistentStore(model: ManagedObjectModel(Note.self, Folder.self), path: path)
/// let context = try store.newContext()
/// ```
/// The file is a Core Data SQLite store in WAL mode. Every context has a connection of its own, so readers never wait for a
/// writer; two writers wait for one another. The store itself is `Sendable` and holds no connection. A store may also be in memory
/// only, see ``inMemory(model:options:)``.
public final class PersistentStore: Sendable {
  /// How a store is opened.
  public struct Options: Sendable {
    /// What may be done with the file.
    public enum Access: Sendable, Hashable {
      /// Nothing is written, not even a byte of a journal.
      case readOnly
      /// The file must exist.
      case readWrite
      /// The file is made if it does not exist.
      case create
    }

    /// When SQLite waits for the disk.
    public enum Synchronization: String, Sendable {
      /// At checkpoints. After a power failure the last saves may be missing, but the store is whole.
      case normal = "NORMAL"
      /// At every save.
      case full = "FULL"
    }

    /// How a new file keeps relationships to many objects that have no inverse. A file that exists keeps them as it does.
    public enum OneWayLayout: Sendable, Hashable {
      /// As Core Data does: the rows of the destination name their owner, so an object has one at most. Such a store cannot be
      /// synchronised.
      case ownerColumn
      /// In a table of links, which Core Data does not know, so that an object may belong to several owners.
      case links
    }

    /// What may be done with the file.
    public var access: Access
    /// How long a save waits for another writer, in milliseconds.
    public var busyTimeout: Int32
    /// When SQLite waits for the disk.
    public var synchronization: Synchronization
    /// Whether a store is refused whose version hashes are not those of the model. Without the check only the tables
    /// must fit, for programs that look into a store with a model that was derived from it.
    public var checksVersionHashes = true
    /// How a new file keeps relationships to many objects that have no inverse.
    public var oneWayLayout = OneWayLayout.links
    /// How a store of an earlier version of the model is brought up to date; `nil` refuses it.
    public var migration: Migration?
    /// The identity of a new file, for simulations within this package, which must be the same each time; nobody else can choose one.
    package var uuid: UUID?

    /// Whether the file stays in the journal mode that it has, for programs that may in the end write nothing.
    package var keepsJournalMode = false

    func newUUID() -> UUID { uuid ?? UUID() }

    /// Options with a busy timeout of five seconds.
    public init(
      access: Access = .create, busyTimeout: Int32 = 5_000, synchronization: Synchronization = .normal,
      migration: Migration? = nil
    ) {
      self.migration = migration
      self.access = access
      self.busyTimeout = busyTimeout
      self.synchronization = synchronization
    }
  }

  /// The model.
  public let model: ManagedObjectModel
  /// The store file, which is where a link leads that was named; ``memoryPath`` if there is none.
  public let path: String
  /// Where each property is kept.
  public let schema: StoreSchema
  /// What the store said about itself when it was opened.
  public let metadata: StoreMetadata
  /// How it was opened.
  public let options: Options
  let identity: StoreIdentity
  private let memoryName: String?
  // A database in memory goes with its last connection. Never used, only let go of: by one thread, when the store goes.
  private nonisolated(unsafe) let memoryAnchor: Connection?
  let listeners = Locked(StoreListeners())
  let registrations = Locked(StoreRegistrations())

  /// Opens a store, or makes it. One that was made for an earlier version of the model is migrated if the options say how.
  ///
  /// The path ``memoryPath`` stands for a store in memory, as ``inMemory(model:options:)`` makes it.
  /// - Throws: ``StoreError``: the model does not fit (with a line for each entity), the file is no store, it cannot be
  ///   migrated, SQLite failed.
  public init(model: ManagedObjectModel, path: String, options: Options = Options()) throws(StoreError) {
    let path = path == Self.memoryPath ? path : StorePath.followingLinks(path)
    self.model = model
    self.path = path
    self.options = options
    memoryName = path == Self.memoryPath ? "/ticds-\(UUID().uuidString)" : nil
    let opened: StoreOpening.Result
    do {
      let opening = StoreOpening(model: model, path: path, options: options, memoryName: memoryName)
      memoryAnchor = memoryName == nil ? nil : try opening.connect()
      opened = try opening.run()
    } catch let error as StoreError {
      throw error
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.migrationFailed(error), path: path)
    }
    schema = opened.schema
    metadata = opened.metadata
    identity = StoreIdentity(uuid: opened.metadata.uuid)
  }

  /// Opens a store, or makes it.
  ///
  /// - Throws: as ``init(model:path:options:)``.
  public convenience init(model: ManagedObjectModel, url: URL, options: Options = Options())
    throws(StoreError)
  {
    try self.init(model: model, path: url.path(percentEncoded: false), options: options)
  }

  /// What stands for a path if the store is in memory, as in SQLite.
  public static let memoryPath = ":memory:"

  /// Makes an empty store in memory, which goes with the last of the store, its contexts and its connections: for tests and previews.
  ///
  /// Contexts see what others save, as with a file. But readers and writers wait for one another, as there is no write-ahead log; and
  /// long values are in their rows, as there is no folder for files.
  /// - Throws: ``StoreError``.
  public static func inMemory(
    model: ManagedObjectModel, options: Options = Options()
  ) throws(StoreError) -> PersistentStore {
    try PersistentStore(model: model, path: memoryPath, options: options)
  }

  /// The store's identity, an upper-case UUID.
  public var uuid: String { identity.uuid }

  /// A context with a connection of its own, to be used in one isolation domain.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened.
  public func newContext() throws(StoreError) -> ManagedObjectContext {
    try ManagedObjectContext(store: self)
  }

  /// A connection to the store file, set up like that of a context, for programs that work on rows.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened.
  public func newConnection() throws(StoreError) -> Connection {
    do {
      return try StoreOpening(model: model, path: path, options: options, memoryName: memoryName).connect()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.damagedMetadata(String(describing: error)), path: path)
    }
  }

  /// Runs work with a fresh context, away from the caller's isolation. Objects cannot leave it; their identifiers can.
  ///
  /// Changes that `body` does not save are dropped. When the task is cancelled, a fetch or save that is under way ends soon, and
  /// what it has written is undone.
  /// - Throws: what `body` throws, `CancellationError` if the cancellation of the task stopped it, or ``StoreError`` if the
  ///   file cannot be opened.
  @concurrent public func performBackground<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let context = try newContext()
    do {
      let result = try context.connection.interruptedByCancellation { try body(context) }
      // Relationships that could not be read any more were shown as empty.
      if let failure = context.readFailure, failure.code == .interrupted { throw failure }
      return result
    } catch {
      if Task.isCancelled, Self.isInterruption(error) { throw CancellationError() }
      throw error
    }
  }

  private static func isInterruption(_ error: any Error) -> Bool {
    if case .database(let beneath)? = (error as? StoreError)?.reason { return beneath.code == .interrupted }
    return (error as? SQLiteError)?.code == .interrupted
  }
}

/// Which store an object belongs to.
final class StoreIdentity: Sendable {
  let uuid: String

  init(uuid: String) {
    self.uuid = uuid
  }
}
