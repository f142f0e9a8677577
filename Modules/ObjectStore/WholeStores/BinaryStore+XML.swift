import CoreDataFormats

extension BinaryStore {
  /// The objects of an XML store with the names that a model has, or without one those of the version hashes; what neither knows keeps the
  /// name that stands in the file.
  ///
  /// - Throws: ``BinaryStoreError`` for what the model does not explain, or what it explains in two ways.
  init(_ store: XMLStore, model: ManagedObjectModel?) throws(BinaryStoreError) {
    self.init(nodes: [], metadata: store.metadata)
    let present = Set(store.nodes.map(\.identifier))
    // One that is not in the store has a key of its own, so that the link to it can be told of.
    let missing = Set(store.nodes.flatMap { $0.relationships.values }.flatMap(\.identifiers)).subtracting(
      present)
    let keys = Self.keys(of: store.nodes.map(\.identifier) + missing.sorted())
    // Keys are not used again, though their objects may be gone.
    if let next = store.nextNumber, next > 0 { lastPrimaryKey = next - 1 }
    let names = model.map { $0.entities.map(\.name) } ?? versionHashes.keys.sorted()
    let entities = Dictionary(grouping: names) { $0.uppercased() }
    for node in store.nodes {
      var result = Node(
        primaryKey: keys[node.identifier] ?? 0, entityName: node.entityName, attributeValues: [])
      let known = entities[node.entityName] ?? []
      guard known.count < 2 else {
        throw BinaryStoreError(result, "it may be one of \(known.sorted().joined(separator: ", "))")
      }
      if let name = known.first { result.entityName = name }
      let entity = model?.entity(named: result.entityName)
      let properties = Dictionary(grouping: entity?.properties.map(\.name) ?? []) { $0.lowercased() }
      func name(_ lowercased: String) throws(BinaryStoreError) -> String {
        guard model != nil else { return lowercased }
        let known = properties[lowercased] ?? []
        guard let name = known.first, known.count == 1 else {
          throw BinaryStoreError(
            result,
            known.isEmpty
              ? "the model has no property “\(lowercased)”"
              : "“\(lowercased)” may be one of \(known.sorted().joined(separator: ", "))")
        }
        return name
      }
      var attributes: [String: ArchivedObject] = [:]
      for (property, value) in node.attributes { attributes[try name(property)] = value }
      for (property, relationship) in node.relationships where !relationship.identifiers.isEmpty {
        let property = try name(property)
        let targets = relationship.identifiers.compactMap { keys[$0] }
        result.relatedNodes[property] = RelatedNodes(primaryKeys: targets, isToMany: relationship.isToMany)
      }
      result.namedAttributes = attributes
      nodes.append(result)
    }
  }

  /// The numbers in the identifiers (`z102`) where all have one of their own, else their places.
  private static func keys(of identifiers: [String]) -> [String: Int64] {
    let numbers = identifiers.compactMap { $0.hasPrefix("z") ? Int64($0.dropFirst()) : nil }.filter { $0 > 0 }
    let isUnique = numbers.count == identifiers.count && Set(numbers).count == numbers.count
    let keys = isUnique ? numbers : identifiers.indices.map { Int64($0 + 1) }
    return Dictionary(zip(identifiers, keys)) { first, _ in first }
  }
}
