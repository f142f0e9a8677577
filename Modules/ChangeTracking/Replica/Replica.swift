import ObjectStore
import SQLite

/// One device's copy of a document: its objects, and the cells that merging works on.
///
/// A replica turns the change log into sets (``freeze()``), merges the sets of others
/// (``apply(_:policy:keepsInverse:progress:)``) and keeps its own sets until the remote has them (``outbox()``,
/// ``acknowledge(through:)``). Every call consists of durable transactions, so that a crash at any instruction leaves data and
/// bookkeeping in agreement.
///
/// A replica is confined to one isolation domain and owns its ``LocalStore``; it knows nothing of files and networks.
public final class Replica {
  /// Turns a set's bytes into those of its file, sealing them if the document is encrypted.
  public typealias Sealing = (_ plain: [UInt8], _ author: AuthorID, _ sequence: UInt64) throws -> [UInt8]

  let store: any LocalStore
  let connection: Connection
  let configuration: Configuration
  let log: ChangeLog

  /// How the files of sets are sealed; until it is set, they are not.
  public var sealing: Sealing = { plain, _, _ in plain }

  /// Opens the replica of a store and makes its bookkeeping if there is none.
  ///
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if the bookkeeping is damaged or from a newer version.
  public init(store: any LocalStore, configuration: Configuration) throws {
    self.store = store
    self.configuration = configuration
    let connection = store.connection
    self.connection = connection
    try Bookkeeping.prepare(connection, schema: store.schema) { try store.lastRow($0, in: connection) }
    log = try ChangeLog(connection: connection)
    store.startRecording(now: configuration.now, random: configuration.random)
    let names = try NameTable.open(connection: connection, schema: store.schema)
    if try !state.contains(.author) {
      // In the lower half, for later incarnations of the store take greater authors.
      try begin { transaction in
        try Incarnation.adopt(
          AuthorID(bits: configuration.random() >> 1), client: configuration.client, transaction.cells)
      }
    } else if try state.contains(.snapshot) {
      try beginNewIncarnation()
    }
    if names.hasUnadoptedMerge, try !hasUnfrozenChanges {
      try begin { transaction in
        try transaction.showing.adoptMergeKinds()
        try transaction.showing.settle()
      }
    }
    try showWhatTheModelHasLearned()
  }

  private func showWhatTheModelHasLearned() throws {
    let known = SQLiteValue.text(store.schema.model)
    guard try state.value(.model) != known else { return }
    try begin { transaction in
      try transaction.showing.showWhatTheModelHasLearned()
      try transaction.cells.state.set(.model, known)
    }
  }

  // MARK: Identity and progress

  var state: StateTable { StateTable(connection) }

  func authors() throws -> AuthorTable { try AuthorTable(connection: connection) }

  /// The author under whose name new sets are made.
  public var author: AuthorID {
    get throws { try state.author }
  }

  /// Identifier of the client, as reports show it.
  public var client: String { configuration.client }

  /// For each other author, the last set of the contiguous prefix that has been applied.
  public func vector() throws -> VersionVector {
    let own = try author
    var vector = VersionVector()
    for author in try authors().authors where author.id != own { vector[author.id] = author.sequence }
    return vector
  }

  /// Hash of the last applied set of an author; for the replica's own author, of the last frozen set.
  package func chain(of author: AuthorID) throws -> ContentHash? { try authors()[author]?.chain }

  /// Whether a set has been applied, or, if the author is the replica's own, was made here.
  ///
  /// A set of the replica's own author that was not made here tells that another copy of the store goes on under the same
  /// author: see ``beginNewIncarnation()``.
  package func knows(_ hash: ContentHash, of author: AuthorID, sequence: UInt64) throws -> Bool {
    try authors().contains(hash, of: author, sequence: sequence)
  }

  // MARK: Transactions

  /// Runs `body` in one write transaction, and tells the application afterwards which rows it changed.
  func begin<R>(_ body: (ReplicaTransaction) throws -> R) throws -> R {
    var changes = ChangedRows()
    let result = try connection.transaction {
      store.transactionDidBegin()
      let transaction = try ReplicaTransaction(store: store)
      let result = try body(transaction)
      try transaction.cells.objects.flush()
      changes = transaction.showing.changes
      return result
    }
    if !changes.isEmpty { store.announce(changes) }
    return result
  }

  var setOptions: SetOptions {
    SetOptions(
      client: configuration.client, now: configuration.now, setLimit: configuration.setLimit,
      codec: configuration.codec, sealing: sealing)
  }
}

/// What works together in one write transaction of a replica, and ends with it.
final class ReplicaTransaction {
  let cells: Cells
  let reader: RegisterReader
  let showing: Showing

  init(store: any LocalStore) throws {
    cells = try Cells(connection: store.connection, schema: store.schema)
    reader = RegisterReader(cells: cells, store: store)
    showing = Showing(reader: reader)
  }
}

extension Replica {
  /// Who the client is, and what a simulation may replace.
  public struct Configuration: Sendable {
    /// Identifier of this installation.
    public var client: String
    /// The wall clock, in milliseconds since 1970.
    public var now: @Sendable () -> UInt64
    /// Random bits, of which the identifiers of authors and of adopted objects are made.
    public var random: @Sendable () -> UInt64
    /// Changes in one set at most, about; a longer log makes several sets.
    public var setLimit: Int
    /// Changes that are merged or made into sets in one transaction, about: others wait that long to save.
    public var sliceLimit: Int
    /// How far a received change may lie in the future before a warning is given, in milliseconds.
    public var clockTolerance: UInt64
    /// The format in which own sets are written.
    public var codec: any ChangeSetCodec.Type

    /// A configuration for a client.
    public init(
      client: String, now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
      random: @escaping @Sendable () -> UInt64 = {
        var random = SystemRandomNumberGenerator()
        return random.next()
      },
      setLimit: Int = 10_000, sliceLimit: Int = 2_000, clockTolerance: UInt64 = 3_600_000,
      codec: any ChangeSetCodec.Type = CompactCodec.self
    ) {
      self.client = client
      self.now = now
      self.random = random
      self.setLimit = setLimit
      self.sliceLimit = sliceLimit
      self.clockTolerance = clockTolerance
      self.codec = codec
    }
  }
}
