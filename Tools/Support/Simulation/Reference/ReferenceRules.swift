import ObjectStore

/// What decides what objects show, but is not part of a `SyncSchema`.
public struct ReferenceRules: Sendable {
  /// A property of which no two objects may show the same value.
  struct Unique: Hashable, Sendable {
    var key: String
    /// The entities among whose objects the value is unique.
    var entities: Set<String>
  }

  var unique: [Unique] = []

  /// No such rules.
  public init() {}

  /// Those of a model.
  public init(_ model: ManagedObjectModel) {
    for entity in model.entities {
      let family = Set(entity.familyIndices.map { model.entities[$0].name })
      for keys in entity.ownUniquenessConstraints where keys.count == 1 {
        unique.append(Unique(key: keys[0], entities: family))
      }
    }
  }
}
