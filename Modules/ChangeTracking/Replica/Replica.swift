import ObjectStore
import TICDSSQLite

/// One device's copy of a document: its objects, and the cells that merging works on.
///
/// A replica turns the change log into sets (``freeze()``), merges the sets of others
/// (``apply(_:policy:keepsInverse:progress:)``) and keeps its own sets until the remote has them. Every call consists of
/// durable transactions, so that a crash at any instruction leaves data and bookkeeping in agreement.
///
/// A replica is confined to one isolation domain and owns its ``LocalStore``; it knows nothing of files and networks.
public final class Replica {
  let store: any LocalStore
  /// What tells whether everything is shown as the local model wants it.
  let shownModel: String
  let connection: Connection
  let configuration: Configuration
  let log: ChangeLog
  /// Identifier of the client, as reports show it.
  public let client: String

  /// How the files of sets are sealed; until it is set, they are not.
  public var sealing: SetSealing = { plain, _, _ in plain }

  /// Opens the replica of a store and makes its bookkeeping if there is none.
  ///
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if the bookkeeping is damaged or from a newer version.
  public init(store: any LocalStore, configuration: Configuration) throws {
    self.store = store
    shownModel = store.schema.shownModel
    self.configuration = configuration
    let connection = store.connection
    self.connection = connection
    try Bookkeeping.prepare(connection, schema: store.schema) { try store.lastRow($0, in: store.database) }
    client = try configuration.client ?? Self.keptClient(connection) ?? Self.newClient(configuration.random)
    log = try ChangeLog(connection: connection)
    store.startRecording(now: configuration.now, random: configuration.random)
    let names = try NameTable.open(connection: connection, schema: store.schema)
    if try !state.contains(.author) {
      // In the lower half, for later incarnations of the store take greater authors.
      try begin { transaction in
        try Incarnation.adopt(
          AuthorID(bits: max(1, configuration.random() >> 1)), client: client, transaction.cells
        )
      }
    } else if try state.contains(.snapshot) {
      try lowerFrontiers(names)
      try SnapshotRows(store, names, state, authors()).check()
      try beginNewIncarnation()
    }
    if names.hasUnadoptedMerge, try !hasUnfrozenChanges {
      try begin { transaction in
        try transaction.showing.adoptMergeKinds()
        try transaction.showing.settle()
      }
    }
    try learnModel()
  }

  /// Of a copy that somebody else has made nobody takes on trust that rows are accounted for which are still to come: they would never be
  /// said.
  private func lowerFrontiers(_ names: NameTable) throws {
    var last: [EntityNumber: RowNumber] = [:]
    for local in store.schema.localEntities {
      let root = names[local].root
      last[root] = max(last[root] ?? .none, try store.lastRow(local, in: store.database))
    }
    try connection.transaction {
      for (root, row) in last { try names.lowerFrontier(of: root, to: row) }
    }
  }

  /// The client that opened the store before; `nil` for a new store and for a copy of which no replica has been opened.
  private static func keptClient(_ connection: Connection) throws -> String? {
    let state = StateTable(connection)
    guard try state.contains(.author), try !state.contains(.snapshot) else { return nil }
    let client = try AuthorTable(connection: connection).client(of: try state.author)
    return client.isEmpty ? nil : client
  }

  private static func newClient(_ random: () -> UInt64) -> String {
    let digits = String(random(), radix: 16)
    return "client-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: Identity and progress

  var state: StateTable { StateTable(connection) }

  func authors() throws -> AuthorTable { try AuthorTable(connection: connection) }

  /// The author under whose name new sets are made.
  public var author: AuthorID {
    get throws { try state.author }
  }

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
    var isDone = false
    defer { if !isDone { connection.resetCachedStatements() } }
    let result = try connection.transaction {
      store.transactionDidBegin()
      let transaction = try ReplicaTransaction(store: store)
      let result = try body(transaction)
      try transaction.cells.objects.flush()
      changes = transaction.showing.rows.changes
      return result
    }
    isDone = true
    if !changes.isEmpty { store.announce(changes) }
    return result
  }

  var setOptions: SetOptions {
    SetOptions(
      client: client, now: configuration.now, setLimit: configuration.setLimit,
      codec: configuration.codec, sealing: sealing)
  }
}
