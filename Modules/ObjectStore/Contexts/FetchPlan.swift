import SQLite

/// How rows of an entity and of those that inherit from it become objects: which columns to select, and which value each is.
final class FetchPlan {
  let entity: EntityDescription
  let table: EntityTable
  /// The columns to select, of a table called `t`: key, entity and version first.
  let columns: String
  // For every entity that a row may be of, by index.
  private let readers: [Int: RowReader]
  let ownReader: RowReader
  private let schema: StoreSchema

  init(entity: EntityDescription, schema: StoreSchema) {
    self.entity = entity
    self.schema = schema
    table = schema.table(of: entity)
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var positions: [String: Int] = [:]
    func position(_ column: String) -> Int {
      if let known = positions[column] { return known }
      positions[column] = names.count
      names.append(column)
      return names.count - 1
    }
    var readers: [Int: RowReader] = [:]
    for index in entity.familyIndices {
      readers[index] = RowReader(of: schema.model.entities[index], in: schema, position)
    }
    self.readers = readers
    ownReader = RowReader(of: entity, in: schema, position)
    columns = names.map { "t.\(quote($0))" }.joined(separator: ", ")
  }

  /// The SQL condition that a row is of this entity or one that inherits from it; `nil` if every row of the table is.
  func entityCondition(alias: String) -> String? {
    if !table.isShared || entity.parent == nil { return nil }
    let numbers = entity.familyIndices.map { String(schema.tables[$0].number) }.joined(separator: ", ")
    return "\(alias).Z_ENT IN (\(numbers))"
  }

  /// The entity of the current row.
  @inline(__always)
  func rowEntity(_ statement: Statement) -> EntityDescription? {
    let number = statement.int64(1)
    if number == table.number { return entity }
    return schema.entity(numbered: number).flatMap { readers[$0.index] == nil ? nil : $0 }
  }

  /// The values of the current row, for an object of `rowEntity`.
  @inline(__always)
  func read(_ statement: Statement, _ rowEntity: EntityDescription) -> ContiguousArray<AttributeValue> {
    rowEntity === entity
      ? ownReader.read(statement) : (readers[rowEntity.index] ?? ownReader).read(statement)
  }
}

/// Reads the values of one entity's rows.
struct RowReader {
  private enum Source {
    case attribute(AttributeType)
    case reference(Int32)
    case variableReference(column: Int)
    case order
    case memory(AttributeValue)
  }

  private var sources: ContiguousArray<(source: Source, column: Int)> = []
  private let schema: StoreSchema

  init(of entity: EntityDescription, in schema: StoreSchema, _ position: (String) -> Int) {
    self.schema = schema
    var orders: [(slot: Int, column: String)] = []
    for (index, storage) in schema.table(of: entity).storage.prefix(entity.slotCount).enumerated() {
      switch storage {
      case .attribute(let column, let type): sources.append((.attribute(type), position(column)))
      case .toOne(let toOne):
        let destination = Int32(entity.properties[index].asRelationship?.destinationIndex ?? 0)
        let column = position(toOne.key)
        sources.append(
          (toOne.entity.map { .variableReference(column: position($0)) } ?? .reference(destination), column))
        if let order = toOne.order, let slot = entity.orderSlots[index] { orders.append((slot, order)) }
      case .memory, .inverse, .join: sources.append((.memory(entity.defaults[index]), 0))
      }
    }
    for order in orders.sorted(by: { $0.slot < $1.slot }) { sources.append((.order, position(order.column))) }
    // A transient to-one relationship to an ordered one has a place, too, but no column.
    while sources.count < entity.valueCount { sources.append((.memory(.null), 0)) }
  }

  @inline(__always)
  func read(_ statement: Statement) -> ContiguousArray<AttributeValue> {
    var values = ContiguousArray<AttributeValue>()
    values.reserveCapacity(sources.count)
    for (source, column) in sources { values.append(value(statement, source, column)) }
    return values
  }

  /// One value of the current row; null if the index is no slot.
  func value(_ statement: Statement, at index: Int) -> AttributeValue {
    guard sources.indices.contains(index) else { return .null }
    return value(statement, sources[index].source, sources[index].column)
  }

  @inline(__always)
  private func value(_ statement: Statement, _ source: Source, _ column: Int) -> AttributeValue {
    switch source {
    case .attribute(let type): return statement.attributeValue(column, as: type)
    case .reference(let entity):
      return statement.isNull(column) ? .null : .reference(entity: entity, key: statement.int64(column))
    case .variableReference(let entityColumn):
      guard !statement.isNull(column), let entity = schema.entity(numbered: statement.int64(entityColumn))
      else {
        return .null
      }
      return .reference(entity: Int32(entity.index), key: statement.int64(column))
    case .order: return statement.attributeValue(column, as: .integer64)
    case .memory(let value): return value
    }
  }
}
