import SQLite

/// Finds the bits of the local model's properties, once all entities are below their roots.
struct PropertyAdoption {
  private let connection: Connection
  private let names: NameTable
  private let lineage: NameLineage
  private let schema: SyncSchema
  private let entities: [String: EntityAdoption.Adopted]

  init(
    _ connection: Connection, _ names: NameTable, _ lineage: NameLineage, _ schema: SyncSchema,
    _ entities: [String: EntityAdoption.Adopted]
  ) {
    self.connection = connection
    self.names = names
    self.lineage = lineage
    self.schema = schema
    self.entities = entities
  }

  func run() throws {
    var noted: [LocalNames.Property] = []
    var own: [Own] = []
    try connection.run("UPDATE TICDS_ENTITY SET local = NULL")
    let bitsBefore = Dictionary(grouping: names.entities, by: \.root).mapValues {
      $0.map(\.properties.count).max() ?? 0
    }
    for (position, entity) in schema.entities.enumerated() {
      guard let adopted = entities[entity.name] else { continue }
      try connection.run(
        "UPDATE TICDS_ENTITY SET local = ? WHERE id = ?", .integer(Int64(position)),
        .integer(Int64(adopted.number.rawValue)))
      let bits = try bits(of: entity, adopted)
      for (index, (property, known)) in zip(entity.properties, bits).enumerated() {
        guard known.bit.rawValue < NameTable.propertyLimit else {
          throw ReplicaError.modelTooLarge(
            entity: entity.name, "More than \(NameTable.propertyLimit) properties share one topmost parent.")
        }
        noted.append(
          LocalNames.Property(
            entity: adopted.number, position: LocalProperty(rawValue: index), bit: known.bit, path: known.path
          ))
        own.append(Own(property: known, root: adopted.root, kind: property.kind.wireKind.stored.code))
        // Nothing was written to it yet, so there is nothing to prepare.
        if property.merge.isFolded, known.bit.rawValue >= bitsBefore[adopted.root] ?? 0 {
          try connection.run(
            "INSERT OR REPLACE INTO TICDS_MERGE VALUES (?, ?, ?)", .integer(Int64(adopted.number.rawValue)),
            .integer(Int64(known.bit.rawValue)), .text(property.merge.text))
        }
      }
    }
    try LocalNames(connection).replace(by: noted)
    try note(own)
  }

  /// What the local model calls a property by itself.
  private struct Own {
    var property: NameLineage.Property
    var root: EntityNumber
    var kind: Int64
  }

  private func note(_ own: [Own]) throws {
    try names.paths.removeOwnProperties()
    for own in own {
      try names.paths.insert(
        own.property.path, own.property.bit.rawValue, in: .ownProperties(root: own.root, kind: own.kind))
    }
    names.knownOwn = [:]
  }

  private func bits(of entity: SyncSchema.Entity, _ adopted: EntityAdoption.Adopted) throws
    -> [NameLineage.Property]
  {
    let former = lineage.entities.values.first { $0.number == adopted.number }
    var found: [Int: NameLineage.Property] = [:]
    var taken: Set<PropertyBit> = []
    func take(_ position: Int, _ property: NameLineage.Property) throws {
      found[position] = property
      taken.insert(property.bit)
      let kind = entity.properties[position].kind.wireKind.stored.code
      let space = KnownPaths.Space.properties(root: adopted.root, kind: kind)
      try names.paths.insert(property.path, property.bit.rawValue, in: space)
      try names.paths.insert(entity.properties[position].path, property.bit.rawValue, in: space)
    }
    let order = entity.properties.indices.sorted {
      !entity.properties[$0].formerNames.isEmpty && entity.properties[$1].formerNames.isEmpty
    }
    for position in order {
      let property = entity.properties[position]
      let kind = property.kind.wireKind.stored.code
      guard let former,
        let known = lineage.property(property.path, kind: kind, of: former),
        let bit = try present(known, kind, adopted), !taken.contains(bit)
      else { continue }
      try take(
        position, NameLineage.Property(bit: bit, path: known.path.joined(with: property.path)))
    }
    for position in order where found[position] == nil {
      try take(position, try resolved(entity.properties[position], adopted, taken))
    }
    return try entity.properties.indices.map { position in
      guard let property = found[position] else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A property of \(entity.name) has no number.")
      }
      return property
    }
  }

  /// The bit that a property has below the root that its entity has now.
  private func present(_ known: NameLineage.Property, _ kind: Int64, _ adopted: EntityAdoption.Adopted) throws
    -> PropertyBit?
  {
    if adopted.formerRoot == adopted.root { return known.bit }
    return try known.path.allPaths.lazy.compactMap {
      try names.standing($0, in: .properties(root: adopted.root, kind: kind))
    }.first.map(PropertyBit.init(rawValue:))
  }

  private func resolved(
    _ property: SyncSchema.Property, _ adopted: EntityAdoption.Adopted, _ taken: Set<PropertyBit>
  ) throws -> NameLineage.Property {
    let kind = property.kind.wireKind
    let declared = property.path
    let space = KnownPaths.Space.properties(root: adopted.root, kind: kind.stored.code)
    let found = try declared.allPaths.lazy.compactMap { try names.standing($0, in: space) }.first {
      !taken.contains(PropertyBit(rawValue: $0))
    }
    guard let found else {
      let destination = kind.stored.destination.flatMap { entities[$0]?.number }
      let isReused = try names.standing(declared, in: space) != nil
      let path = isReused ? declared.afterAnother : declared
      let bit = try names.add(path, kind, below: adopted.root, destination: destination)
      return NameLineage.Property(bit: bit, path: path)
    }
    return NameLineage.Property(bit: PropertyBit(rawValue: found), path: declared)
  }
}

extension SyncSchema.Property {
  /// What the model says of its names.
  var path: NamePath { NamePath(name, formerNames) }
}
