import TICDSSQLite

/// Writes rows of one entity that are new, and what is set in others to those that are there.
struct BatchUpsert {
  let entity: EntityDescription
  let store: PersistentStore
  let connection: Connection
  let rule: BatchConflictRule

  func run<Object, Elements: Sequence>(
    _ elements: Elements, _ row: (Elements.Element) throws -> BatchRow<Object>
  ) throws -> ObjectChanges {
    let editor = RowEditor(schema: store.schema, connection: connection)
    let writer = try RowWriter(entity: entity, schema: store.schema, connection: connection)
    let unique = try UniqueRows(entity, schema: store.schema, connection: connection)
    let number = store.schema.table(of: entity).rootNumber
    var references = ReferenceCheck(schema: store.schema, connection: connection, identity: store.identity)
    var changes = ObjectChanges()
    // A row may be met again in the same batch.
    var told: Set<Int64> = []
    for element in elements {
      let row = try row(element)
      var found: [UniqueRows.Found] = []
      for constraint in unique.constraints {
        guard let values = constraint.values(of: { row.values[$0] }) else { continue }
        if let other = try unique.row(constraint, values) { found.append(other) }
      }
      guard let other = try UniqueRows.single(found, for: entity, entityOf: \.entity) else {
        try row.check()
        try references.check(row.values[entity.attributeCount..<entity.slotCount])
        let key = try KeyCounter.reserve(1, number: number, on: connection)
        try writer.insert(key: key, values: row.values)
        changes.inserted.append(store.objectID(entity, key: key))
        told.insert(key)
        continue
      }
      try row.checkSet()
      let values = row.setValues
      if rule == .keep || values.isEmpty { continue }
      try references.check(values.map(\.value))
      try editor.update(entity.index, key: other.key, values)
      if told.insert(other.key).inserted {
        changes.updated.append(store.objectID(other.entity, key: other.key))
      }
    }
    return changes
  }
}
