import CoreDataFormats

/// Derives a model from the nodes of a binary store.
///
/// Nodes tell the names of entities and of relationships that lead somewhere, and the number of properties. Attributes
/// have no names there; they are called after their slots, so that the order of the slots stays what it is.
package struct NodeModel {
  private let store: BinaryStore
  private let entityByKey: [Int64: String]

  package static func model(of store: BinaryStore) throws(ModelError) -> ManagedObjectModel {
    try NodeModel(store).derive()
  }

  private init(_ store: BinaryStore) {
    self.store = store
    entityByKey = Dictionary(
      store.nodes.map { ($0.primaryKey, $0.entityName) }, uniquingKeysWith: { first, _ in first })
  }

  private func derive() throws(ModelError) -> ManagedObjectModel {
    let nodesByEntity = Dictionary(grouping: store.nodes, by: \.entityName)
    // Entities without objects are known by their hash alone.
    let names = Set(nodesByEntity.keys).union(store.versionHashes.keys)
    var declarations: [EntityDeclaration] = []
    for name in names.sorted() { declarations.append(declaration(of: name, nodesByEntity[name] ?? [])) }
    return try ManagedObjectModel(entities: declarations)
  }

  private func declaration(of name: String, _ nodes: [BinaryStore.Node]) -> EntityDeclaration {
    var declaration = EntityDeclaration(name)
    let relationships = Set(nodes.flatMap(\.relatedNodes.keys)).sorted()
    for relationship in relationships {
      let lists = nodes.compactMap { $0.relatedNodes[relationship] }
      // All targets of a relationship share an entity or an ancestor, which nodes do not tell; the first one stands for it.
      guard let key = lists.lazy.compactMap(\.primaryKeys.first).first, let destination = entityByKey[key]
      else {
        continue
      }
      let isToMany = lists.contains { $0.isToMany }
      // Whether an order means something is not told, so it is kept.
      declaration.properties.append(
        .relationship(
          isToMany
            ? .toMany(relationship, to: destination, isOrdered: true) : .toOne(relationship, to: destination))
      )
    }
    if let named = nodes.first?.namedAttributes {
      let names = Set(nodes.flatMap { $0.namedAttributes?.keys.sorted() ?? [] }).union(named.keys).sorted()
      for name in names {
        let values = nodes.compactMap { $0.namedAttributes?[name] }
        declaration.properties.append(.attribute(AttributeDescription(name, Self.type(of: values))))
      }
      return declaration
    }
    let slots = (nodes.map(\.attributeValues.count).max() ?? 0) - declaration.properties.count
    let width = String(max(slots - 1, 0)).count
    for slot in 0..<max(slots, 0) {
      let values = nodes.compactMap { slot < $0.attributeValues.count ? $0.attributeValues[slot] : nil }
      let number = String(slot)
      let name = "slot" + String(repeating: "0", count: width - number.count) + number
      declaration.properties.append(.attribute(AttributeDescription(name, Self.type(of: values))))
    }
    return declaration
  }

  /// The narrowest type that holds all values; a transformable one holds any.
  private static func type(of values: [ArchivedObject]) -> AttributeType {
    let types = Set(values.compactMap(type(of:)))
    switch types {
    case []: return .transformable
    case _ where types.count == 1: return types.first ?? .transformable
    case [.boolean, .integer64]: return .integer64
    // An integral real may have been stored as an integer.
    case _ where types.isSubset(of: [.integer64, .double, .float]): return .double
    default: return .transformable
    }
  }

  private static func type(of value: ArchivedObject) -> AttributeType? {
    switch value {
    case .null: nil
    case .boolean: .boolean
    case .integer: .integer64
    case .real: .double
    case .float: .float
    case .decimal: .decimal
    case .string: .string
    case .data: .binary
    case .date: .date
    case .uuid: .uuid
    case .url: .uri
    case .unsigned, .array, .orderedSet, .set, .dictionary, .record: .transformable
    }
  }
}
