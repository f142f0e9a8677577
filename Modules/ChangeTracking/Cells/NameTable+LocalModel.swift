import TICDSSQLite

/// What the local model names.
extension NameTable {
  private struct Declaration: Hashable {
    var entity: String
    var property: String
  }

  /// Takes the numbers of the local model from what was noted when it was adopted.
  func relate(to schema: SyncSchema) throws {
    let positions = Dictionary(
      entities.compactMap { entity in entity.local.map { ($0, entity.number) } },
      uniquingKeysWith: { first, _ in first })
    byPosition = schema.localEntities.compactMap { positions[$0] }
    var properties: [EntityNumber: [(bit: PropertyBit, path: NamePath)]] = [:]
    for row in try LocalNames(connection).properties() {
      properties[row.entity, default: []].append((row.bit, row.path))
    }
    guard byPosition.count == schema.entities.count,
      zip(byPosition, schema.entities).allSatisfy({ properties[$0, default: []].count == $1.properties.count }
      )
    else {
      throw Self.namesOfAnotherModel(connection)
    }
    for (number, entity) in zip(byPosition, schema.entities) { numbers[entity.name] = number }
    for (number, entity) in zip(byPosition, schema.entities) {
      self[number].keyScope = entity.keyScope.flatMap { numbers[$0] } ?? self[number].root
    }
    var declarations: [Declaration: EntityNumber] = [:]
    for (number, entity) in zip(byPosition, schema.entities) {
      try relate(number, to: entity, properties[number, default: []], &declarations)
    }
    for (_, family) in Dictionary(grouping: byPosition.map { self[$0] }, by: \.root) {
      let constraints = family.flatMap(\.uniqueness)
      if constraints.isEmpty { continue }
      let names = family.flatMap(\.localProperties).map { ($0.bit, $0.name) }
      let order = ConstraintOrder(constraints, by: Dictionary(names) { first, _ in first })
      for entity in family { entity.joinUniqueness(of: constraints, order) }
    }
  }

  private func relate(
    _ number: EntityNumber, to entity: SyncSchema.Entity, _ known: [(bit: PropertyBit, path: NamePath)],
    _ declarations: inout [Declaration: EntityNumber]
  ) throws {
    for (position, (property, (bit, path))) in zip(entity.properties, known).enumerated() {
      let declaration = Declaration(entity: property.declaredBy ?? entity.name, property: property.name)
      guard self[number].properties.indices.contains(bit.rawValue) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A property of \(entity.name) has no number.")
      }
      self[number].relate(
        bit, path: path, to: property, at: LocalProperty(rawValue: position),
        declaration: declarations[declaration, default: number],
        destination: property.kind.destination.flatMap { numbers[$0] },
        targets: property.targets.map { Set($0.compactMap { numbers[$0] }) })
      if declarations[declaration] == nil { declarations[declaration] = number }
      self[number].properties[bit.rawValue].declare(property.merge, initialValue: property.initialValue)
    }
    for properties in entity.uniqueness {
      self[number].addUniqueness(of: properties.map { self[number].localBits[$0.rawValue] })
    }
  }

  static func namesOfAnotherModel(_ connection: Connection) -> ReplicaError {
    .damagedBookkeeping(path: connection.path, "The names are those of another model.")
  }

  func countLocalProperties() {
    var bits: [EntityNumber: Set<PropertyBit>] = [:]
    for number in byPosition { bits[self[number].root, default: []].formUnion(self[number].localBits) }
    localCounts = bits.mapValues(\.count)
  }
}
