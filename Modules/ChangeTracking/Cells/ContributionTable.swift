import ObjectStore
import TICDSSQLite

/// What was contributed to properties that are merged by folding: a set that only grows, but for what deletions erase.
struct ContributionTable {
  /// A contribution with the property it belongs to.
  struct Entry {
    var register: RegisterID
    var contribution: Contribution
  }

  private let connection: Connection
  private let authors: AuthorTable
  private let selection: Statement
  private let insertion: Statement
  private let removal: Statement
  let totals: TotalTable

  init(connection: Connection, authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    selection = try connection.cached(
      "SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ?")
    insertion = try connection.cached(
      "INSERT OR IGNORE INTO TICDS_CONTRIBUTION VALUES (?, ?, ?, ?, ?, ?)")
    removal = try connection.cached(
      """
      DELETE FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ? AND time = ? AND author = ? AND value = ?
      """)
    totals = try TotalTable(connection: connection, authors: authors)
  }

  func contributions(to register: RegisterID) throws -> [Contribution] {
    try selection.bind(register.object.rawValue, at: 1)
    try selection.bind(Int64(register.bit.rawValue), at: 2)
    return try all(selection).map(\.contribution)
  }

  /// The registers that somebody contributed to.
  func registers() throws -> [RegisterID] {
    let statement = try connection.prepare("SELECT DISTINCT object, bit FROM TICDS_CONTRIBUTION")
    var registers: [RegisterID] = []
    while try statement.step() {
      registers.append(
        RegisterID(
          object: RecordID(rawValue: statement.int64(0)),
          bit: PropertyBit(rawValue: Int(clamping: statement.int64(1)))))
    }
    return registers
  }

  /// When an author last contributed to a register.
  func latest(to register: RegisterID, by author: AuthorID) throws -> Stamp? {
    try contributions(to: register).map(\.origin).filter { $0.author == author }.max()
  }

  /// Adds a contribution; `false` if it is there already.
  ///
  /// - Parameter writer: The author whose sets have it: another than the one who made it if that one is a former self.
  func insert(_ entry: Entry, writer: AuthorID) throws -> Bool {
    try bind(entry, to: insertion)
    try insertion.bind(authors.storedNumber(of: writer), at: 6)
    try insertion.run()
    guard connection.changes > 0 else { return false }
    try totals.add(entry.contribution, to: entry.register)
    return true
  }

  func remove(_ entry: Entry) throws {
    try bind(entry, to: removal)
    try removal.run()
    try totals.remove(entry.contribution, from: entry.register)
  }

  /// What was contributed to a register up to a time, the latest first, one by one.
  func visit(_ register: RegisterID, through time: LogicalTime, _ body: (Contribution) throws -> Bool) throws
  {
    try visit(
      connection.cached(
        """
        SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ? AND time <= ?
        ORDER BY time DESC
        """), register, time, body)
  }

  /// What was contributed to a register from a time on, the earliest first, one by one.
  func visit(_ register: RegisterID, from time: LogicalTime, _ body: (Contribution) throws -> Bool) throws {
    try visit(
      connection.cached(
        """
        SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ? AND time >= ?
        ORDER BY time
        """), register, time, body)
  }

  /// - Parameter body: returns whether to go on.
  private func visit(
    _ statement: Statement, _ register: RegisterID, _ time: LogicalTime, _ body: (Contribution) throws -> Bool
  ) throws {
    defer { statement.reset() }
    try statement.bind(register.object.rawValue, at: 1)
    try statement.bind(Int64(register.bit.rawValue), at: 2)
    try statement.bind(Int64(bitPattern: time.bits), at: 3)
    while try statement.step() { guard try body(entry(statement).contribution) else { return } }
  }

  /// Erases what was contributed to an object up to its deletion; `true` if there was something. Reads nothing else: a set may say any number
  /// of deletions of one object.
  func erase(_ object: RecordID, through deletion: Stamp) throws -> Bool {
    var erased: [Entry] = []
    for bit in try bits(of: object) {
      let register = RegisterID(object: object, bit: bit)
      try visit(register, through: deletion.time) { contribution in
        if contribution.origin <= deletion {
          erased.append(Entry(register: register, contribution: contribution))
        }
        return true
      }
    }
    for entry in erased { try remove(entry) }
    return !erased.isEmpty
  }

  /// The properties of an object that somebody contributed to.
  private func bits(of object: RecordID) throws -> [PropertyBit] {
    let statement = try connection.cached(
      "SELECT bit FROM TICDS_CONTRIBUTION WHERE object = ? AND bit > ? ORDER BY bit LIMIT 1")
    defer { statement.reset() }
    var bits: [PropertyBit] = []
    try statement.bind(object.rawValue, at: 1)
    while true {
      try statement.bind(bits.last.map { Int64($0.rawValue) } ?? -1, at: 2)
      guard try statement.step() else { return bits }
      bits.append(PropertyBit(rawValue: Int(clamping: statement.int64(0))))
      statement.reset()
    }
  }

  // MARK: Incarnations

  /// What is in an author's sets, or is to be.
  func entries(writtenBy writer: AuthorID) throws -> [Entry] {
    let statement = try connection.cached(
      """
      SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE writer = ?
      ORDER BY object, bit, time, author, value
      """)
    try statement.bind(authors.storedNumber(of: writer), at: 1)
    return try all(statement)
  }

  /// Lets a new author say what a former self may not have said.
  ///
  /// Who made it stays, so that nobody counts it twice, whether the former self has said it after all or not. What was adopted has one
  /// time, whenever that was, and says nothing about having been said.
  func pass(from former: AuthorID, since time: LogicalTime, to author: AuthorID) throws {
    for entry in try entries(writtenBy: former)
    where entry.contribution.origin.time >= time || entry.contribution.origin.time == Adoption.earliest {
      try remove(entry)
      _ = try insert(entry, writer: author)
    }
  }

  private func bind(_ entry: Entry, to statement: Statement) throws {
    try statement.bind(entry.register.object.rawValue, at: 1)
    try statement.bind(Int64(entry.register.bit.rawValue), at: 2)
    try statement.bind(Int64(bitPattern: entry.contribution.origin.time.bits), at: 3)
    try statement.bind(authors.storedNumber(of: entry.contribution.origin.author), at: 4)
    try statement.bind(entry.contribution.value.parkedBytes, at: 5)
  }

  private func all(_ statement: Statement) throws -> [Entry] {
    defer { statement.reset() }
    var entries: [Entry] = []
    while try statement.step() { entries.append(try entry(statement)) }
    return entries
  }

  private func entry(_ statement: Statement) throws -> Entry {
    guard let value = AttributeValue(parked: statement.blob(4)) else {
      throw ReplicaError.damagedBookkeeping(
        path: connection.path, "A contribution to object \(statement.int64(0)) is unreadable.")
    }
    return Entry(
      register: RegisterID(
        object: RecordID(rawValue: statement.int64(0)),
        bit: PropertyBit(rawValue: Int(clamping: statement.int64(1)))),
      contribution: Contribution(
        origin: authors.stamp(statement.int64(2), statement.int64(3)), value: value))
  }
}
