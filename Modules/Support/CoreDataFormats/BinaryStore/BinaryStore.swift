/// A Core Data binary store (store type “Binary”) as plain values, without a model.
///
/// The layout: a header of 64 bytes, a keyed archive with the objects (the “map”) and one with the metadata. What
/// the slots of a node mean is told by the model of whoever wrote the store.
public struct BinaryStore: Hashable, Sendable {
  /// One managed object.
  public struct Node: Hashable, Sendable {
    /// Key of the object, unique within the store, from 1.
    public var primaryKey: Int64
    /// Name of the object's entity.
    public var entityName: String
    /// One value for every property of the entity in the order of the flattened model; those that are no attributes
    /// hold ``ArchivedObject/null``. Transformable values stand here themselves, untransformed.
    public var attributeValues: [ArchivedObject]
    /// Attributes by name, which very old writers used instead of ``attributeValues``.
    public var namedAttributes: [String: ArchivedObject]?
    /// The objects that each relationship leads to. Empty relationships may be absent.
    public var relatedNodes: [String: RelatedNodes]

    /// Makes a node.
    public init(
      primaryKey: Int64, entityName: String, attributeValues: [ArchivedObject],
      relatedNodes: [String: RelatedNodes] = [:]
    ) {
      self.primaryKey = primaryKey
      self.entityName = entityName
      self.attributeValues = attributeValues
      self.relatedNodes = relatedNodes
    }
  }

  /// What one relationship of a node leads to.
  public struct RelatedNodes: Hashable, Sendable {
    /// Keys of the related objects, in order.
    public var primaryKeys: [Int64]
    /// Whether the relationship is to-many. Core Data marks this by the mutability of the list.
    public var isToMany: Bool

    /// Lists related objects.
    public init(primaryKeys: [Int64], isToMany: Bool) {
      self.primaryKeys = primaryKeys
      self.isToMany = isToMany
    }

    /// The target of a to-one relationship.
    public static func one(_ primaryKey: Int64) -> RelatedNodes {
      RelatedNodes(primaryKeys: [primaryKey], isToMany: false)
    }

    /// The targets of a to-many relationship.
    public static func many(_ primaryKeys: [Int64]) -> RelatedNodes {
      RelatedNodes(primaryKeys: primaryKeys, isToMany: true)
    }
  }

  /// The objects in the order of their keys.
  public var nodes: [Node]
  /// The store's metadata: UUID, version hashes of the model, and whatever the application added.
  public var metadata: [String: ArchivedObject]
  /// The last primary key that was handed out. The writer raises it to the largest key in use.
  public var lastPrimaryKey: Int64

  /// Makes a store.
  public init(nodes: [Node], metadata: [String: ArchivedObject], lastPrimaryKey: Int64 = 0) {
    self.nodes = nodes
    self.metadata = metadata
    self.lastPrimaryKey = lastPrimaryKey
  }
}

extension BinaryStore {
  /// The metadata key whose value “Binary” Core Data insists on.
  public static let storeTypeKey = "NSStoreType"
  /// The metadata key of the store's UUID, as upper-case text.
  public static let storeUUIDKey = "NSStoreUUID"

  /// Version hash of every entity, 32 bytes each, as the metadata has them.
  public var versionHashes: [String: [UInt8]] {
    guard case .dictionary(let pairs) = metadata["NSStoreModelVersionHashes"] else { return [:] }
    var hashes: [String: [UInt8]] = [:]
    for case (.string(let entity), .data(let hash)) in pairs { hashes[entity] = hash }
    return hashes
  }

  /// The store's UUID.
  public var storeUUID: String? {
    if case .string(let text) = metadata[Self.storeUUIDKey] { text } else { nil }
  }
}
