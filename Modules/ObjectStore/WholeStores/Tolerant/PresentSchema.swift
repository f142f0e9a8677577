/// What of a layout is in a file: properties whose columns or tables are missing are taken for properties in memory.
struct PresentSchema {
  /// The layout without what is missing.
  private(set) var schema: StoreSchema
  /// By entity: the properties that the model has and the file has not.
  private(set) var missing: [PropertyMask]
  /// The entities whose table is there.
  private(set) var present: Set<Int> = []

  private let columns: [String: Set<String>]

  /// - Parameters:
  ///   - columns: The columns of each table in the file.
  ///   - note: Is told of each property and table that is missing.
  init(
    _ whole: StoreSchema, columns: [String: Set<String>], note: (_ place: String, _ reason: String) -> Void
  ) {
    self.columns = columns
    schema = whole
    missing = Array(repeating: PropertyMask(), count: whole.tables.count)
    let model = whole.model
    for (entity, table) in zip(model.entities, whole.tables) {
      if hasRows(table) {
        present.insert(entity.index)
      } else {
        note(entity.name, "its table \(table.name) is missing, or lacks its keys")
      }
    }
    // Members are looked up in columns of relationships to one object, so these come first.
    for isFirst in [true, false] {
      let tables = zip(model.entities, schema.tables).map { entity, table in
        let storage = zip(entity.properties, table.storage).enumerated().map { index, pair in
          let kept = isFirst ? column(pair.1, in: table) : members(pair.1, of: pair.0)
          if kept == .memory, pair.1 != .memory {
            missing[entity.index].insert(index)
            if entity.ownPropertyNames.contains(pair.0.name), present.contains(entity.index) {
              note("\(entity.name).\(pair.0.name)", "its column or table is missing")
            }
          }
          return kept
        }
        return EntityTable(
          number: table.number, name: table.name, rootNumber: table.rootNumber, isShared: table.isShared,
          storage: storage)
      }
      schema = StoreSchema(
        model: model, tables: tables, joins: whole.joins, externalValues: whole.externalValues)
    }
  }

  private func hasRows(_ table: EntityTable) -> Bool {
    columns[table.name]?.isSuperset(of: ["Z_PK", "Z_ENT"]) == true
  }

  private func column(_ storage: PropertyStorage, in table: EntityTable) -> PropertyStorage {
    let known = columns[table.name] ?? []
    switch storage {
    case .attribute(let column, _): return known.contains(column) ? storage : .memory
    case .toOne(let toOne):
      guard known.contains(toOne.key) else { return .memory }
      return .toOne(
        ToOneColumns(
          key: toOne.key, entity: toOne.entity.flatMap { known.contains($0) ? $0 : nil },
          order: toOne.order.flatMap { known.contains($0) ? $0 : nil }))
    case .memory, .inverse, .join: return storage
    }
  }

  private func members(_ storage: PropertyStorage, of property: PropertyDescription) -> PropertyStorage {
    switch storage {
    case .inverse(let destination, let index):
      guard hasRows(schema.tables[destination]), case .toOne = schema.tables[destination].storage[index]
      else {
        return .memory
      }
      return storage
    case .join(let side):
      let known = columns[side.table.name] ?? []
      let destination = property.asRelationship?.destinationIndex ?? -1
      guard schema.tables.indices.contains(destination), hasRows(schema.tables[destination]),
        known.isSuperset(of: [side.ownColumn, side.memberColumn])
      else { return .memory }
      return .join(JoinSide(table: side.table.keeping(known), isReversed: side.isReversed))
    case .memory, .attribute, .toOne: return storage
    }
  }
}

extension JoinTable {
  /// The same table without orders whose columns are missing.
  fileprivate func keeping(_ columns: Set<String>) -> JoinTable {
    JoinTable(
      index: index, name: name, sourceEntity: sourceEntity, sourceProperty: sourceProperty,
      targetEntity: targetEntity, sourceColumn: sourceColumn, targetColumn: targetColumn,
      targetOrder: targetOrder.flatMap { columns.contains($0) ? $0 : nil },
      sourceOrder: sourceOrder.flatMap { columns.contains($0) ? $0 : nil }, isReflexive: isReflexive,
      isInTarget: isInTarget)
  }
}
