import TICDSSQLite

extension BatchObjects {
  /// What makes objects equal under a constraint.
  private struct Identity: Hashable {
    let constraint: Int
    let values: [AttributeValue]
  }

  /// Inserts rows as objects; what is set in those that are there already is written to them.
  func upsert<Object>(
    _ rows: [BatchRow<Object>], _ entity: EntityDescription, _ rule: BatchConflictRule
  ) throws -> ObjectChanges {
    let unique = try UniqueRows(entity, schema: context.store.schema, connection: context.connection)
    // What this batch has made or changed, which no row tells yet.
    var known: [Identity: ManagedObject] = [:]
    var (inserted, updated): ([ManagedObject], [ManagedObject]) = ([], [])
    var told: Set<ObjectIdentifier> = []
    for row in rows {
      var found: [ManagedObject] = []
      for (index, constraint) in unique.constraints.enumerated() {
        guard let values = constraint.values(of: { row.values[$0] }) else { continue }
        var other = known[Identity(constraint: index, values: values)]
        if other == nil, let saved = try unique.row(constraint, values) {
          other = context.object(entity: saved.entity.index, key: saved.key)
        }
        // It may have got other values in the meantime.
        if let other, self.values(constraint, of: other, as: entity) == values { found.append(other) }
      }
      let object: ManagedObject
      if let other = try UniqueRows.single(found, for: entity, entityOf: \.entity) {
        try row.checkSet()
        if rule == .keep || row.setValues.isEmpty { continue }
        object = other
        for (index, value) in row.setValues where index < entity.slotCount {
          guard let own = object.entity.index(of: entity.properties[index].name) else { continue }
          set(value, at: own, of: object)
        }
        if told.insert(ObjectIdentifier(object)).inserted { updated.append(object) }
      } else {
        try row.check()
        object = try insert(row.values, entity)
        told.insert(ObjectIdentifier(object))
        inserted.append(object)
      }
      for (index, constraint) in unique.constraints.enumerated() {
        guard let values = values(constraint, of: object, as: entity) else { continue }
        known[Identity(constraint: index, values: values)] = object
      }
    }
    try context.save()
    return ObjectChanges(inserted: inserted.map(\.objectID), updated: updated.map(\.objectID))
  }

  private func values(
    _ constraint: UniqueRows.Constraint, of object: ManagedObject, as entity: EntityDescription
  ) -> [AttributeValue]? {
    constraint.values { slot in
      object.entity.index(of: entity.properties[slot].name).map { object.value(at: $0) } ?? .null
    }
  }
}
