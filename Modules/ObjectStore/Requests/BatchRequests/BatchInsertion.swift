import TICDSSQLite

/// Writes many new rows of one entity.
struct BatchInsertion {
  private static let chunk = 1_000

  let entity: EntityDescription
  let store: PersistentStore
  let connection: Connection

  func run<Elements: Sequence>(
    _ elements: Elements, _ row: (Elements.Element) throws -> ContiguousArray<AttributeValue>
  ) throws -> ObjectChanges {
    let writer = try RowWriter(entity: entity, schema: store.schema, connection: connection)
    let number = store.schema.table(of: entity).rootNumber
    var references = ReferenceCheck(schema: store.schema, connection: connection, identity: store.identity)
    var changes = ObjectChanges()
    var chunk: [ContiguousArray<AttributeValue>] = []
    // Keys are reserved for as many rows as there are, so that none is left over.
    func write() throws {
      if chunk.isEmpty { return }
      var key = try KeyCounter.reserve(Int64(chunk.count), number: number, on: connection)
      for values in chunk {
        try writer.insert(key: key, values: values)
        changes.inserted.append(store.objectID(entity, key: key))
        key += 1
      }
      chunk.removeAll(keepingCapacity: true)
    }
    for element in elements {
      let values = try row(element)
      try references.check(values[entity.attributeCount..<entity.slotCount])
      chunk.append(values)
      if chunk.count == Self.chunk { try write() }
    }
    try write()
    return changes
  }
}
