import TICDSSQLite

/// What the schema of a copy that came from elsewhere says, before anything that stands in its tables is looked at.
///
/// Expressions in a schema run whenever a row is read or written, for as long as the store lives, and constraints refuse rows that all other
/// devices have. No store of ours has any, so a copy that has one was made by somebody else. Reads SQLite's own description of the schema, which
/// evaluates nothing.
struct SnapshotSchema {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Refuses a schema that holds what runs by itself.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check() throws {
    let foreign = try connection.first(
      """
      SELECT name FROM sqlite_master
      WHERE type NOT IN ('table', 'index') OR (type = 'table' AND upper(sql) LIKE 'CREATE VIRTUAL%') LIMIT 1
      """)
    if case .text(let name)? = foreign { throw refusal("a trigger, a view or a virtual table", name) }
    try refuse(
      "a column that is computed",
      """
      SELECT t.name FROM sqlite_master t, pragma_table_xinfo(t.name) c
      WHERE t.type = 'table' AND c.hidden <> 0
      """)
    try refuse(
      "an index of an expression, or of some rows only",
      """
      SELECT i.name FROM sqlite_master t, pragma_index_list(t.name) i
      WHERE t.type = 'table' AND t.name NOT LIKE 'TICDS\\_%' ESCAPE '\\'
      AND (i.partial <> 0 OR EXISTS (SELECT 1 FROM pragma_index_xinfo(i.name) c WHERE c.cid = -2))
      """)
    try checkValues()
  }

  /// Values that columns have by themselves may be constants, and what rows may hold is for the application to say.
  private func checkValues() throws {
    let columns = try connection.prepare(
      """
      SELECT t.name, c.dflt_value FROM sqlite_master t, pragma_table_xinfo(t.name) c
      WHERE t.type = 'table' AND c.dflt_value IS NOT NULL
      """)
    while try columns.step() {
      if SchemaWords(columns.text(1)).isConstant { continue }
      throw refusal("a column whose value is computed", columns.text(0))
    }
    let tables = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    while try tables.step() {
      guard SchemaWords(tables.text(1)).contains("CHECK") else { continue }
      throw refusal("a table that checks its rows", tables.text(0))
    }
  }

  /// Refuses bookkeeping whose tables are not those that this version makes, word by word.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func checkBookkeeping() throws {
    let expected = try Self.known ?? Self.made()
    let found = try Self.bookkeeping(connection)
    for (name, statement) in found where expected[name] != statement {
      throw refusal("bookkeeping in another form than this version's", name)
    }
    guard found.count == expected.count else {
      throw ReplicaError.invalidSnapshot(path: connection.path, "It does not hold all bookkeeping.")
    }
  }

  /// What this version makes; `nil` if that could not be found out when it was first asked for.
  private static let known = try? made()

  private static func made() throws(SQLiteError) -> [String: String] {
    let own = try Connection(path: ":memory:")
    try own.execute(script: Bookkeeping.script)
    return try bookkeeping(own)
  }

  /// The statements that make the tables and indexes of the bookkeeping, by their names. The model that tools leave in a store is none of it.
  private static func bookkeeping(_ connection: Connection) throws(SQLiteError) -> [String: String] {
    let rows = try connection.prepare(
      """
      SELECT name, sql FROM sqlite_master
      WHERE (tbl_name LIKE 'TICDS\\_%' ESCAPE '\\' OR name LIKE 'TICDS\\_%' ESCAPE '\\')
      AND sql IS NOT NULL AND NOT (type = 'table' AND sql = 'CREATE TABLE TICDS_MODEL (CONTENTS BLOB)')
      """)
    var statements: [String: String] = [:]
    while try rows.step() {
      statements[rows.text(0)] = inOneForm(rows.text(1))
    }
    return statements
  }

  /// A statement with one space wherever white space stands in it.
  private static func inOneForm(_ statement: String) -> String {
    let words = statement.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
    return words.map { String(Substring($0)) }.joined(separator: " ")
  }

  private func refuse(_ what: String, _ sql: String) throws {
    if case .text(let name)? = try connection.first(sql + " LIMIT 1") { throw refusal(what, name) }
  }

  private func refusal(_ what: String, _ name: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, "It holds \(what), “\(name.prefix(64))”.")
  }
}

/// The words and opening parentheses of a piece of SQL, without what stands in quotation marks and comments.
struct SchemaWords {
  private let words: [String]

  init(_ sql: String) { words = Self.words(of: Array(sql.utf8)) }

  /// Whether a keyword occurs.
  func contains(_ keyword: String) -> Bool { words.contains(keyword) }

  /// Whether it is one number, text or blob, or `NULL`.
  var isConstant: Bool {
    words.allSatisfy { word in
      ["NULL", "X", "TRUE", "FALSE"].contains(word) || word.utf8.first.map(Self.isDigit) == true
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == 0x5F || byte == 0x24 || byte >= 0x80 || (0x41...0x5A).contains(byte)
      || (0x61...0x7A).contains(byte)
  }

  private static func words(of bytes: [UInt8]) -> [String] {
    var words: [String] = []
    var position = 0
    func next(_ offset: Int = 1) -> UInt8? {
      position + offset < bytes.count ? bytes[position + offset] : nil
    }
    func hasEnd(_ end: [UInt8]) -> Bool {
      end.indices.allSatisfy { position + $0 < bytes.count && bytes[position + $0] == end[$0] }
    }
    func skip(past end: [UInt8], from start: Int) {
      position = start
      while position < bytes.count, !hasEnd(end) { position += 1 }
      position += end.count
    }
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(past: [byte], from: position + 1)
      case UInt8(ascii: "["): skip(past: [UInt8(ascii: "]")], from: position + 1)
      case UInt8(ascii: "-") where next() == UInt8(ascii: "-"): skip(past: [0x0A], from: position + 2)
      case UInt8(ascii: "/") where next() == UInt8(ascii: "*"):
        skip(past: Array("*/".utf8), from: position + 2)
      case _ where isWord(byte):
        let start = position
        while position < bytes.count, isWord(bytes[position]) { position += 1 }
        words.append(String(decoding: bytes[start..<position], as: UTF8.self).uppercased())
      default:
        if byte == UInt8(ascii: "(") { words.append("(") }
        position += 1
      }
    }
    return words
  }
}
