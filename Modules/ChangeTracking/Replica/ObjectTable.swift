import SQLite

/// The records of objects: read on demand, changed in memory, written at the end of a batch.
///
/// A record is addressed by its slot, which is valid until ``clear()`` or ``spill(authors:)``.
final class ObjectTable {
  private struct Key: Hashable {
    var syncID: SyncID
    var root: Int
  }

  private(set) var records: [ObjectRecord] = []
  private var slotsByKey: [Key: Int] = [:]
  /// Slots of the records that are not in the file yet, whose numbers go up from ``firstNewID``.
  private var newSlots: [Int] = []
  private var firstNewID: Int64 = 1
  private let byKey: Statement
  private let byID: Statement
  private let insertion: Statement
  private let update: Statement
  private let connection: Connection

  init(connection: Connection) throws {
    self.connection = connection
    let columns = "id, syncid, root, entity, row, inserted, inserter, deleted, deleter, covered, clocks"
    byKey = try connection.prepare("SELECT \(columns) FROM TICDS_OBJECT WHERE syncid = ? AND root = ?")
    byID = try connection.prepare("SELECT \(columns) FROM TICDS_OBJECT WHERE id = ?")
    insertion = try connection.prepare("INSERT INTO TICDS_OBJECT VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    update = try connection.prepare(
      """
      UPDATE TICDS_OBJECT SET entity = ?4, row = ?5, inserted = ?6, inserter = ?7, deleted = ?8, deleter = ?9,
        covered = ?10, clocks = ?11 WHERE id = ?1
      """)
    try resetCounter()
  }

  /// Forgets all records, written or not: at the start of each transaction and after a rollback.
  func clear() throws {
    records.removeAll(keepingCapacity: true)
    slotsByKey.removeAll(keepingCapacity: true)
    newSlots.removeAll(keepingCapacity: true)
    try resetCounter()
  }

  private func resetCounter() throws {
    if case .integer(let greatest)? = try connection.first("SELECT max(id) FROM TICDS_OBJECT") {
      firstNewID = greatest + 1
    } else {
      firstNewID = 1
    }
  }

  /// Writes the records and forgets them once there are many, so that memory is bounded and the pages they lie on are
  /// written while they are in the cache. Only where nobody holds on to a slot.
  func spill(authors: AuthorTable) throws {
    guard records.count >= 2_000 else { return }
    try flush(authors: authors)
    firstNewID += Int64(newSlots.count)
    records.removeAll(keepingCapacity: true)
    slotsByKey.removeAll(keepingCapacity: true)
    newSlots.removeAll(keepingCapacity: true)
  }

  subscript(slot: Int) -> ObjectRecord {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  /// The slot of an object, if it is known.
  func find(_ syncID: SyncID, root: Int, authors: AuthorTable) throws -> Int? {
    if let slot = slotsByKey[Key(syncID: syncID, root: root)] { return slot }
    try byKey.bind(syncID.stored, at: 1)
    try byKey.bind(Int64(root), at: 2)
    guard try byKey.step() else { return nil }
    defer { byKey.reset() }
    return try add(read(byKey, syncID: syncID, authors: authors))
  }

  /// The slot of an object, which is noted now if it is not known.
  func obtain(_ syncID: SyncID, root: Int, authors: AuthorTable) throws -> Int {
    if let slot = try find(syncID, root: root, authors: authors) { return slot }
    let record = ObjectRecord(id: firstNewID + Int64(newSlots.count), syncID: syncID, root: root)
    newSlots.append(records.count)
    return add(record)
  }

  /// The slot of a record by its number.
  func slot(id: Int64, authors: AuthorTable) throws -> Int {
    if let new = Int(exactly: id - firstNewID), newSlots.indices.contains(new) { return newSlots[new] }
    try byID.bind(id, at: 1)
    guard try byID.step() else {
      throw ReplicaError.damagedBookkeeping(path: connection.path, "Object \(id) is referred to but missing.")
    }
    defer { byID.reset() }
    let syncID = SyncID(stored: byID.value(1))
    if let slot = slotsByKey[Key(syncID: syncID, root: Int(byID.int64(2)))] { return slot }
    return try add(read(byID, syncID: syncID, authors: authors))
  }

  /// The numbers of the records that may hold something which no row shows.
  func waiting() throws -> [Int64] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE row IS NULL AND entity > 0 UNION SELECT object FROM TICDS_VALUE
      UNION SELECT object FROM TICDS_TARGET UNION SELECT source FROM TICDS_LINK ORDER BY 1
      """)
  }

  /// The numbers of the next records after one, ascending, that have a row and may not have been said to be inserted.
  func unsaid(after id: Int64, limit: Int) throws -> [Int64] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE id > \(id) AND row IS NOT NULL AND inserted <= deleted
      ORDER BY id LIMIT \(limit)
      """)
  }

  /// The numbers of the next records after one, ascending, that no row shows and nobody has edited since they were deleted.
  func withoutRow(after id: Int64, limit: Int) throws -> [Int64] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE id > \(id) AND row IS NULL AND clocks IS NULL ORDER BY id LIMIT \(limit)
      """)
  }

  /// Whether a link, a relationship that is kept aside or something contributed after a deletion mentions a record.
  func isReferredTo(_ id: Int64) throws -> Bool {
    try connection.first(
      """
      SELECT EXISTS (SELECT 1 FROM TICDS_LINK WHERE source = ?1) OR EXISTS (SELECT 1 FROM TICDS_LINK WHERE target = ?1)
        OR EXISTS (SELECT 1 FROM TICDS_TARGET WHERE target = ?1)
        OR EXISTS (SELECT 1 FROM TICDS_CONTRIBUTION WHERE object = ?1)
      """, .integer(id)) == .integer(1)
  }

  /// Removes a record from the file. Nothing may refer to it, and its slot must not be changed any more.
  func forget(_ id: Int64) throws {
    try connection.run("DELETE FROM TICDS_OBJECT WHERE id = ?", .integer(id))
  }

  /// The numbers of the records that may bear stamps of an author.
  func ids(writtenBy author: Int64) throws -> [Int64] {
    try ids(
      "SELECT id FROM TICDS_OBJECT WHERE inserter = \(author) OR deleter = \(author) OR clocks IS NOT NULL ORDER BY id"
    )
  }

  /// The numbers of the records of an entity that rows show.
  func shown(entity: Int) throws -> [Int64] {
    try ids("SELECT id FROM TICDS_OBJECT WHERE entity = \(entity) AND row IS NOT NULL ORDER BY id")
  }

  private func ids(_ sql: String) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.int64(0)) }
    return ids
  }

  private func add(_ record: ObjectRecord) -> Int {
    let slot = records.count
    records.append(record)
    slotsByKey[Key(syncID: record.syncID, root: record.root)] = slot
    return slot
  }

  private func read(_ statement: Statement, syncID: SyncID, authors: AuthorTable) throws -> ObjectRecord {
    var record = ObjectRecord(id: statement.int64(0), syncID: syncID, root: Int(statement.int64(2)))
    record.entity = Int(statement.int64(3))
    record.row = statement.optionalInt64(4)
    record.inserted = authors.stamp(statement.int64(5), statement.int64(6))
    record.deleted = authors.stamp(statement.int64(7), statement.int64(8))
    record.covered = UInt64(bitPattern: statement.int64(9))
    record.clocks = try statement.withBlob(10) { bytes in
      var reader = ByteReader(bytes)
      var clocks: [RegisterClock] = []
      while !reader.isAtEnd {
        let bit = Int(clamping: try reader.varint())
        let time = Int64(bitPattern: try reader.varint())
        clocks.append(
          RegisterClock(bit: bit, stamp: authors.stamp(time, Int64(bitPattern: try reader.varint()))))
      }
      return clocks
    }
    record.isStored = true
    record.hasTraces = true
    return record
  }

  /// Writes the records that changed.
  func flush(authors: AuthorTable) throws {
    for slot in records.indices where records[slot].isChanged || !records[slot].isStored {
      try write(records[slot], authors: authors)
      records[slot].isChanged = false
      records[slot].isStored = true
    }
  }

  private func write(_ record: ObjectRecord, authors: AuthorTable) throws {
    let statement = record.isStored ? update : insertion
    try statement.bind(record.id, at: 1)
    if !record.isStored {
      try statement.bind(record.syncID.stored, at: 2)
      try statement.bind(Int64(record.root), at: 3)
    }
    try statement.bind(Int64(record.entity), at: 4)
    if let row = record.row { try statement.bind(row, at: 5) } else { try statement.bindNull(5) }
    try statement.bind(Int64(bitPattern: record.inserted.time.bits), at: 6)
    try statement.bind(authors.storedNumber(of: record.inserted.author), at: 7)
    try statement.bind(Int64(bitPattern: record.deleted.time.bits), at: 8)
    try statement.bind(authors.storedNumber(of: record.deleted.author), at: 9)
    try statement.bind(Int64(bitPattern: record.covered), at: 10)
    if record.clocks.isEmpty {
      try statement.bindNull(11)
    } else {
      var bytes: [UInt8] = []
      for clock in record.clocks {
        bytes.appendVarint(UInt64(clock.bit))
        bytes.appendVarint(clock.stamp.time.bits)
        bytes.appendVarint(UInt64(authors.storedNumber(of: clock.stamp.author)))
      }
      try statement.bind(bytes, at: 11)
    }
    try statement.run()
  }
}

extension SyncID {
  /// 16 bytes for a UUID, else text.
  var stored: SQLiteValue {
    switch self {
    case .text(let text): .text(text)
    case .uuid(let high, let low):
      .blob(
        [UInt8](unsafeUninitializedCapacity: 16) { bytes, count in
          for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            bytes[8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
          }
          count = 16
        })
    }
  }

  init(stored value: SQLiteValue) {
    switch value {
    case .blob(let bytes) where bytes.count == 16:
      self = .uuid(
        bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    case .text(let text): self = .text(text)
    default: self = .text("")
    }
  }
}
