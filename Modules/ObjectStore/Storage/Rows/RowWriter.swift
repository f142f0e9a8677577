import TICDSSQLite

/// Writes the rows of one entity with statements that are compiled once.
final class RowWriter {
  let entity: EntityDescription
  private let table: EntityTable
  private let schema: StoreSchema
  private let connection: Connection
  private let slots: [StoredSlot]
  private let insertion: Statement
  // `nil` if no attribute of the entity may have its value in a file.
  private let files: ExternalFiles?
  private var updates: [PropertyMask: Statement] = [:]
  private var anyVersionUpdates: [PropertyMask: Statement] = [:]
  private var lastMask = PropertyMask()
  private var lastUpdate: Statement?

  init(entity: EntityDescription, schema: StoreSchema, connection: Connection) throws {
    self.entity = entity
    self.schema = schema
    self.connection = connection
    table = schema.table(of: entity)
    slots = StoredSlot.slots(of: entity, in: schema).filter { !schema.isTriggered($0.index, of: entity) }
    files =
      slots.contains(where: \.isExternal) ? schema.externalValues.map { ExternalFiles($0, connection) } : nil
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + slots.flatMap(\.columns).map { quote($0) }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    insertion = try connection.prepare(
      "INSERT INTO \(quote(table.name)) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
  }

  /// Writes a new row.
  func insert(key: Int64, values: ContiguousArray<AttributeValue>) throws {
    try insertion.bind(key, at: 1)
    try insertion.bind(table.number, at: 2)
    try insertion.bind(1 as Int64, at: 3)
    var parameter = 4
    for slot in slots {
      try bind(values[slot.index], of: slot, to: insertion, at: parameter)
      parameter += slot.columns.count
    }
    _ = try insertion.step()
  }

  /// Writes some values of a row; `false` if the row is not there in this version.
  ///
  /// - Parameter mask: Which slots; must not be empty.
  func update(
    key: Int64, version: Int64, values: ContiguousArray<AttributeValue>, mask: PropertyMask
  ) throws -> Bool {
    try noteReplacedFiles(key: key) { mask.contains($0.index) }
    let statement = try update(mask)
    try statement.bind(version &+ 1, at: 1)
    var parameter = 2
    try mask.forEach { index in
      guard let slot = slot(index) else { return }
      try bind(values[index], of: slot, to: statement, at: parameter)
      parameter += slot.columns.count
    }
    try statement.bind(key, at: parameter)
    try statement.bind(version, at: parameter + 1)
    _ = try statement.step()
    return connection.changes == 1
  }

  /// Writes some values of a row, whatever its version; `false` if there is no such row.
  func update(key: Int64, _ values: [(property: Int, value: AttributeValue)]) throws -> Bool {
    var mask = PropertyMask()
    for (property, _) in values { mask.insert(property) }
    try noteReplacedFiles(key: key) { mask.contains($0.index) }
    let statement = try anyVersionUpdate(mask)
    var parameter = 1
    try mask.forEach { index in
      guard let slot = slot(index), let value = values.last(where: { $0.property == index })?.value else {
        return
      }
      try bind(value, of: slot, to: statement, at: parameter)
      parameter += slot.columns.count
    }
    try statement.bind(key, at: parameter)
    _ = try statement.step()
    return connection.changes == 1
  }

  private func anyVersionUpdate(_ mask: PropertyMask) throws -> Statement {
    if let known = anyVersionUpdates[mask] { return known }
    var assignments = ["Z_OPT = ifnull(Z_OPT, 0) + 1"]
    mask.forEach { index in assignments += (slot(index)?.columns ?? []).map { "\(quote($0)) = ?" } }
    let statement = try connection.prepare(
      "UPDATE \(quote(table.name)) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
    anyVersionUpdates[mask] = statement
    return statement
  }

  private func slot(_ index: Int) -> StoredSlot? {
    if index < slots.count, slots[index].index == index { return slots[index] }
    return slots.first { $0.index == index }
  }

  private func update(_ mask: PropertyMask) throws -> Statement {
    if mask == lastMask, let lastUpdate { return lastUpdate }
    let statement: Statement
    if let known = updates[mask] {
      statement = known
    } else {
      var columns: [String] = []
      mask.forEach { index in columns += slot(index)?.columns ?? [] }
      let assignments = (["Z_OPT"] + columns).map { "\(quote($0)) = ?" }.joined(separator: ", ")
      // A version of 0 stands for NULL, which other programs may leave.
      statement = try connection.prepare(
        "UPDATE \(quote(table.name)) SET \(assignments) WHERE Z_PK = ? AND ifnull(Z_OPT, 0) = ?")
      updates[mask] = statement
    }
    lastMask = mask
    lastUpdate = statement
    return statement
  }

  /// Deletes a row; `false` if it is not there in this version.
  func delete(key: Int64, version: Int64) throws -> Bool {
    try noteReplacedFiles(key: key)
    let statement = try connection.cached(
      "DELETE FROM \(quote(table.name)) WHERE Z_PK = ? AND ifnull(Z_OPT, 0) = ?")
    try statement.bind(key, at: 1)
    try statement.bind(version, at: 2)
    _ = try statement.step()
    return connection.changes == 1
  }

  /// Notes the files of values that are about to be replaced, or that go with their row; they go with the commit.
  func noteReplacedFiles(key: Int64, where isReplaced: (StoredSlot) -> Bool = { _ in true }) throws {
    guard let files else { return }
    let columns = slots.filter { $0.isExternal && isReplaced($0) }.flatMap(\.columns)
    if !columns.isEmpty { try files.noteReplaced(columns, table: table.name, key: key) }
  }

  @inline(__always)
  private func bind(
    _ value: AttributeValue, of slot: StoredSlot, to statement: Statement, at parameter: Int
  ) throws {
    if slot.isExternal, let files, case .data(let bytes) = value {
      return try statement.bind(files.column(bytes), at: parameter)
    }
    if case .reference(let entity, let key) = value {
      try statement.bind(key, at: parameter)
      if slot.columns.count > 1 { try statement.bind(schema.tables[Int(entity)].number, at: parameter + 1) }
      return
    }
    try statement.bind(value, at: parameter)
    if slot.columns.count > 1 { try statement.bindNull(parameter + 1) }
  }
}

/// A slot of an object that has a column, or two.
struct StoredSlot {
  /// Position among the values of an object.
  let index: Int
  /// The column; for a to-one relationship perhaps that of the target's entity too.
  let columns: [String]
  /// Whether the value may be in a file of its own.
  var isExternal = false

  /// All stored slots of an entity, ascending.
  static func slots(of entity: EntityDescription, in schema: StoreSchema) -> [StoredSlot] {
    var slots: [StoredSlot] = []
    for (index, storage) in schema.table(of: entity).storage.enumerated() {
      switch storage {
      case .attribute(let column, _):
        slots.append(
          StoredSlot(
            index: index, columns: [column],
            isExternal: entity.attribute(at: index)?.isMarkedExternal == true))
      case .toOne(let toOne):
        slots.append(StoredSlot(index: index, columns: [toOne.key] + (toOne.entity.map { [$0] } ?? [])))
        if let order = toOne.order, let slot = entity.orderSlots[index] {
          slots.append(StoredSlot(index: slot, columns: [order]))
        }
      case .memory, .inverse, .join: break
      }
    }
    return slots.sorted { $0.index < $1.index }
  }
}
