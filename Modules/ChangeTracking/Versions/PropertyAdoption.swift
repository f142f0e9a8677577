import TICDSSQLite

/// Finds the bits of the local model's properties, once all entities are below their roots.
struct PropertyAdoption {
  private let connection: Connection
  private let names: NameTable
  private let lineage: NameLineage
  private let schema: SyncSchema
  private let entities: [String: EntityAdoption.Adopted]
  private let moved: [EntityNumber: [PropertyBit: PropertyBit]]

  /// - Parameter moved: of entities that are below another root now, the bits that their properties have got there.
  init(
    _ connection: Connection, _ names: NameTable, _ lineage: NameLineage, _ schema: SyncSchema,
    _ entities: [String: EntityAdoption.Adopted], moved: [EntityNumber: [PropertyBit: PropertyBit]]
  ) {
    self.connection = connection
    self.names = names
    self.lineage = lineage
    self.schema = schema
    self.entities = entities
    self.moved = moved
  }

  /// - Returns: all relationships of the local model, with the families of their targets.
  func run() throws -> [AdoptedRelationship] {
    var noted: [LocalNames.Property] = []
    var relationships: [AdoptedRelationship] = []
    var own: [Own] = []
    try connection.run("UPDATE TICDS_ENTITY SET local = NULL")
    let bitsBefore = names.families.mapValues(\.all.count)
    for (position, found) in try allBits().enumerated() {
      guard let found else { continue }
      let (entity, adopted) = (found.entity, found.adopted)
      try connection.run(
        "UPDATE TICDS_ENTITY SET local = ? WHERE id = ?", .integer(Int64(position)),
        .integer(Int64(adopted.number.rawValue)))
      for (index, property) in entity.properties.enumerated() {
        guard let known = found.properties[index] else {
          throw ReplicaError.damagedBookkeeping(
            path: connection.path, "A property of \(entity.name) has no number.")
        }
        guard known.bit.rawValue < NameTable.propertyLimit else {
          throw ReplicaError.modelTooLarge(
            entity: entity.name, "More than \(NameTable.propertyLimit) properties share one topmost parent.")
        }
        noted.append(
          LocalNames.Property(
            entity: adopted.number, position: LocalProperty(rawValue: index), bit: known.bit, path: known.path
          ))
        own.append(Own(property: known, root: adopted.root, kind: property.kind.wireKind.stored.code))
        if let destination = property.kind.destination.flatMap({ entities[$0]?.number }) {
          relationships.append(
            AdoptedRelationship(
              entity: adopted.number, bit: known.bit, destination: destination,
              mayHaveMigratedLinks: property.kind.isToMany && found.hasPast && !found.past.contains(index)))
        }
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
    return relationships
  }

  /// What the local model calls a property by itself.
  private struct Own {
    var property: NameLineage.Property
    var root: EntityNumber
    var kind: Int64
  }

  private func note(_ own: [Own]) throws {
    try names.paths.removeOwnProperties()
    let bits = Dictionary(grouping: own) { KnownPaths.Space.properties(root: $0.root, kind: $0.kind) }
      .mapValues {
        Set($0.map(\.property.bit.rawValue))
      }
    for own in own {
      let (path, bit) = (own.property.path, own.property.bit.rawValue)
      try names.paths.insert(path, bit, in: .ownProperties(root: own.root, kind: own.kind))
      let space = KnownPaths.Space.properties(root: own.root, kind: own.kind)
      try names.paths.claim(path, for: bit, of: bits[space] ?? [], in: space)
    }
    names.knownOwn = [:]
  }

  /// What is found of an entity's properties.
  private struct Found {
    let entity: SyncSchema.Entity
    let adopted: EntityAdoption.Adopted
    /// By position.
    var properties: [Int: NameLineage.Property] = [:]
    var taken: Set<PropertyBit> = []
    /// Whether the entity was there before.
    var hasPast = false
    /// Positions of the properties that were there before.
    var past: Set<Int> = []

    /// Those that say what they were called come first, so that others may take over names that have become free.
    var order: [Int] {
      entity.properties.indices.sorted {
        !entity.properties[$0].formerNames.isEmpty && entity.properties[$1].formerNames.isEmpty
      }
    }

    func space(of position: Int) -> KnownPaths.Space {
      .properties(root: adopted.root, kind: entity.properties[position].kind.wireKind.stored.code)
    }
  }

  /// What bears a name of the model, by what the model says of the name.
  private typealias Bearers = [KnownPaths.Space: [NamePath: NameLineage.Property]]

  /// The properties of all entities of the model; `nil` for entities that have no number.
  ///
  /// What has been in an entity before decides first, for others of its family may only inherit it from now on, and what somebody was
  /// heard to call by the new name must not come between them.
  private func allBits() throws -> [Found?] {
    var bearers: Bearers = [:]
    let all = schema.entities.map { entity in
      entities[entity.name].map { Found(entity: entity, adopted: $0) }
    }
    let past = try all.map { try $0.map { try withPast($0, &bearers) } }
    return try past.map { try $0.map { try completed($0, &bearers) } }
  }

  private func withPast(_ entity: Found, _ bearers: inout Bearers) throws -> Found {
    var found = entity
    guard let former = lineage.entities.values.first(where: { $0.number == found.adopted.number }) else {
      return found
    }
    found.hasPast = true
    // What has got another kind is another relationship.
    for key in former.properties.keys.sorted(by: { $0.name < $1.name })
    where found.entity.inverses[key.name]?.wireKind.stored.code == key.kind {
      throw ReplicaError.otherEnd(entity: found.entity.name, relationship: key.name)
    }
    for position in found.order {
      let property = found.entity.properties[position]
      let kind = property.kind.wireKind.stored.code
      guard let known = lineage.property(property.path, kind: kind, of: former),
        let bit = try present(known, kind, found.adopted), !found.taken.contains(bit)
      else { continue }
      try take(
        NameLineage.Property(bit: bit, path: known.path.joined(with: property.path)), position, &found,
        &bearers)
      found.past.insert(position)
    }
    return found
  }

  private func completed(_ entity: Found, _ bearers: inout Bearers) throws -> Found {
    var found = entity
    for position in found.order where found.properties[position] == nil {
      let declared = found.entity.properties[position].path
      if let same = bearers[found.space(of: position)]?[declared], !found.taken.contains(same.bit) {
        try take(same, position, &found, &bearers)
      } else {
        let property = try resolved(found.entity.properties[position], in: found)
        try take(property, position, &found, &bearers)
      }
    }
    return found
  }

  private func take(
    _ property: NameLineage.Property, _ position: Int, _ found: inout Found, _ bearers: inout Bearers
  ) throws {
    found.properties[position] = property
    found.taken.insert(property.bit)
    let (space, declared) = (found.space(of: position), found.entity.properties[position].path)
    if bearers[space]?[declared] == nil { bearers[space, default: [:]][declared] = property }
    try names.paths.insert(property.path, property.bit.rawValue, in: space)
    try names.paths.insert(declared, property.bit.rawValue, in: space)
  }

  /// The bit that a property has below the root that its entity has now: where its stamps and its entries in the log went, whatever else others
  /// call by its new name.
  private func present(_ known: NameLineage.Property, _ kind: Int64, _ adopted: EntityAdoption.Adopted) throws
    -> PropertyBit?
  {
    if adopted.formerRoot == adopted.root { return known.bit }
    if let bit = moved[adopted.number]?[known.bit] { return bit }
    return try known.path.allPaths.lazy.compactMap {
      try names.standing($0, in: .properties(root: adopted.root, kind: kind))
    }.first.map(PropertyBit.init(rawValue:))
  }

  private func resolved(_ property: SyncSchema.Property, in entity: Found) throws -> NameLineage.Property {
    let (adopted, taken) = (entity.adopted, entity.taken)
    let kind = property.kind.wireKind
    let declared = property.path
    let space = KnownPaths.Space.properties(root: adopted.root, kind: kind.stored.code)
    let found = try declared.allPaths.lazy.compactMap { try names.standing($0, in: space) }.first {
      !taken.contains(PropertyBit(rawValue: $0))
    }
    guard let found else {
      let destination = kind.stored.destination.flatMap { entities[$0]?.number }
      // Another property may have had the name in a version of which the present one does not tell.
      let isReused =
        try entity.properties.values.contains { $0.path.wasCalled(declared.name) }
        || names.standing(declared, in: space) != nil
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
