import TICDSSQLite

/// What the bookkeeping of a copy that came from elsewhere says of objects and sets, before anybody goes on from it.
///
/// A copy that contradicts itself was edited, or its maker's store is damaged. Whoever began with it would stop at the first thing that
/// cannot be read, or would believe that he has what he lacks.
struct SnapshotRecords {
  private let connection: Connection
  private let authors: AuthorTable
  private let times: SnapshotTimes

  init(_ connection: Connection, _ authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    times = try SnapshotTimes(connection)
  }

  /// - Parameters:
  ///   - contents: of each author, the sets that the copy says to contain.
  ///   - own: the author of its maker, who may have made more sets than these.
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check(containing contents: VersionVector, own: AuthorID) throws {
    try checkTypes()
    try checkReferences()
    try SnapshotNames(connection).check()
    try checkObjects()
    try times.check()
    try checkParkedValues()
    var sets = contents
    sets[own] = authors[own]?.sequence ?? 0
    try checkSets(contents)
    try checkSets(sets)
  }

  /// SQLite lets a column hold what its type does not say, and comparisons and searches would disagree on that.
  private func checkTypes() throws {
    let columns = try connection.prepare(
      """
      SELECT t.name, c.name, c.type FROM sqlite_master t, pragma_table_xinfo(t.name) c
      WHERE t.type = 'table' AND t.name LIKE 'TICDS\\_%' ESCAPE '\\' AND c.type IN ('INTEGER', 'TEXT', 'BLOB')
      """)
    var conditions: [String: [String]] = [:]
    while try columns.step() {
      conditions[columns.text(0), default: []].append(
        "typeof(\"\(columns.text(1))\") NOT IN ('\(columns.text(2).lowercased())', 'null')")
    }
    for (table, conditions) in conditions.sorted(by: { $0.key < $1.key }) {
      try refuse(
        "values of other types than its columns",
        "SELECT 1 FROM \(table) WHERE \(conditions.joined(separator: " OR "))")
    }
  }

  /// Numbers that stand for nothing.
  private func checkReferences() throws {
    // What is known only because others point at it has no entity yet.
    try refuse(
      "objects of no entity",
      """
      SELECT 1 FROM TICDS_OBJECT WHERE root NOT IN (SELECT id FROM TICDS_ENTITY)
      OR entity NOT IN (SELECT id FROM TICDS_ENTITY) AND (entity <> 0 OR row IS NOT NULL OR inserted > 0)
      """)
    try refuse(
      "objects with numbers that nobody gives",
      "SELECT 1 FROM TICDS_OBJECT WHERE id < 1 OR id >= \(RecordID.limit)")
    for table in [
      "PROPERTY", "LOCAL", "MERGE", "VALUE", "TARGET", "LINK", "PLACE", "CONTRIBUTION", "TOTAL", "CONTEST",
    ] {
      try refuse("numbers of no property", "SELECT 1 FROM TICDS_\(table) WHERE bit < 0")
    }
    for (table, columns) in [
      ("VALUE", ["object"]), ("TARGET", ["object", "target"]), ("LINK", ["source", "target"]),
      ("PLACE", ["source", "target"]),
    ] {
      let strange = columns.map { "\($0) NOT IN (SELECT id FROM TICDS_OBJECT)" }.joined(separator: " OR ")
      try refuse("values or links of no object", "SELECT 1 FROM TICDS_\(table) WHERE \(strange)")
    }
    for (table, column) in [
      ("VALUE", "object"), ("TARGET", "object"), ("LINK", "source"), ("PLACE", "source"),
      ("CONTRIBUTION", "object"), ("TOTAL", "object"), ("CONTEST", "holder"),
    ] {
      try refuse(
        "values or links of no property",
        """
        SELECT 1 FROM TICDS_\(table) c JOIN TICDS_OBJECT o ON o.id = c.\(column) WHERE NOT EXISTS
        (SELECT 1 FROM TICDS_PROPERTY p WHERE p.root = o.root AND p.bit = c.bit)
        """)
    }
  }

  private func checkObjects() throws {
    let properties = try properties()
    let areAllSaid = try !StateTable(connection).contains(.adopting)
    // Objects of entities that the present version of the model brought get their rows once the log is empty.
    let areAllShown = try !StateTable(connection).contains(.unlearnedSteps)
    // Of two objects that became one, what was deleted goes once the log is empty.
    let surplus = try SurplusRows(connection, authors).rows
    let objects = try connection.prepare(
      """
      SELECT o.root, o.inserted, o.inserter, o.deleted, o.deleter, o.covered, o.clocks,
        o.row, e.local IS NOT NULL, o.syncid, o.entity
      FROM TICDS_OBJECT o LEFT JOIN TICDS_ENTITY e ON e.id = o.entity
      """)
    while try objects.step() {
      let known = properties[objects.int64(0)] ?? Registers()
      let inserted = try stamp(objects.int64(1), by: objects.int64(2))
      let deleted = try stamp(objects.int64(3), by: objects.int64(4))
      guard UInt64(bitPattern: objects.int64(5)) & ~known.firstWord == 0 else { throw unknownProperty }
      let written = try objects.withBlob(6) { bytes in try latestClock(bytes, known) }
      let latest = [inserted.time, deleted.time, written].filter(times.isLate).max()
      if let latest { try times.check(latest, of: SyncID(stored: objects.value(9))) }
      let lives = inserted > deleted
      guard let row = objects.optionalInt64(7) else {
        if lives, areAllShown, objects.int64(8) != 0 { throw refusal("It lacks rows of objects that live.") }
        continue
      }
      if lives || !areAllSaid { continue }
      let entity = EntityNumber(rawValue: Int(clamping: objects.int64(10)))
      guard surplus.contains(ChangeLog.Row(entity: entity, row: RowNumber(rawValue: row))) else {
        throw refusal("It holds rows of objects that do not live.")
      }
    }
  }

  /// The latest time at which a register was written; of those that clocks follow.
  private func latestClock(_ bytes: UnsafeRawBufferPointer, _ known: Registers) throws -> LogicalTime {
    do {
      var latest = LogicalTime.zero
      var clocks = RegisterClockReader(bytes)
      while let clock = try clocks.next() {
        guard known.all.contains(clock.bit) else { throw unknownProperty }
        let time = try stamp(clock.time, by: clock.author).time
        if time < HybridLogicalClock.far { latest = max(latest, time) }
      }
      return latest
    } catch is CodecError {
      throw refusal("It holds times that cannot be read.")
    }
  }

  /// The registers of the objects below a root.
  private struct Registers {
    var all: Set<PropertyBit> = []
    var firstWord: UInt64 = 0
  }

  private func properties() throws -> [Int64: Registers] {
    let rows = try connection.prepare("SELECT root, bit FROM TICDS_PROPERTY WHERE bit >= 0")
    var properties: [Int64: Registers] = [:]
    while try rows.step() {
      let bit = PropertyBit(rawValue: Int(rows.int64(1)))
      properties[rows.int64(0), default: Registers()].all.insert(bit)
      if bit.isInFirstWord { properties[rows.int64(0)]?.firstWord |= bit.mask }
    }
    return properties
  }

  private func checkParkedValues() throws {
    let values = try connection.prepare("SELECT value FROM TICDS_VALUE")
    while try values.step() {
      guard Register.Content(parked: values.blob(0)) != nil else {
        throw refusal("It holds values that cannot be read.")
      }
    }
  }

  /// Whoever says to contain sets must know which ones: else a number alone would make the copy better than all others.
  private func checkSets(_ contents: VersionVector) throws {
    let count = try connection.prepare(
      "SELECT count(DISTINCT sequence) FROM TICDS_SET WHERE author = ? AND sequence BETWEEN 1 AND ?")
    for (author, last) in contents.sequences where last > 0 {
      try count.bind(authors.storedNumber(of: author), at: 1)
      try count.bind(Int64(clamping: last), at: 2)
      guard try count.step(), UInt64(bitPattern: count.int64(0)) == last else {
        throw refusal("It says to contain sets that it does not know.")
      }
      count.reset()
    }
  }

  private func stamp(_ time: Int64, by author: Int64) throws -> Stamp {
    guard authors.isNumber(author) else { throw refusal("It holds times of no author.") }
    guard time >= 0 else { throw refusal("It holds times that there are not.") }
    return authors.stamp(time, author)
  }

  private var unknownProperty: ReplicaError { refusal("It holds values of no property.") }

  private func refuse(_ what: String, _ sql: String) throws {
    if try connection.first(sql + " LIMIT 1") != nil { throw refusal("It holds \(what).") }
  }

  private func refusal(_ message: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, message)
  }
}
