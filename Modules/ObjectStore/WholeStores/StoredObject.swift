/// One object with everything that a store keeps of it, apart from any context: what tools and copies of whole stores
/// work on.
public struct StoredObject: Hashable, Sendable {
  /// Which object of a store is meant.
  public struct Reference: Hashable, Sendable, Comparable {
    /// Index of the object's entity in ``ManagedObjectModel/entities``.
    public var entity: Int
    /// The object's key.
    public var key: Int64

    /// Refers to an object.
    public init(entity: Int, key: Int64) {
      self.entity = entity
      self.key = key
    }

    /// By entity, then by key.
    public static func < (left: Reference, right: Reference) -> Bool {
      (left.entity, left.key) < (right.entity, right.key)
    }
  }

  /// Which object it is.
  public var reference: Reference
  /// The attributes' values, by the index of the property. Transient ones are null.
  public var attributes: [AttributeValue]
  /// The related objects, by the index of the property less the number of attributes. Those of an unordered relationship
  /// are sorted, so that equal objects are equal values. Transient relationships are empty.
  public var relationships: [[Reference]]
  /// The attributes whose value is kept in a file of its own beside the store, and the file is missing. Their
  /// entry in ``attributes`` is what the store holds instead: a byte 2 and the name of the file.
  public var missingFiles: PropertyMask
  /// The properties that a ``TolerantStore`` could not read. Their entries are null and empty.
  public var unread = PropertyMask()

  /// Describes an object.
  public init(
    reference: Reference, attributes: [AttributeValue], relationships: [[Reference]],
    missingFiles: PropertyMask = PropertyMask()
  ) {
    self.reference = reference
    self.attributes = attributes
    self.relationships = relationships
    self.missingFiles = missingFiles
  }
}

/// A whole store that can be gone through, object by object.
public protocol StoredObjectSource {
  /// The model that gives the objects their meaning.
  var model: ManagedObjectModel { get }

  /// Calls `body` with every object of an entity and of those that inherit from it, or with all objects; by entity in the
  /// order of the model, then by key. May be called again; while the store does not change it gives the same.
  func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws

  /// One object, or `nil` if it is not in the store. May be called from within ``forEachObject(of:_:)``.
  func object(_ reference: StoredObject.Reference) throws -> StoredObject?
}

extension StoredObjectSource {
  /// All objects in the order of ``forEachObject(of:_:)``, held in memory.
  public func allObjects() throws -> [StoredObject] {
    var objects: [StoredObject] = []
    try forEachObject(of: nil) { objects.append($0) }
    return objects
  }
}
