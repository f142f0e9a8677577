import ChangeTracking
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

  private var renaming = Renaming()

  /// Names of any version of the model as the latest has them: what was renamed is what it was.
  func latest(_ names: EntityNames) -> EntityNames { renaming.latest(names) }

  /// No such rules.
  public init() {}

  /// Those of a model.
  init(_ model: ManagedObjectModel, _ renaming: Renaming) {
    self.renaming = renaming
    for entity in model.entities {
      let family = Set(entity.familyIndices.map { model.entities[$0].name })
      for keys in entity.ownUniquenessConstraints where keys.count == 1 {
        unique.append(Unique(key: keys[0], entities: family))
      }
    }
  }
}
