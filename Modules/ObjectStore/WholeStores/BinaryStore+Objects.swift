import CoreDataFormats

extension BinaryStore {
  /// Makes a store of all objects of a source.
  ///
  /// Keys of a binary store are unique in all of it, those of an SQLite store only among entities of one root. Where they
  /// collide, all objects are numbered anew in the order of the source; otherwise every object keeps its key.
  public init(_ source: some StoredObjectSource, metadata: [String: ArchivedObject]) throws {
    let objects = try source.allObjects()
    var keys: [StoredObject.Reference: Int64] = [:]
    let isUnique = Set(objects.map(\.reference.key)).count == objects.count
    for (position, object) in objects.enumerated() {
      keys[object.reference] = isUnique ? object.reference.key : Int64(position + 1)
    }
    let nodes = objects.map { object in
      Self.node(object, of: source.model.entities[object.reference.entity], keys)
    }
    self.init(nodes: nodes, metadata: metadata)
  }

  private static func node(
    _ object: StoredObject, of entity: EntityDescription, _ keys: [StoredObject.Reference: Int64]
  ) -> Node {
    var slots: [ArchivedObject] = []
    for (index, value) in object.attributes.enumerated() {
      // The name of a file that is missing means nothing in a binary store.
      let type = object.missingFiles.contains(index) ? nil : entity.attribute(at: index)?.type
      // What the type does not admit would make the whole store unreadable.
      slots.append(type.map { $0.accepts(value) ? value.archived(type: $0) : .null } ?? .null)
    }
    var related: [String: RelatedNodes] = [:]
    for (targets, property) in zip(object.relationships, entity.properties.dropFirst(entity.attributeCount)) {
      slots.append(.null)
      // A target that is not in the store would make the whole store unreadable.
      let targets = targets.compactMap { keys[$0] }
      guard let relationship = property.asRelationship, !targets.isEmpty else { continue }
      related[relationship.name] = RelatedNodes(primaryKeys: targets, isToMany: relationship.isToMany)
    }
    return Node(
      primaryKey: keys[object.reference] ?? object.reference.key, entityName: entity.name,
      attributeValues: slots,
      relatedNodes: related)
  }
}
