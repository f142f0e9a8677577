import ObjectStore
import SQLite

/// One device's copy of a document: its objects, and the cells that merging works on.
///
/// A replica turns the change log into sets (``freeze(sealing:)``), merges the sets of others
/// (``apply(_:policy:keepsInverse:progress:sealing:)``) and keeps its own sets until the remote has them (``outbox()``,
/// ``acknowledge(through:)``).
/// Every call is one durable transaction, so that a crash at any instruction leaves data and bookkeeping in agreement.
///
/// A replica is confined to one isolation domain and owns its ``LocalStore``; it knows nothing of files and networks.
///
/// The replicated state is a set of cells, each merged by "greater stamp wins" (an LWW-element set after Shapiro et al.,
/// "A comprehensive study of Convergent and Commutative Replicated Data Types", 2011): existence of an object, one
/// register per attribute and to-one relationship, one add/remove pair per to-many link. What rows show is derived from
/// the cells by deterministic rules, so equal cells show equal objects.
public final class Replica {
  let store: any LocalStore
  let connection: Connection
  let state: State
  let configuration: Configuration
  var names: NameTable
  var authors: AuthorTable
  let objects: ObjectTable
  let log: ChangeLog
  let links: LinkTable
  var parked: ParkedTable
  let places: PlaceTable
  let contributions: ContributionTable
  /// Whether this transaction may have taken an exclusive relationship from its target, so that another claim shows.
  var claimsMayBeFree = false
  /// Lists that the user gave a new order, and when.
  var reordered: [MemberListID: LogicalTime] = [:]
  /// Lists whose rows this transaction may have to arrange anew.
  var unarranged: Set<MemberListID> = []
  /// Folded properties whose rows this transaction may have to write anew.
  var unfolded: Set<FoldedRegister> = []

  /// Opens the replica of a store and makes its bookkeeping if there is none.
  ///
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if the bookkeeping is damaged or from a newer version.
  public init(store: any LocalStore, configuration: Configuration) throws {
    self.store = store
    self.configuration = configuration
    let connection = store.connection
    self.connection = connection
    try Bookkeeping.prepare(connection, schema: store.schema) {
      try store.lastRow(entity: $0, in: connection)
    }
    state = State(connection)
    let schema = store.schema
    names = try NameTable.open(connection: connection, schema: schema)
    authors = try AuthorTable(connection: connection)
    objects = try ObjectTable(connection: connection)
    log = try ChangeLog(connection: connection)
    links = try LinkTable(connection: connection)
    parked = try ParkedTable(connection: connection)
    places = try PlaceTable(connection: connection)
    contributions = try ContributionTable(connection: connection)
    if try state.value("author") == nil {
      try begin { try self.adopt(AuthorID(bits: configuration.random())) }
    } else if try isFreshSnapshot {
      try beginNewIncarnation()
    }
    if try names.hasUnadoptedMerge && !hasUnfrozenChanges {
      var changes = ChangedRows()
      try begin {
        try adoptMergeKinds(changes: &changes)
        try settle(changes: &changes)
      }
      store.announce(changes)
    }
    try showWhatTheModelHasLearned()
  }

  // MARK: Identity and progress

  /// The author under whose name new sets are made.
  public var author: AuthorID {
    get throws { AuthorID(bits: try state.integer("author")) }
  }

  /// Identifier of the client, as reports show it.
  public var client: String { configuration.client }

  /// For each other author, the last set of the contiguous prefix that has been applied.
  public func vector() throws -> VersionVector {
    let own = try author
    var vector = VersionVector()
    for author in authors.authors.dropFirst() where author.id != own && author.sequence > 0 {
      vector[author.id] = author.sequence
    }
    return vector
  }

  /// Hash of the last applied set of an author; for the replica's own author, of the last frozen set.
  public func chain(of author: AuthorID) -> ContentHash? {
    authors.existingNumber(of: author).flatMap { authors.authors[$0].chain }
  }

  /// The last own set that the remote is known to have.
  public var pushedSequence: UInt64 {
    get throws { try state.integer("pushed") }
  }

  /// Hash of the file of the last own set that the remote is known to have.
  public var pushedHash: ContentHash? {
    get throws {
      guard case .blob(let bytes)? = try state.value("pushedHash") else { return nil }
      return ContentHash(bytes: bytes)
    }
  }

  func adopt(_ author: AuthorID) throws {
    _ = try authors.number(of: author, client: configuration.client)
    try state.setInteger("author", author.bits)
    try state.setInteger("pushed", 0)
    try state.remove("pushedHash")
  }

  // MARK: Transactions

  /// Runs `body` in one write transaction with fresh caches, which are dropped if it fails.
  func begin<R>(_ body: () throws -> R) throws -> R {
    defer { parked.endTransaction() }
    do {
      return try connection.transaction {
        try objects.clear()
        store.transactionDidBegin()
        claimsMayBeFree = false
        reordered = [:]
        unarranged = []
        unfolded = []
        try parked.beginTransaction()
        // Another connection may have given numbers since.
        try reloadTables()
        let result = try body()
        try objects.flush(authors: authors)
        return result
      }
    } catch {
      try reloadTables()
      throw error
    }
  }

  /// Derives what depends on more than one cell, once all cells of the transaction are merged.
  func settle(changes: inout ChangedRows) throws {
    try settleClaims(changes: &changes)
    try showFolds(changes: &changes)
    try arrangeLists(changes: &changes)
  }

  private func reloadTables() throws {
    names = try NameTable(connection: connection, schema: store.schema)
    authors = try AuthorTable(connection: connection)
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
    /// Changes in one set at most; a longer log makes several sets.
    public var setLimit: Int
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
      setLimit: Int = 10_000, clockTolerance: UInt64 = 3_600_000,
      codec: any ChangeSetCodec.Type = CompactCodec.self
    ) {
      self.client = client
      self.now = now
      self.random = random
      self.setLimit = setLimit
      self.clockTolerance = clockTolerance
      self.codec = codec
    }
  }
}
