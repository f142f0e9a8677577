import ObjectStore
import TICDSSQLite

/// Registers that no row can show now: of objects that do not live, of properties the local model does not know, long
/// values that have not arrived, and to-one relationships whose target does not live or belongs to a later claim.
final class ParkedTable {
  typealias Content = ChangeTracking.Register.Content

  /// Registers that were parked since ``beginNoting()`` and still are, as far as memory is worth it; in order.
  var fresh: [RegisterID] {
    noted.flatMap { object, bits in bits.map { RegisterID(object: object, bit: $0) } }.sorted()
  }

  private var noted: [RecordID: Set<PropertyBit>] = [:]
  /// Whether there is anything in the tables; as a rule there is not, and nothing needs to be looked for.
  private var mayHoldValues: Bool
  private var mayHoldTargets: Bool
  private let connection: Connection
  private let valuesOf: Statement
  private let valueOf: Statement
  private let targetOf: Statement
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
    valuesOf = try connection.cached("SELECT bit, value FROM TICDS_VALUE WHERE object = ? ORDER BY bit")
    valueOf = try connection.cached("SELECT value FROM TICDS_VALUE WHERE object = ? AND bit = ?")
    targetOf = try connection.cached("SELECT target FROM TICDS_TARGET WHERE object = ? AND bit = ?")
    insertValue = try connection.cached("INSERT OR REPLACE INTO TICDS_VALUE VALUES (?, ?, ?, ?)")
    deleteValue = try connection.cached("DELETE FROM TICDS_VALUE WHERE object = ? AND bit = ?")
    deleteValues = try connection.cached("DELETE FROM TICDS_VALUE WHERE object = ?")
    targetsOf = try connection.cached("SELECT bit, target FROM TICDS_TARGET WHERE object = ? ORDER BY bit")
    sourcesOf = try connection.cached(
      "SELECT object, bit FROM TICDS_TARGET WHERE target = ? ORDER BY object, bit")
    insertTarget = try connection.cached("INSERT OR REPLACE INTO TICDS_TARGET VALUES (?, ?, ?)")
    deleteTarget = try connection.cached("DELETE FROM TICDS_TARGET WHERE object = ? AND bit = ?")
    deleteTargets = try connection.cached("DELETE FROM TICDS_TARGET WHERE object = ?")
    mayHoldValues = try connection.first("SELECT 1 FROM TICDS_VALUE LIMIT 1") != nil
    mayHoldTargets = try connection.first("SELECT 1 FROM TICDS_TARGET LIMIT 1") != nil
  }

  /// Begins anew to note what is parked.
  func beginNoting() { noted = [:] }

  private func note(_ object: RecordID, _ bit: PropertyBit) {
    // Before an inserted object's target is inserted its relationship is parked too, so this bounds memory, not reports.
    if noted.count < 20_000 || noted[object] != nil { noted[object, default: []].insert(bit) }
  }

  private func forget(_ object: RecordID, _ bit: PropertyBit) {
    guard !noted.isEmpty, noted[object]?.remove(bit) != nil, noted[object]?.isEmpty == true else { return }
    noted[object] = nil
  }

  func values(of object: RecordID) throws -> [Win] {
    guard mayHoldValues else { return [] }
    try valuesOf.bind(object.rawValue, at: 1)
    var values: [Win] = []
    while try valuesOf.step() {
      let bit = PropertyBit(rawValue: Int(clamping: valuesOf.int64(0)))
      values.append(Win(bit: bit, content: try content(valuesOf, 1, of: object)))
    }
    return values
  }

  /// What is kept aside of one attribute; `nil` if it is nothing.
  func value(of register: RegisterID) throws -> Content? {
    guard mayHoldValues else { return nil }
    try valueOf.bind(register.object.rawValue, at: 1)
    try valueOf.bind(Int64(register.bit.rawValue), at: 2)
    defer { valueOf.reset() }
    return try valueOf.step() ? content(valueOf, 0, of: register.object) : nil
  }

  private func content(_ statement: Statement, _ column: Int, of object: RecordID) throws -> Content {
    guard let value = Content(parked: statement.blob(column)) else {
      throw ReplicaError.damagedBookkeeping(
        path: connection.path, "A parked value of object \(object.rawValue) is unreadable.")
    }
    return value
  }

  /// Keeps a value aside.
  ///
  /// - Parameter isContested: because another object shows it, and it must be unique.
  func park(_ value: Content, of object: RecordID, _ bit: PropertyBit, isContested: Bool = false) throws {
    note(object, bit)
    mayHoldValues = true
    try insertValue.bind(object.rawValue, at: 1)
    try insertValue.bind(Int64(bit.rawValue), at: 2)
    try insertValue.bind(value.parkedBytes, at: 3)
    try insertValue.bind(Int64(isContested ? 1 : 0), at: 4)
    try insertValue.run()
  }

  /// The long values that have not arrived, with the registers that wait for them.
  func awaited() throws -> [(register: RegisterID, value: LongValue)] {
    // By the tag of the value, as in a value column.
    let statement = try connection.cached(
      "SELECT object, bit, value FROM TICDS_VALUE WHERE substr(value, 1, 1) IN (x'0e', x'0f') ORDER BY object, bit"
    )
    var awaited: [(RegisterID, LongValue)] = []
    while try statement.step() {
      guard case .longValue(let value)? = Content(parked: statement.blob(2)) else { continue }
      awaited.append((Self.register(statement), value))
    }
    return awaited
  }

  /// The objects of an entity that keep a relationship to an object of another family aside, with that object.
  func targets(of entity: EntityNumber, _ bit: PropertyBit, notBelow root: EntityNumber) throws -> [(
    object: RecordID, target: RecordID
  )] {
    let statement = try connection.prepare(
      """
      SELECT object, target FROM TICDS_TARGET WHERE bit = ?1
      AND object IN (SELECT id FROM TICDS_OBJECT WHERE entity = ?2)
      AND target IN (SELECT id FROM TICDS_OBJECT WHERE root <> ?3) ORDER BY object
      """)
    try statement.bind([
      .integer(Int64(bit.rawValue)), .integer(Int64(entity.rawValue)), .integer(Int64(root.rawValue)),
    ])
    var found: [(RecordID, RecordID)] = []
    while try statement.step() {
      found.append((RecordID(rawValue: statement.int64(0)), RecordID(rawValue: statement.int64(1))))
    }
    return found
  }

  /// The objects that keep a value of an attribute aside because another object shows it, and it must be unique.
  ///
  /// - Parameter value: as ``Content/parkedBytes``.
  func contested(_ bit: PropertyBit, _ value: [UInt8]) throws -> [RecordID] {
    guard mayHoldValues else { return [] }
    let statement = try connection.cached(
      "SELECT object FROM TICDS_VALUE WHERE contested AND bit = ? AND value = ? ORDER BY object")
    try statement.bind(Int64(bit.rawValue), at: 1)
    try statement.bind(value, at: 2)
    var objects: [RecordID] = []
    while try statement.step() { objects.append(RecordID(rawValue: statement.int64(0))) }
    return objects
  }

  /// The attributes of an object that are kept aside for that reason.
  func contested(of object: RecordID) throws -> [PropertyBit] {
    guard mayHoldValues else { return [] }
    let statement = try connection.cached(
      "SELECT bit FROM TICDS_VALUE WHERE object = ? AND contested ORDER BY bit")
    try statement.bind(object.rawValue, at: 1)
    var bits: [PropertyBit] = []
    while try statement.step() { bits.append(PropertyBit(rawValue: Int(clamping: statement.int64(0)))) }
    return bits
  }

  /// The values that are kept aside for that reason, each once.
  func contestedValues() throws -> [(bit: PropertyBit, value: Content)] {
    guard mayHoldValues else { return [] }
    let statement = try connection.cached("SELECT DISTINCT bit, value FROM TICDS_VALUE WHERE contested")
    var values: [(PropertyBit, Content)] = []
    while try statement.step() {
      guard let value = Content(parked: statement.blob(1)) else { continue }
      values.append((PropertyBit(rawValue: Int(clamping: statement.int64(0))), value))
    }
    return values
  }

  /// Whether a register is kept aside.
  func contains(_ register: RegisterID) throws -> Bool {
    try value(of: register) != nil || target(of: register) != nil
  }

  /// Whether a register waits for a long value.
  func isAwaited(_ register: RegisterID) throws -> Bool {
    if case .longValue? = try value(of: register) { true } else { false }
  }

  func removeValue(of object: RecordID, _ bit: PropertyBit) throws {
    guard mayHoldValues else { return }
    forget(object, bit)
    try run(deleteValue, object, bit)
  }

  func targets(of object: RecordID) throws -> [(bit: PropertyBit, target: RecordID)] {
    guard mayHoldTargets else { return [] }
    try targetsOf.bind(object.rawValue, at: 1)
    var targets: [(PropertyBit, RecordID)] = []
    while try targetsOf.step() {
      targets.append(
        (PropertyBit(rawValue: Int(clamping: targetsOf.int64(0))), RecordID(rawValue: targetsOf.int64(1))))
    }
    return targets
  }

  /// The target that is kept aside for a register, if there is one.
  func target(of register: RegisterID) throws -> RecordID? {
    guard mayHoldTargets else { return nil }
    try targetOf.bind(register.object.rawValue, at: 1)
    try targetOf.bind(Int64(register.bit.rawValue), at: 2)
    defer { targetOf.reset() }
    return try targetOf.step() ? RecordID(rawValue: targetOf.int64(0)) : nil
  }

  /// The registers that are kept aside because of a target.
  func sources(of target: RecordID) throws -> [RegisterID] {
    guard mayHoldTargets else { return [] }
    try sourcesOf.bind(target.rawValue, at: 1)
    var sources: [RegisterID] = []
    while try sourcesOf.step() { sources.append(Self.register(sourcesOf)) }
    return sources
  }

  private static func register(_ statement: Statement) -> RegisterID {
    RegisterID(
      object: RecordID(rawValue: statement.int64(0)),
      bit: PropertyBit(rawValue: Int(clamping: statement.int64(1))))
  }

  func park(target: RecordID, of object: RecordID, _ bit: PropertyBit) throws {
    note(object, bit)
    mayHoldTargets = true
    try insertTarget.bind(object.rawValue, at: 1)
    try insertTarget.bind(Int64(bit.rawValue), at: 2)
    try insertTarget.bind(target.rawValue, at: 3)
    try insertTarget.run()
  }

  func removeTarget(of object: RecordID, _ bit: PropertyBit) throws {
    guard mayHoldTargets else { return }
    forget(object, bit)
    try run(deleteTarget, object, bit)
  }

  /// Forgets everything parked for an object itself.
  func removeAll(of object: RecordID) throws {
    noted[object] = nil
    for (statement, mayHold) in [(deleteValues, mayHoldValues), (deleteTargets, mayHoldTargets)] where mayHold
    {
      try statement.bind(object.rawValue, at: 1)
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

  private func run(_ statement: Statement, _ object: RecordID, _ bit: PropertyBit) throws {
    try statement.bind(object.rawValue, at: 1)
    try statement.bind(Int64(bit.rawValue), at: 2)
    try statement.run()
  }
}
