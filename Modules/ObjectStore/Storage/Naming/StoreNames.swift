/// The names of all tables and columns of a model, exactly as Core Data gives them.
///
/// A first pass names attributes and to-one relationships, entity by entity in the order of their numbers. A second one, by names of
/// entities, names all that belongs to two entities. `Docs/ObjectStore.md` tells what this was verified against.
struct StoreNames {
  /// A property at the entity that declares it.
  struct Property: Hashable {
    let entity: Int
    let name: String
  }

  struct ToOne {
    var key: String
    var entity: String?
    var order: String?
  }

  /// A table of links as seen from the side that names it: the source.
  struct Join {
    let source: Property
    let target: Property
    let table: String
    let sourceColumn: String
    let targetColumn: String
    let sourceOrder: String?
    let targetOrder: String?
  }

  /// Columns in the destination's table that hold the owner of a relationship to many objects without inverse.
  struct OwnerColumns {
    let key: String
    let order: String?
  }

  private(set) var attributes: [Property: String] = [:]
  private(set) var toOnes: [Property: ToOne] = [:]
  private(set) var joins: [Join] = []
  private(set) var owners: [Property: OwnerColumns] = [:]
  /// The columns of the second pass in the tables of entities, by index of the root, in the order in which they came up.
  private(set) var lateColumns: [Int: [String]] = [:]

  private let model: ManagedObjectModel
  private let numbers: [Int64]
  // By index of the root.
  private var pools: [Int: NamePool] = [:]
  // By index of the entity.
  private var tables: [EntryTable] = []
  private var joined: Set<Property> = []

  /// - Parameter numbers: The number of each entity, by its index.
  init(model: ManagedObjectModel, numbers: [Int64]) {
    self.model = model
    self.numbers = numbers
    for entity in model.entities where entity.parent == nil {
      for index in entity.familyIndices { nameOwnColumns(of: model.entities[index]) }
    }
    // Only the order of relationships that name something is asked for. Of all the work of opening a large store this is the most.
    let families = Set(model.entities.filter(namesShared).map(\.rootIndex))
    for entity in model.entities {
      tables.append(families.contains(entity.rootIndex) ? entries(of: entity) : EntryTable())
    }
    let order = model.entities.filter { families.contains($0.rootIndex) }.sorted {
      ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name)
    }
    for entity in order {
      for name in PropertyOrder.ordered(tables[entity.index].keys) {
        guard let relationship = entity.property(named: name)?.asRelationship, !relationship.isTransient
        else {
          continue
        }
        nameShared(relationship)
      }
    }
  }

  static func table(of root: EntityDescription) -> String { "Z" + root.name.uppercased() }

  /// Whether an entity has relationships whose columns or tables belong to two entities.
  private func namesShared(_ entity: EntityDescription) -> Bool {
    entity.properties.contains { property in
      guard case .relationship(let relationship) = property, !relationship.isTransient else { return false }
      return relationship.isToMany
        ? inverse(of: relationship)?.isToMany ?? true
        : relationship.inverseIsOrdered && relationship.inverse != nil
    }
  }

  // MARK: - First pass

  private mutating func nameOwnColumns(of entity: EntityDescription) {
    let own = entity.properties.filter { entity.ownPropertyNames.contains($0.name) && !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for attribute in own.compactMap(\.asAttribute) {
      attributes[Property(entity: entity.index, name: attribute.name)] = take(
        "Z" + Self.unitwiseUppercased(attribute.name), entity.index)
    }
    for relationship in own.compactMap(\.asRelationship) where !relationship.isToMany {
      let destination = model.entities[relationship.destinationIndex]
      let name = relationship.name.uppercased()
      let key = take("Z" + name, entity.index)
      let number = numbers[destination.index]
      toOnes[Property(entity: entity.index, name: relationship.name)] = ToOne(
        key: key,
        entity: destination.subentityIndices.isEmpty ? nil : take("Z\(number)_\(name)", entity.index))
    }
  }

  /// The keys of an entity as they are after the first pass.
  private func entries(of entity: EntityDescription) -> EntryTable {
    var table = EntryTable()
    table.insert(entity.parent.map { tables[$0.index].keys } ?? ["_ent", "_pk", "_opt"])
    var all = EntryTable()
    all.insert(entity.properties.compactMap { $0.asAttribute?.name })
    table.insert(
      all.keys.filter {
        entity.ownPropertyNames.contains($0) && entity.property(named: $0)?.isTransient == false
      })

    var relationships = EntryTable()
    let flattened = entity.properties.compactMap(\.asRelationship)
    relationships.insert((flattened.filter { !$0.isTransient } + flattened.filter(\.isTransient)).map(\.name))
    for name in relationships.keys where entity.ownPropertyNames.contains(name) {
      guard let relationship = entity.property(named: name)?.asRelationship, !relationship.isTransient else {
        continue
      }
      if let columns = toOnes[Property(entity: entity.index, name: name)] {
        table.insert([columns.key, columns.entity].compactMap(\.self).map { "_" + $0 })
      }
      table.insert(CollectionOfOne(name))
    }
    return table
  }

  // MARK: - Second pass

  private mutating func nameShared(_ relationship: RelationshipDescription) {
    let own = Property(entity: relationship.ownerIndex, name: relationship.name)
    if !relationship.isToMany {
      guard relationship.inverseIsOrdered, relationship.inverse != nil, toOnes[own]?.order == nil else {
        return
      }
      // A list that is many-to-many has its order in the join table, which this is none of.
      let column = take("Z_FOK_" + relationship.name.uppercased(), own.entity)
      toOnes[own]?.order = column
      lateColumns[model.entities[own.entity].rootIndex, default: []].append(column)
      enter(["_" + column], own.entity)
      return
    }
    guard !joined.contains(own) else { return }
    guard let inverse = self.inverse(of: relationship) else {
      joined.insert(own)
      nameOwnerColumns(own, relationship)
      return
    }
    guard inverse.isToMany else { return }
    let other = Property(entity: inverse.ownerIndex, name: inverse.name)
    joined.formUnion([own, other])
    joins.append(join(own, relationship, other, inverse))
  }

  private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverseIndex.flatMap {
      model.entities[relationship.destinationIndex].relationship(at: $0)
    }
  }

  private mutating func nameOwnerColumns(_ own: Property, _ relationship: RelationshipDescription) {
    let number = numbers[own.entity]
    let destination = relationship.destinationIndex
    let name = relationship.name.uppercased()
    let key = take("Z\(number)\(name)", destination)
    let order = relationship.isOrdered ? take("Z_FOK_\(number)\(name)", destination) : nil
    owners[own] = OwnerColumns(key: key, order: order)
    lateColumns[model.entities[destination].rootIndex, default: []] += [key] + (order.map { [$0] } ?? [])
    enter(["_" + key] + (order.map { ["_" + $0] } ?? []) + ["\(number)\(relationship.name)"], destination)
  }

  private mutating func join(
    _ own: Property, _ relationship: RelationshipDescription, _ other: Property,
    _ inverse: RelationshipDescription
  ) -> Join {
    let (number, otherNumber) = (numbers[own.entity], numbers[other.entity])
    let (name, otherName) = (relationship.name.uppercased(), inverse.name.uppercased())
    let table = "Z_\(number)\(name)"
    let target = take("Z_\(otherNumber)\(name)", other.entity)
    if own == other {
      return Join(
        source: own, target: own, table: table, sourceColumn: target, targetColumn: "REFLEXIVE",
        sourceOrder: nil,
        targetOrder: relationship.isOrdered ? "FOK_REFLEXIVE" : nil)
    }
    let targetOrder = relationship.isOrdered ? take("Z_FOK_\(otherNumber)\(name)", other.entity) : nil
    let source = take("Z_\(number)\(otherName)", own.entity)
    let sourceOrder = inverse.isOrdered ? take("Z_FOK_\(number)\(otherName)", own.entity) : nil
    return Join(
      source: own, target: other, table: table, sourceColumn: source, targetColumn: target,
      sourceOrder: sourceOrder,
      targetOrder: targetOrder)
  }

  private mutating func take(_ base: String, _ entity: Int) -> String {
    pools[model.entities[entity].rootIndex, default: NamePool()].take(base)
  }

  private mutating func enter(_ keys: [String], _ entity: Int) {
    for index in model.entities[entity].familyIndices where !tables[index].isEmpty {
      tables[index].insert(keys)
    }
  }

  /// Core Data makes the columns of attributes unit by unit, so that a letter stays one letter.
  private static func unitwiseUppercased(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.uppercased() }
    return String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { scalar in
          let upper = scalar.properties.uppercaseMapping.unicodeScalars
          return upper.count == 1 ? upper.first ?? scalar : scalar
        }))
  }
}
