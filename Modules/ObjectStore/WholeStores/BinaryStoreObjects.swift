import CoreDataFormats

/// The objects of a binary store, given meaning by a model.
///
/// A node has one slot for every property of its entity in the model's flattened order; only those of attributes hold
/// anything. Relationships stand beside them by name.
public struct BinaryStoreObjects: StoredObjectSource, Sendable {
  /// The model that gives the nodes their meaning.
  public let model: ManagedObjectModel
  private let objects: [StoredObject]

  /// Reads the objects of a store.
  ///
  /// - Throws: ``BinaryStoreError`` if the store was made with another model.
  public init(_ store: BinaryStore, model: ManagedObjectModel) throws(BinaryStoreError) {
    self.model = model
    var references: [Int64: StoredObject.Reference] = [:]
    for node in store.nodes {
      guard let entity = model.entity(named: node.entityName) else {
        throw BinaryStoreError(node, "the model has no entity of this name")
      }
      references[node.primaryKey] = .init(entity: entity.index, key: node.primaryKey)
    }
    var objects: [StoredObject] = []
    objects.reserveCapacity(store.nodes.count)
    for node in store.nodes {
      guard let reference = references[node.primaryKey] else { continue }
      let entity = model.entities[reference.entity]
      objects.append(
        StoredObject(
          reference: reference, attributes: try Self.attributes(of: node, entity),
          relationships: try Self.relationships(of: node, entity, references)))
    }
    self.objects = objects.sorted { $0.reference < $1.reference }
  }

  /// Goes through the store, all of which is in memory.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, and what `body` throws.
  public func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
    let wanted = entity.map { Set($0.familyIndices) }
    for object in objects where wanted?.contains(object.reference.entity) ?? true {
      try Task.checkCancellation()
      try body(object)
    }
  }

  /// One object, found by halving.
  public func object(_ reference: StoredObject.Reference) -> StoredObject? {
    var (low, high) = (0, objects.count)
    while low < high {
      let middle = (low + high) / 2
      if objects[middle].reference < reference { low = middle + 1 } else { high = middle }
    }
    return low < objects.count && objects[low].reference == reference ? objects[low] : nil
  }

  private static func attributes(
    of node: BinaryStore.Node, _ entity: EntityDescription
  ) throws(BinaryStoreError) -> [AttributeValue] {
    // More slots are possible: fetched properties have some, and models here do not keep those.
    guard node.namedAttributes != nil || node.attributeValues.count >= entity.properties.count else {
      throw BinaryStoreError(
        node,
        "it has \(node.attributeValues.count) slots, the model has \(entity.properties.count) properties")
    }
    var values: [AttributeValue] = []
    for (index, property) in entity.properties.prefix(entity.attributeCount).enumerated() {
      guard case .attribute(let attribute) = property, !attribute.isTransient else {
        values.append(.null)
        continue
      }
      let slot = node.namedAttributes.map { $0[attribute.name] ?? .null } ?? node.attributeValues[index]
      guard let value = AttributeValue(archived: slot, type: attribute.type) else {
        throw BinaryStoreError(node, "the value of “\(attribute.name)” is not of the attribute's type")
      }
      values.append(value)
    }
    return values
  }

  private static func relationships(
    of node: BinaryStore.Node, _ entity: EntityDescription, _ references: [Int64: StoredObject.Reference]
  ) throws(BinaryStoreError) -> [[StoredObject.Reference]] {
    var relationships: [[StoredObject.Reference]] = []
    for property in entity.properties.dropFirst(entity.attributeCount) {
      guard case .relationship(let relationship) = property, !relationship.isTransient else {
        relationships.append([])
        continue
      }
      var targets: [StoredObject.Reference] = []
      for key in node.relatedNodes[relationship.name]?.primaryKeys ?? [] {
        // One that is not in the store is known by its key alone.
        targets.append(references[key] ?? .init(entity: relationship.destinationIndex, key: key))
      }
      if !relationship.isToMany, targets.count > 1 {
        throw BinaryStoreError(node, "“\(relationship.name)” is to-one and has \(targets.count) targets")
      }
      relationships.append(relationship.isOrdered ? targets : targets.sorted())
    }
    for name in node.relatedNodes.keys.sorted() where entity.property(named: name)?.asRelationship == nil {
      throw BinaryStoreError(node, "the model has no relationship “\(name)”")
    }
    return relationships
  }
}

/// A binary store that does not fit the model it is read with.
public struct BinaryStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Name of the object's entity.
  public let entityName: String
  /// Key of the object.
  public let primaryKey: Int64
  /// What does not fit.
  public let message: String

  init(_ node: BinaryStore.Node, _ message: String) {
    entityName = node.entityName
    primaryKey = node.primaryKey
    self.message = message
  }

  /// What a person can do about it.
  public var recovery: String { "Name the version of the model that the store was made with." }

  /// One line for a log or a terminal.
  public var description: String { "object \(primaryKey) of \(entityName): \(message)" }
}
