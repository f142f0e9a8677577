import ObjectStore
import SQLite

/// Registers that no row can show now: of objects that do not live, of properties the local model does not know, long
/// values that have not arrived, and to-one relationships whose target does not live or belongs to a later claim.
struct ParkedTable {
  /// One register.
  struct Register: Hashable {
    var object: Int64
    var bit: Int
  }

  typealias Content = ChangeTracking.Register.Content

  /// Registers that were parked since ``beginNoting()`` and still are, as far as memory is worth it; in order.
  var fresh: [Register] {
    noted.flatMap { object, bits in bits.map { Register(object: object, bit: $0) } }
      .sorted { ($0.object, $0.bit) < ($1.object, $1.bit) }
  }

  private var noted: [Int64: Set<Int>] = [:]
  /// Whether there is anything in the tables; as a rule there is not, and nothing needs to be looked for.
  private var mayHoldValues = true
  private var mayHoldTargets = true
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

  /// Looks whether anything is parked, at the beginning of a transaction.
  mutating func beginTransaction() throws {
    beginNoting()
    mayHoldValues = try connection.first("SELECT 1 FROM TICDS_VALUE LIMIT 1") != nil
    mayHoldTargets = try connection.first("SELECT 1 FROM TICDS_TARGET LIMIT 1") != nil
  }

  /// After a transaction others may park something.
  mutating func endTransaction() {
    mayHoldValues = true
    mayHoldTargets = true
  }

  /// Begins anew to note what is parked.
  mutating func beginNoting() { noted = [:] }

  private mutating func note(_ object: Int64, _ bit: Int) {
    // Before an inserted object's target is inserted its relationship is parked too, so this bounds memory, not reports.
    if noted.count < 20_000 || noted[object] != nil { noted[object, default: []].insert(bit) }
  }

  private mutating func forget(_ object: Int64, _ bit: Int) {
    guard !noted.isEmpty, noted[object]?.remove(bit) != nil, noted[object]?.isEmpty == true else { return }
    noted[object] = nil
  }

  func values(of object: Int64) throws -> [(bit: Int, content: Content)] {
    guard mayHoldValues else { return [] }
    try valuesOf.bind(object, at: 1)
    var values: [(Int, Content)] = []
    while try valuesOf.step() {
      guard let value = Content(parked: valuesOf.blob(1)) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A parked value of object \(object) is unreadable.")
      }
      values.append((Int(valuesOf.int64(0)), value))
    }
    return values
  }

  mutating func park(_ value: Content, of object: Int64, bit: Int) throws {
    note(object, bit)
    mayHoldValues = true
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
      guard case .longValue(let value)? = Content(parked: statement.blob(2)) else { continue }
      awaited.append((statement.int64(0), Int(statement.int64(1)), value))
    }
    return awaited
  }

  /// Whether a register waits for a long value.
  func isAwaited(_ register: Register) throws -> Bool {
    try values(of: register.object).contains {
      if case .longValue = $0.content { $0.bit == register.bit } else { false }
    }
  }

  mutating func removeValue(of object: Int64, bit: Int) throws {
    guard mayHoldValues else { return }
    forget(object, bit)
    try run(deleteValue, object, bit)
  }

  func targets(of object: Int64) throws -> [(bit: Int, target: Int64)] {
    guard mayHoldTargets else { return [] }
    return try pairs(targetsOf, object).map { (Int($0.0), $0.1) }
  }

  func sources(of target: Int64) throws -> [(object: Int64, bit: Int)] {
    guard mayHoldTargets else { return [] }
    return try pairs(sourcesOf, target).map { ($0.0, Int($0.1)) }
  }

  mutating func park(target: Int64, of object: Int64, bit: Int) throws {
    note(object, bit)
    mayHoldTargets = true
    try insertTarget.bind(object, at: 1)
    try insertTarget.bind(Int64(bit), at: 2)
    try insertTarget.bind(target, at: 3)
    try insertTarget.run()
  }

  mutating func removeTarget(of object: Int64, bit: Int) throws {
    guard mayHoldTargets else { return }
    forget(object, bit)
    try run(deleteTarget, object, bit)
  }

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
  mutating func removeAll(of object: Int64) throws {
    noted[object] = nil
    for (statement, mayHold) in [(deleteValues, mayHoldValues), (deleteTargets, mayHoldTargets)] where mayHold
    {
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
