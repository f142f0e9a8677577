import TICDSSQLite

/// The small durable values of a replica: a table of names and values.
struct StateTable {
  /// What a value is called.
  struct Name {
    let text: String

    init(_ text: String) { self.text = text }

    /// Version of the bookkeeping.
    static let version = Name("version")
    /// The author of new sets.
    static let author = Name("author")
    /// The greatest time that is in a set, made here or merged.
    static let clock = Name("clock")
    /// The last own set that the remote is known to have: its number, its hash, the time of its last change.
    static let pushed = Name("pushed")
    static let pushedHash = Name("pushedHash")
    static let pushedTime = Name("pushedTime")
    /// Present while the remote is known to have all that happened at ``pushedTime``, not a part of it.
    static let pushedInFull = Name("pushedInFull")
    /// Present while the cells of a new incarnation have still to be put into a set.
    static let restate = Name("restate")
    /// Present until the next report says that the replica goes on under a new author.
    static let restamped = Name("restamped")
    /// ``SyncSchema/shownModel`` of the model for which everything that it can show is shown.
    static let model = Name("model")
    /// What attributes showed where nothing was written, in the model for which everything is shown: ``BlankValues``.
    static let blanks = Name("blanks")
    /// Present while versions of the model have come that rows have not followed: how many, or more if what was noted before is of no use.
    static let unlearnedSteps = Name("unlearned")
    /// Checksum of the names in the model for which ``NameTable`` has numbers.
    static let names = Name("names")
    /// Present in a copy of which no replica has been opened.
    static let snapshot = Name("snapshot")
    /// Present once all rows that are older than the bookkeeping have been looked at.
    static let adopted = Name("adopted")
    /// Present once it is certain that no two rows up to the frontier have one sync ID.
    static let distinct = Name("distinct")
    /// Present while rows have been identified and not put into a set yet: when their insertion counts as having happened.
    static let adopting = Name("adopting")

    /// A value of the layer above.
    static func remote(_ name: String) -> Name { Name(remotePrefix + name) }
    static let remotePrefix = "remote."
  }

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func value(_ name: Name) throws -> SQLiteValue? {
    let value = try connection.first("SELECT value FROM TICDS_STATE WHERE name = ?", .text(name.text))
    return value == .null ? nil : value
  }

  func set(_ name: Name, _ value: SQLiteValue) throws {
    try connection.run("INSERT OR REPLACE INTO TICDS_STATE VALUES (?, ?)", .text(name.text), value)
  }

  func remove(_ name: Name) throws {
    try connection.run("DELETE FROM TICDS_STATE WHERE name = ?", .text(name.text))
  }

  func contains(_ name: Name) throws -> Bool { try value(name) != nil }

  /// Notes that something is the case.
  func insert(_ name: Name) throws { try set(name, .integer(1)) }

  func integer(_ name: Name) throws -> UInt64 {
    if case .integer(let value)? = try value(name) { return UInt64(bitPattern: value) }
    return 0
  }

  func setInteger(_ name: Name, _ value: UInt64) throws {
    try set(name, .integer(Int64(bitPattern: value)))
  }

  func time(_ name: Name) throws -> LogicalTime { LogicalTime(bits: try integer(name)) }

  func setTime(_ name: Name, _ time: LogicalTime) throws { try setInteger(name, time.bits) }

  func hash(_ name: Name) throws -> ContentHash? {
    guard case .blob(let bytes)? = try value(name) else { return nil }
    return ContentHash(bytes: bytes)
  }

  var author: AuthorID {
    get throws { AuthorID(bits: try integer(.author)) }
  }

  /// The values that the layer above has stored.
  func remoteNames() throws -> [Name] { try names(prefix: Name.remotePrefix) }

  /// The names that begin with a text.
  func names(prefix: String) throws -> [Name] {
    let statement = try connection.cached(
      "SELECT name FROM TICDS_STATE WHERE name >= ?1 AND name < ?1 || char(1114111) ORDER BY name")
    try statement.bind(prefix, at: 1)
    var names: [Name] = []
    while try statement.step() { names.append(Name(statement.text(0))) }
    return names
  }
}
