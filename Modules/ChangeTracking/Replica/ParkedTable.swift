import ObjectStore
import SQLite

/// Registers that no row can show now: of objects that do not live, of properties the local model does not know, long
/// values that have not arrived, and to-one relationships whose target does not live or belongs to a later claim.
struct ParkedTable {
  private let connection: Connection
  private let valuesOf: Statement
  private let insertValue: Statement
  private let deleteValue: Statement
  private let deleteValues: Statement
  private let targetsOf: Statement
  private let sourcesOf: Statement
  private let insertTarget: Statement
  private let deleteTarget: Statement
  private let deleteTargets: Statement

  init(connection: Connection) throws {
    self.connection = connection
    valuesOf = try connection.prepare("SELECT bit, value FROM TICDS_VALUE WHERE object = ? ORDER BY bit")
    insertValue = try connection.prepare("INSERT OR REPLACE INTO TICDS_VALUE VALUES (?, ?, ?)")
    deleteValue = try connection.prepare("DELETE FROM TICDS_VALUE WHERE object = ? AND bit = ?")
    deleteValues = try connection.prepare("DELETE FROM TICDS_VALUE WHERE object = ?")
    targetsOf = try connection.prepare("SELECT bit, target FROM TICDS_TARGET WHERE object = ? ORDER BY bit")
    sourcesOf = try connection.prepare(
      "SELECT object, bit FROM TICDS_TARGET WHERE target = ? ORDER BY object, bit")
    insertTarget = try connection.prepare("INSERT OR REPLACE INTO TICDS_TARGET VALUES (?, ?, ?)")
    deleteTarget = try connection.prepare("DELETE FROM TICDS_TARGET WHERE object = ? AND bit = ?")
    deleteTargets = try connection.prepare("DELETE FROM TICDS_TARGET WHERE object = ?")
  }

  func values(of object: Int64) throws -> [(bit: Int, content: Register.Content)] {
    try valuesOf.bind(object, at: 1)
    var values: [(Int, Register.Content)] = []
    while try valuesOf.step() {
      guard let value = Register.Content(parked: valuesOf.blob(1)) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A parked value of object \(object) is unreadable.")
      }
      values.append((Int(valuesOf.int64(0)), value))
    }
    return values
  }

  func park(_ value: Register.Content, of object: Int64, bit: Int) throws {
    try insertValue.bind(object, at: 1)
    try insertValue.bind(Int64(bit), at: 2)
    try insertValue.bind(value.parkedBytes, at: 3)
    try insertValue.run()
  }

  /// The long values that have not arrived, with the registers that wait for them.
  func awaited() throws -> [(object: Int64, bit: Int, value: LongValue)] {
    // By the tag of the value, as in a value column.
    let statement = try connection.cached(
      "SELECT object, bit, value FROM TICDS_VALUE WHERE substr(value, 1, 1) IN (x'0e', x'0f') ORDER BY object, bit"
    )
    var awaited: [(Int64, Int, LongValue)] = []
    while try statement.step() {
      guard case .longValue(let value)? = Register.Content(parked: statement.blob(2)) else { continue }
      awaited.append((statement.int64(0), Int(statement.int64(1)), value))
    }
    return awaited
  }

  func removeValue(of object: Int64, bit: Int) throws { try run(deleteValue, object, bit) }

  func targets(of object: Int64) throws -> [(bit: Int, target: Int64)] {
    try pairs(targetsOf, object).map { (Int($0.0), $0.1) }
  }

  func sources(of target: Int64) throws -> [(object: Int64, bit: Int)] {
    try pairs(sourcesOf, target).map { ($0.0, Int($0.1)) }
  }

  func park(target: Int64, of object: Int64, bit: Int) throws {
    try insertTarget.bind(object, at: 1)
    try insertTarget.bind(Int64(bit), at: 2)
    try insertTarget.bind(target, at: 3)
    try insertTarget.run()
  }

  func removeTarget(of object: Int64, bit: Int) throws { try run(deleteTarget, object, bit) }

  /// All parked to-one relationships.
  func allTargets() throws -> [(object: Int64, bit: Int, target: Int64)] {
    let statement = try connection.cached("SELECT object, bit, target FROM TICDS_TARGET ORDER BY object, bit")
    var targets: [(Int64, Int, Int64)] = []
    while try statement.step() {
      targets.append((statement.int64(0), Int(statement.int64(1)), statement.int64(2)))
    }
    return targets
  }

  /// Forgets everything parked for an object itself.
  func removeAll(of object: Int64) throws {
    for statement in [deleteValues, deleteTargets] {
      try statement.bind(object, at: 1)
      try statement.run()
    }
  }

  /// How many registers are parked.
  func count() throws -> Int {
    guard
      case .integer(let count)? = try connection.first(
        "SELECT (SELECT count(*) FROM TICDS_VALUE) + (SELECT count(*) FROM TICDS_TARGET)")
    else { return 0 }
    return Int(count)
  }

  private func pairs(_ statement: Statement, _ object: Int64) throws -> [(Int64, Int64)] {
    try statement.bind(object, at: 1)
    var pairs: [(Int64, Int64)] = []
    while try statement.step() { pairs.append((statement.int64(0), statement.int64(1))) }
    return pairs
  }

  private func run(_ statement: Statement, _ object: Int64, _ bit: Int) throws {
    try statement.bind(object, at: 1)
    try statement.bind(Int64(bit), at: 2)
    try statement.run()
  }
}
