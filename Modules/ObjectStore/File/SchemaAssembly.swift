/// Finds out where a model's properties are kept in a file: in Core Data's usual places, or where an existing file has them.
struct SchemaAssembly {
  private let model: ManagedObjectModel
  private let numbers: [Int64]
  // Columns of the tables in an existing file; empty for a new one.
  private let existing: [String: Set<String>]
  private var columns: [String: String] = [:]
  private var joins: [JoinTable] = []
  private var joinIndices: [String: Int] = [:]

  /// - Parameters:
  ///   - numbers: The number of each entity by name, from `Z_PRIMARYKEY` of an existing file.
  ///   - existing: The columns of each table of an existing file.
  init(model: ManagedObjectModel, numbers: [String: Int64] = [:], existing: [String: Set<String>] = [:]) {
    self.model = model
    self.existing = existing
    self.numbers = model.entities.map { numbers[$0.name] ?? Int64($0.index + 1) }
  }

  /// - Parameter path: The store, if long values are to be looked up and kept beside it.
  mutating func assemble(path: String? = nil) -> StoreSchema {
    for entity in model.entities where entity.parent == nil { nameColumns(ofFamily: entity) }
    for entity in model.entities {
      for (index, property) in entity.properties.enumerated() {
        guard case .relationship(let relationship) = property, relationship.isManyToMany,
          relationship.ownerIndex == entity.index, !relationship.isTransient
        else { continue }
        addJoin(for: relationship, at: index, of: entity)
      }
    }
    let tables = model.entities.map { entity in
      let root = entity.root
      return EntityTable(
        number: numbers[entity.index], name: "Z" + root.name.uppercased(), rootNumber: numbers[root.index],
        isShared: root.familyIndices.count > 1, storage: entity.properties.map { storage(of: $0, in: entity) }
      )
    }
    return StoreSchema(
      model: model, tables: tables, joins: joins,
      externalValues: path.map { ExternalValues(storePath: $0) })
  }

  /// Assigns every stored property of a family a column; equal names in different branches get a digit.
  private mutating func nameColumns(ofFamily root: EntityDescription) {
    var taken: Set<String> = []
    for index in root.familyIndices {
      let entity = model.entities[index]
      for property in entity.properties
      where !property.isTransient && entity.ownPropertyNames.contains(property.name) {
        if property.asRelationship?.isToMany == true { continue }
        var name = "Z" + property.name.uppercased()
        var digit = 0
        while !taken.insert(name).inserted {
          digit += 1
          name = "Z" + property.name.uppercased() + String(digit)
        }
        columns["\(index).\(property.name)"] = name
      }
    }
  }

  private func column(of name: String, in entity: EntityDescription) -> String {
    var owner: EntityDescription? = entity
    while let current = owner {
      if let column = columns["\(current.index).\(name)"] { return column }
      owner = current.parent
    }
    return "Z" + name.uppercased()
  }

  private func storage(of property: PropertyDescription, in entity: EntityDescription) -> PropertyStorage {
    if property.isTransient { return .memory }
    switch property {
    case .attribute(let attribute):
      return .attribute(column: column(of: attribute.name, in: entity), type: attribute.type)
    case .relationship(let relationship) where !relationship.isToMany:
      let destination = model.entities[relationship.destinationIndex]
      let column = column(of: relationship.name, in: entity)
      return .toOne(
        ToOneColumns(
          key: column,
          entity: destination.subentityIndices.isEmpty
            ? nil : "Z\(numbers[destination.index])_" + column.dropFirst(),
          order: relationship.inverseIsOrdered ? "Z_FOK_" + column.dropFirst() : nil))
    case .relationship(let relationship):
      if let inverse = relationship.inverseIndex, !relationship.inverseIsToMany {
        return .inverse(destination: relationship.destinationIndex, property: inverse)
      }
      let own = "\(relationship.ownerIndex).\(relationship.name)"
      guard let index = joinIndices[own] else { return .memory }
      let table = joins[index]
      let isSource =
        table.sourceEntity == relationship.ownerIndex
        && model.entities[table.sourceEntity].properties[table.sourceProperty].name == relationship.name
      return .join(JoinSide(table: table, isReversed: !isSource))
    }
  }

  private mutating func addJoin(
    for relationship: RelationshipDescription, at index: Int, of entity: EntityDescription
  ) {
    let own = "\(entity.index).\(relationship.name)"
    if joinIndices[own] != nil { return }
    let destination = model.entities[relationship.destinationIndex]
    let inverse = relationship.inverseIndex.flatMap { destination.relationship(at: $0) }

    // The entity with the lower number names the table, and that is the one met first. If both have the same number,
    // either relationship may name it.
    var names = ["Z_\(numbers[entity.index])" + relationship.name.uppercased()]
    if let inverse, inverse.ownerIndex == entity.index, inverse.name != relationship.name {
      names.append("Z_\(numbers[entity.index])" + inverse.name.uppercased())
      names.sort()
    }
    let name = names.first { existing[$0] != nil } ?? names[0]

    let target = "Z_\(numbers[destination.index])" + relationship.name.uppercased()
    var source =
      if let inverse, !relationship.isOwnInverse {
        "Z_\(numbers[inverse.destinationIndex])" + inverse.name.uppercased()
      } else if relationship.isOwnInverse {
        "REFLEXIVE"
      } else {
        "Z_\(numbers[entity.index])" + relationship.name.uppercased() + "OWNER"
      }
    if source == target { source += "1" }
    let columns = existing[name] ?? [source, target]
    let table = JoinTable(
      index: joins.count, name: name, sourceEntity: entity.index, sourceProperty: index,
      targetEntity: destination.index, sourceColumn: Self.match(source, in: columns),
      targetColumn: Self.match(target, in: columns),
      targetOrder: relationship.isOrdered ? "Z_FOK_" + target.dropFirst(2) : nil,
      sourceOrder: inverse?.isOrdered == true && !relationship.isOwnInverse
        ? "Z_FOK_" + source.dropFirst(2) : nil,
      isReflexive: relationship.isOwnInverse)
    joinIndices[own] = table.index
    if let inverse { joinIndices["\(inverse.ownerIndex).\(inverse.name)"] = table.index }
    joins.append(table)
  }

  /// The column of an existing table that was meant: another program may have appended a digit.
  private static func match(_ name: String, in columns: Set<String>) -> String {
    if columns.contains(name) { return name }
    return columns.sorted().first { $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber) }
      ?? name
  }
}
