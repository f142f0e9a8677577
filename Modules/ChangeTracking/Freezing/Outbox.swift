import TICDSSQLite

/// The own sets that the remote is not known to have, with the long values that they mention.
struct Outbox {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  var isEmpty: Bool {
    get throws { try connection.first("SELECT 1 FROM TICDS_OUTBOX LIMIT 1") == nil }
  }

  /// The sets, in order.
  func sets(of author: AuthorID) throws -> [FrozenSet] {
    let statement = try connection.cached(
      "SELECT sequence, hash, changes, bytes FROM TICDS_OUTBOX ORDER BY sequence")
    var sets: [FrozenSet] = []
    while try statement.step() {
      guard let hash = ContentHash(bytes: statement.blob(1)) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "A set in the outbox has no valid hash.")
      }
      sets.append(
        FrozenSet(
          author: author, sequence: UInt64(bitPattern: statement.int64(0)), hash: hash,
          changeCount: Int(statement.int64(2)), bytes: statement.blob(3)))
    }
    return sets
  }

  /// Number of changes in the sets.
  func changeCount() throws -> Int {
    guard
      case .integer(let count)? = try connection.first("SELECT coalesce(sum(changes), 0) FROM TICDS_OUTBOX")
    else { return 0 }
    return Int(count)
  }

  /// - Parameter latest: the time of the last change that is in this set or an earlier one.
  func insert(_ set: FrozenSet, latest: LogicalTime) throws {
    try connection.run(
      "INSERT INTO TICDS_OUTBOX VALUES (?, ?, ?, ?, ?)", .integer(Int64(bitPattern: set.sequence)),
      .blob(set.hash.bytes), .integer(Int64(set.changeCount)), .integer(Int64(bitPattern: latest.bits)),
      .blob(set.bytes))
  }

  /// Puts other bytes into the place of those of a set.
  func replace(_ sequence: UInt64, with bytes: [UInt8], _ hash: ContentHash) throws {
    try connection.run(
      "UPDATE TICDS_OUTBOX SET hash = ?, bytes = ? WHERE sequence = ?", .blob(hash.bytes), .blob(bytes),
      .integer(Int64(bitPattern: sequence)))
  }

  /// The last set up to a number.
  func last(through sequence: UInt64) throws -> (sequence: UInt64, hash: ContentHash?, latest: LogicalTime)? {
    let statement = try connection.cached(
      "SELECT sequence, hash, latest FROM TICDS_OUTBOX WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1")
    try statement.bind(Int64(bitPattern: sequence), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return (
      UInt64(bitPattern: statement.int64(0)), ContentHash(bytes: statement.blob(1)),
      LogicalTime(bits: UInt64(bitPattern: statement.int64(2)))
    )
  }

  /// Removes the sets up to a number, and the long values that no later set mentions.
  func remove(through sequence: UInt64) throws {
    let number = SQLiteValue.integer(Int64(bitPattern: sequence))
    try connection.run("DELETE FROM TICDS_OUTBOX WHERE sequence <= ?", number)
    try connection.run("DELETE FROM TICDS_LONGVALUE WHERE sequence <= ?", number)
  }

  func removeAll() throws {
    try connection.run("DELETE FROM TICDS_OUTBOX")
    try connection.run("DELETE FROM TICDS_LONGVALUE")
  }

  // MARK: Long values

  func insert(_ bytes: [UInt8], of value: LongValue, sequence: UInt64) throws {
    try connection.run(
      """
      INSERT INTO TICDS_LONGVALUE VALUES (?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET sequence = excluded.sequence
      """, .blob(value.hash.bytes), .integer(Int64(bitPattern: sequence)), .blob(bytes))
  }

  /// Notes that a set mentions long values that were kept for one before it.
  func note(_ values: [LongValue], sequence: UInt64) throws {
    for value in values {
      try connection.run(
        "UPDATE TICDS_LONGVALUE SET sequence = ? WHERE hash = ?", .integer(Int64(bitPattern: sequence)),
        .blob(value.hash.bytes))
    }
  }

  /// Hashes of the long values, in the order of the sets that mention them.
  func longValues() throws -> [ContentHash] {
    let statement = try connection.cached("SELECT hash FROM TICDS_LONGVALUE ORDER BY sequence, hash")
    var hashes: [ContentHash] = []
    while try statement.step() {
      guard let hash = ContentHash(bytes: statement.blob(0)) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "A long value has no valid hash.")
      }
      hashes.append(hash)
    }
    return hashes
  }

  func longValue(_ hash: ContentHash) throws -> [UInt8]? {
    guard
      case .blob(let bytes)? = try connection.first(
        "SELECT bytes FROM TICDS_LONGVALUE WHERE hash = ?", .blob(hash.bytes))
    else { return nil }
    return bytes
  }
}
