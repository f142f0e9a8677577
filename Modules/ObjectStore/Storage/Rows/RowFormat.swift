import TICDSSQLite

/// Where the values of an entity's rows stand in a statement's columns, and in a ``RowSlab``.
final class RowFormat {
  enum Source {
    /// An attribute's column.
    case attribute(AttributeType, column: Int32)
    /// The column of an attribute of which the value may be in a file beside the store.
    case external(ExternalValues, column: Int32)
    /// A to-one relationship's column; the target's entity is known.
    case reference(Int32, column: Int32)
    /// The columns of a to-one relationship of which the target may be of several entities.
    case variableReference(column: Int32, entityColumn: Int32)
    /// No column: always the same value.
    case memory(AttributeValue)
  }

  /// A source without references of its own, so that going through them counts none.
  struct Column {
    enum Kind: UInt8 {
      case integer, real, text, bytes, external, reference, variableReference, memory
    }

    let kind: Kind
    let type: AttributeType
    let column: Int32
    /// The target's entity of a reference.
    let entity: Int32
  }

  let entity: EntityDescription
  /// One per slot.
  let columns: UnsafeMutablePointer<Column>
  /// One per slot.
  let sources: ContiguousArray<Source>
  /// Words of a slab's row that tell which values are null, one bit each.
  let maskWords: Int
  /// Words of a slab's row: those of the mask, one for each slot, and one for each target's entity.
  let stride: Int
  /// Where the target's entity of a variable reference stands in a slab's row, by slot.
  let entityWords: [Int: Int]
  let schema: StoreSchema

  init(of entity: EntityDescription, in schema: StoreSchema, _ position: (String) -> Int) {
    self.entity = entity
    self.schema = schema
    var sources: ContiguousArray<Source> = []
    var orders: [(slot: Int, column: String)] = []
    for (index, storage) in schema.table(of: entity).storage.prefix(entity.slotCount).enumerated() {
      switch storage {
      case .attribute(let column, let type):
        if let values = schema.externalValues, entity.attribute(at: index)?.isMarkedExternal == true {
          sources.append(.external(values, column: Int32(position(column))))
        } else {
          sources.append(.attribute(type, column: Int32(position(column))))
        }
      case .toOne(let toOne):
        let column = Int32(position(toOne.key))
        if let entityColumn = toOne.entity {
          sources.append(.variableReference(column: column, entityColumn: Int32(position(entityColumn))))
        } else {
          let destination = entity.properties[index].asRelationship?.destinationIndex ?? 0
          sources.append(.reference(Int32(destination), column: column))
        }
        if let order = toOne.order, let slot = entity.orderSlots[index] { orders.append((slot, order)) }
      case .memory, .inverse, .join: sources.append(.memory(entity.defaults[index]))
      }
    }
    for order in orders.sorted(by: { $0.slot < $1.slot }) {
      sources.append(.attribute(.integer64, column: Int32(position(order.column))))
    }
    // A transient to-one relationship to an ordered one has a place, too, but no column.
    while sources.count < entity.valueCount { sources.append(.memory(.null)) }

    maskWords = (sources.count + 63) / 64
    var words = maskWords + sources.count
    var entityWords: [Int: Int] = [:]
    for (slot, source) in sources.enumerated() {
      if case .variableReference = source {
        entityWords[slot] = words
        words += 1
      }
    }
    columns = .allocate(capacity: sources.count)
    for (slot, source) in sources.enumerated() {
      (columns + slot).initialize(to: Self.column(source))
    }
    self.sources = sources
    self.entityWords = entityWords
    stride = words
  }

  deinit {
    columns.deallocate()
  }

  private static func column(_ source: Source) -> Column {
    switch source {
    case .attribute(let type, let column):
      let kind: Column.Kind =
        switch type {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .real
        case .string, .uri, .decimal: .text
        case .binary, .transformable, .composite, .undefined, .uuid: .bytes
        case .objectID: .memory
        }
      return Column(kind: kind, type: type, column: column, entity: 0)
    case .external(_, let column): return Column(kind: .external, type: .binary, column: column, entity: 0)
    case .reference(let entity, let column):
      return Column(kind: .reference, type: .integer64, column: column, entity: entity)
    case .variableReference(let column, let entityColumn):
      return Column(kind: .variableReference, type: .integer64, column: column, entity: entityColumn)
    case .memory: return Column(kind: .memory, type: .undefined, column: 0, entity: 0)
    }
  }

  /// One value of a statement's current row; null if the index is no slot.
  func value(_ statement: Statement, at slot: Int) -> AttributeValue {
    guard sources.indices.contains(slot) else { return .null }
    switch sources[slot] {
    case .attribute(let type, let column): return statement.attributeValue(Int(column), as: type)
    case .external(let values, let column):
      return statement.isNull(Int(column)) ? .null : statement.withBlob(Int(column)) { values.value($0) }
    case .reference(let entity, let column):
      return statement.isNull(Int(column))
        ? .null : .reference(entity: entity, key: statement.int64(Int(column)))
    case .variableReference(let column, let entityColumn):
      guard !statement.isNull(Int(column)),
        let entity = schema.entity(numbered: statement.int64(Int(entityColumn)))
      else { return .null }
      return .reference(entity: Int32(entity.index), key: statement.int64(Int(column)))
    case .memory(let value): return value
    }
  }
}
