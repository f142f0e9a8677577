import TICDSSQLite

/// The records of objects: read on demand, changed in memory, written at the end of a batch.
///
/// A record is addressed by its slot, which is valid until ``spill()``. Lives as long as a transaction.
final class ObjectTable {
  /// Where a record is held in memory.
  struct Slot: Hashable {
    fileprivate let index: Int
  }

  private struct Key: Hashable {
    var syncID: SyncID
    var root: EntityNumber

    // Objects of two roots hardly ever have one identifier.
    func hash(into hasher: inout Hasher) { syncID.hash(into: &hasher) }
  }

  // Confined to one transaction, and no access to them calls out while it lasts, so accesses cannot overlap. Checking that
  // at each access takes a twentieth of a merge.
  @exclusivity(unchecked) private var records: [ObjectRecord] = []
  @exclusivity(unchecked) private var slots: [Key: Slot] = [:]
  /// The records that are not in the file yet, whose numbers go up from ``firstNewID``.
  private var new: [Slot] = []
  /// Whether there may be something to write.
  @exclusivity(unchecked) private var mayBeChanged = false
  private var firstNewID: Int64
  private let byKey: Statement
  private let byID: Statement
  private let insertion: Statement
  private let update: Statement
  let connection: Connection
  let authors: AuthorTable

  init(connection: Connection, authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    let columns = "id, syncid, root, entity, row, inserted, inserter, deleted, deleter, covered, clocks"
    byKey = try connection.cached("SELECT \(columns) FROM TICDS_OBJECT WHERE syncid = ? AND root = ?")
    byID = try connection.cached("SELECT \(columns) FROM TICDS_OBJECT WHERE id = ?")
    insertion = try connection.cached("INSERT INTO TICDS_OBJECT VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    update = try connection.cached(
      """
      UPDATE TICDS_OBJECT SET entity = ?4, row = ?5, inserted = ?6, inserter = ?7, deleted = ?8, deleter = ?9,
        covered = ?10, clocks = ?11 WHERE id = ?1
      """)
    firstNewID = 1
    if case .integer(let greatest)? = try connection.first("SELECT max(id) FROM TICDS_OBJECT") {
      guard (0..<RecordID.limit).contains(greatest) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The numbers of objects are used up.")
      }
      firstNewID = greatest + 1
    }
  }

  /// Writes the records and forgets them once there are many, so that memory is bounded and the pages they lie on are
  /// written while they are in the cache. Only where nobody holds on to a slot.
  func spill() throws {
    guard records.count >= 2_000 else { return }
    try flush()
    firstNewID += Int64(new.count)
    records.removeAll(keepingCapacity: true)
    slots.removeAll(keepingCapacity: true)
    new.removeAll(keepingCapacity: true)
  }

  subscript(slot: Slot) -> ObjectRecord {
    get { records[slot.index] }
    _modify {
      mayBeChanged = true
      yield &records[slot.index]
    }
  }

  /// The slot of an object, if it is known.
  func find(_ syncID: SyncID, root: EntityNumber) throws -> Slot? {
    if let slot = slots[Key(syncID: syncID, root: root)] { return slot }
    try byKey.bind(syncID, at: 1)
    try byKey.bind(Int64(root.rawValue), at: 2)
    guard try byKey.step() else { return nil }
    defer { byKey.reset() }
    return add(try read(byKey, syncID: syncID))
  }

  /// The slot of an object, which is noted now if it is not known.
  func obtain(_ syncID: SyncID, root: EntityNumber) throws -> Slot {
    if let slot = try find(syncID, root: root) { return slot }
    let id = RecordID(rawValue: firstNewID + Int64(new.count))
    let slot = add(ObjectRecord(id: id, syncID: syncID, root: root))
    mayBeChanged = true
    new.append(slot)
    return slot
  }

  /// The slot of a record by its number; `nil` if it has been forgotten.
  func existingSlot(_ id: RecordID) throws -> Slot? {
    // A number beyond those in the file may be of a record that was forgotten.
    let isThere =
      try newSlot(id) != nil
      || connection.first("SELECT 1 FROM TICDS_OBJECT WHERE id = ?", .integer(id.rawValue)) != nil
    return isThere ? try slot(id) : nil
  }

  /// The slot of a record that is not in the file yet.
  private func newSlot(_ id: RecordID) -> Slot? {
    guard let index = Int(exactly: id.rawValue - firstNewID), new.indices.contains(index) else { return nil }
    return new[index]
  }

  /// The slot of a record by its number.
  func slot(_ id: RecordID) throws -> Slot {
    if let slot = newSlot(id) { return slot }
    try byID.bind(id.rawValue, at: 1)
    guard try byID.step() else {
      throw ReplicaError.damagedBookkeeping(
        path: connection.path, "Object \(id.rawValue) is referred to but missing.")
    }
    defer { byID.reset() }
    let syncID = SyncID(stored: byID.value(1))
    let root = EntityNumber(rawValue: Int(clamping: byID.int64(2)))
    if let slot = slots[Key(syncID: syncID, root: root)] { return slot }
    return add(try read(byID, syncID: syncID))
  }

  /// A record by its number.
  subscript(id: RecordID) -> ObjectRecord {
    get throws { self[try slot(id)] }
  }

  private func add(_ record: ObjectRecord) -> Slot {
    let slot = Slot(index: records.count)
    records.append(record)
    slots[Key(syncID: record.syncID, root: record.root)] = slot
    return slot
  }

  // MARK: The file

  private func read(_ statement: Statement, syncID: SyncID) throws -> ObjectRecord {
    var record = ObjectRecord(
      id: RecordID(rawValue: statement.int64(0)), syncID: syncID,
      root: EntityNumber(rawValue: Int(clamping: statement.int64(2))))
    record.entity = EntityNumber(rawValue: Int(clamping: statement.int64(3)))
    record.row = statement.optionalInt64(4).map(RowNumber.init(rawValue:))
    record.inserted = authors.stamp(statement.int64(5), statement.int64(6))
    record.deleted = authors.stamp(statement.int64(7), statement.int64(8))
    record.covered = UInt64(bitPattern: statement.int64(9))
    do {
      record.clocks = try statement.withBlob(10) { bytes in try clocks(bytes) }
    } catch is CodecError {
      throw ReplicaError.damagedBookkeeping(
        path: connection.path, "The times of object \(record.id.rawValue) cannot be read.")
    }
    record.isStored = true
    record.hasTraces = true
    return record
  }

  private func clocks(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> [RegisterClock] {
    var reader = RegisterClockReader(bytes)
    var clocks: [RegisterClock] = []
    while let clock = try reader.next() {
      clocks.append(RegisterClock(bit: clock.bit, stamp: authors.stamp(clock.time, clock.author)))
    }
    return clocks
  }

  /// Writes the records that changed.
  func flush() throws {
    guard mayBeChanged else { return }
    for index in records.indices where records[index].isChanged || !records[index].isStored {
      try write(records[index])
      records[index].isChanged = false
      records[index].isStored = true
    }
    mayBeChanged = false
  }

  private func write(_ record: ObjectRecord) throws {
    let statement = record.isStored ? update : insertion
    try statement.bind(record.id.rawValue, at: 1)
    if !record.isStored {
      try statement.bind(record.syncID, at: 2)
      try statement.bind(Int64(record.root.rawValue), at: 3)
    }
    try statement.bind(Int64(record.entity.rawValue), at: 4)
    if let row = record.row { try statement.bind(row.rawValue, at: 5) } else { try statement.bindNull(5) }
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
        bytes.appendVarint(UInt64(clock.bit.rawValue))
        bytes.appendVarint(clock.stamp.time.bits)
        bytes.appendVarint(UInt64(authors.storedNumber(of: clock.stamp.author)))
      }
      try statement.bind(bytes, at: 11)
    }
    try statement.run()
  }
}
