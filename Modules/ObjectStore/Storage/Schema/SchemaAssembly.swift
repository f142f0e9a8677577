/// Finds out where a model's properties are kept in a file: in Core Data's usual places, or where an existing file has them.
struct SchemaAssembly {
  typealias OneWayLayout = PersistentStore.Options.OneWayLayout

  private typealias Property = StoreNames.Property

  private let model: ManagedObjectModel
  private let numbers: [Int64]
  // Columns of the tables in an existing file; empty for a new one.
  private let existing: [String: Set<String>]
  private let oneWay: OneWayLayout
  private let names: StoreNames
  private var joins: [JoinTable] = []
  private var joinIndices: [Property: Int] = [:]

  /// - Parameters:
  ///   - numbers: The number of each entity by name, from `Z_PRIMARYKEY` of an existing file.
  ///   - existing: The columns of each table of an existing file.
  ///   - oneWay: What to do with relationships of which an existing file does not tell.
  init(
    model: ManagedObjectModel, numbers: [String: Int64] = [:], existing: [String: Set<String>] = [:],
    oneWay: OneWayLayout = .links
  ) {
    self.model = model
    self.existing = existing
    self.oneWay = oneWay
    self.numbers = Self.numbers(of: model, numbers)
    names = StoreNames(model: model, numbers: self.numbers)
  }

  /// The numbers of all entities. A store may list one under the name that it had before it was renamed; it is told by its number then,
  /// for numbers follow the order of the model.
  static func numbers(of model: ManagedObjectModel, _ listed: [String: Int64]) -> [Int64] {
    model.entities.map { listed[$0.name] ?? Int64($0.index + 1) }
  }

  /// - Parameter path: The store, if long values are to be looked up and kept beside it.
  mutating func assemble(path: String? = nil) -> StoreSchema {
    for join in names.joins { addJoin(join) }
    for entity in model.entities {
      for property in entity.properties {
        guard let relationship = property.asRelationship, relationship.ownerIndex == entity.index,
          let columns = names.owners[Property(entity: entity.index, name: relationship.name)]
        else { continue }
        addOneWay(relationship, columns, of: entity)
      }
    }
    let tables = model.entities.map { entity in
      let root = entity.root
      return EntityTable(
        number: numbers[entity.index], name: StoreNames.table(of: root), rootNumber: numbers[root.index],
        isShared: root.familyIndices.count > 1, storage: entity.properties.map { storage(of: $0, in: entity) }
      )
    }
    return StoreSchema(
      model: model, tables: tables, joins: joins,
      externalValues: path.map { ExternalValues(storePath: $0) })
  }

  /// The entity that declares a property.
  private func declared(_ name: String, in entity: EntityDescription) -> Property {
    var owner = entity
    while !owner.ownPropertyNames.contains(name), let parent = owner.parent { owner = parent }
    return Property(entity: owner.index, name: name)
  }

  private func storage(of property: PropertyDescription, in entity: EntityDescription) -> PropertyStorage {
    if property.isTransient { return .memory }
    let own = declared(property.name, in: entity)
    let table = StoreNames.table(of: entity.root)
    switch property {
    case .attribute(let attribute):
      let column = names.attributes[own] ?? "Z" + attribute.name.uppercased()
      return .attribute(column: column, type: attribute.type)
    case .relationship(let relationship) where !relationship.isToMany:
      let columns = names.toOnes[own] ?? .init(key: "Z" + relationship.name.uppercased())
      return .toOne(
        ToOneColumns(
          key: columns.key, entity: optional(columns.entity, in: table), order: columns.order))
    case .relationship(let relationship):
      if let inverse = relationship.inverseIndex, !relationship.inverseIsToMany {
        return .inverse(destination: relationship.destinationIndex, property: inverse)
      }
      guard let index = joinIndices[own] else { return .memory }
      let table = joins[index]
      let isSource =
        table.sourceEntity == own.entity
        && model.entities[table.sourceEntity].properties[table.sourceProperty].name == relationship.name
      return .join(JoinSide(table: table, isReversed: !isSource))
    }
  }

  private mutating func addJoin(_ join: StoreNames.Join) {
    let source = model.entities[join.source.entity]
    guard let property = source.index(of: join.source.name),
      let relationship = source.relationship(at: property)
    else { return }
    var table = join.table
    // Of a relationship of an entity to itself, either end may have named the table of an existing file.
    if existing[table] == nil, join.source.entity == join.target.entity {
      let other = "Z_\(numbers[join.target.entity])" + join.target.name.uppercased()
      if existing[other] != nil { table = other }
    }
    joinIndices[join.source] = joins.count
    joinIndices[join.target] = joins.count
    joins.append(
      JoinTable(
        index: joins.count, name: table, sourceEntity: source.index, sourceProperty: property,
        targetEntity: relationship.destinationIndex, sourceColumn: present(join.sourceColumn, in: table),
        targetColumn: present(join.targetColumn, in: table),
        targetOrder: join.targetOrder.map { present($0, in: table) },
        sourceOrder: join.sourceOrder.map { present($0, in: table) },
        isReflexive: relationship.isOwnInverse, isInTarget: false))
  }

  private mutating func addOneWay(
    _ relationship: RelationshipDescription, _ columns: StoreNames.OwnerColumns, of entity: EntityDescription
  ) {
    guard let property = entity.index(of: relationship.name) else { return }
    let destination = model.entities[relationship.destinationIndex]
    let table = StoreNames.table(of: destination.root)
    let name = relationship.name.uppercased()
    let links = "Z_\(numbers[entity.index])\(name)"
    let isInTarget =
      existing[table]?.contains(columns.key) == true || existing[links] == nil && oneWay == .ownerColumn
    let target = "Z_\(numbers[destination.index])\(name)"
    joinIndices[Property(entity: entity.index, name: relationship.name)] = joins.count
    joins.append(
      JoinTable(
        index: joins.count, name: isInTarget ? table : links, sourceEntity: entity.index,
        sourceProperty: property, targetEntity: destination.index,
        sourceColumn: isInTarget ? columns.key : "\(links)OWNER", targetColumn: isInTarget ? "Z_PK" : target,
        targetOrder: isInTarget
          ? columns.order : relationship.isOrdered ? "Z_FOK_" + target.dropFirst(2) : nil,
        sourceOrder: nil, isReflexive: false, isInTarget: isInTarget))
  }

  // MARK: - Existing files

  /// The column of an existing join table that was meant: another program may have numbered equal names otherwise.
  private func present(_ name: String, in table: String) -> String {
    guard let columns = existing[table], !columns.contains(name) else { return name }
    func base(_ name: String) -> Substring { name[...].trimmingSuffix(while: \.isNumber) }
    return columns.sorted().first { base($0) == base(name) } ?? name
  }

  /// A column that some stores do without.
  private func optional(_ name: String?, in table: String) -> String? {
    guard let name, let columns = existing[table] else { return name }
    return columns.contains(name) ? name : nil
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, isCut(last) { rest.removeLast() }
    return rest
  }
}
