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
  /// By names of the latest version: the roots of entities and of what relationships lead to, and the types of attributes.
  private var roots: [String: String] = [:]
  private var destinations: [Key: String] = [:]
  private var types: [Key: AttributeType] = [:]

  private struct Key: Hashable {
    var entity: String
    var property: String
  }

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
      roots[entity.name] = entity.root.name
      for property in entity.properties {
        let key = Key(entity: entity.name, property: property.name)
        types[key] = property.asAttribute?.type
        destinations[key] = property.asRelationship.map { model.entities[$0.destinationIndex].root.name }
      }
    }
  }

  /// Names of any version of the model as the latest has them: what was renamed is what it was, and is where it is now.
  func latest(_ names: EntityNames) -> EntityNames {
    var latest = renaming.latest(names)
    // Of versions that contradict each other each has roots of its own.
    if !renaming.placed.isEmpty { return latest }
    latest.root = roots[latest.name] ?? latest.root
    latest.properties = latest.properties.map { property in
      var property = property
      switch (property.kind, destinations[Key(entity: latest.name, property: property.name)]) {
      case (.toOne, let root?): property.kind = .toOne(destination: root)
      case (.toMany, let root?): property.kind = .toMany(destination: root)
      default: break
      }
      return property
    }
    return latest
  }

  /// Whether of two insertions with one stamp the one of another entity decides. By the names of the first version.
  func precedes(_ entity: String, _ other: String) -> Bool {
    renaming.first(entity).utf8.lexicographicallyPrecedes(renaming.first(other).utf8)
  }

  /// A value of any version of the model as the latest holds it.
  func held(_ value: AttributeValue, _ key: String, of entity: String) -> AttributeValue {
    guard let type = types[Key(entity: entity, property: key)] else { return value }
    return switch (value, type) {
    case (.integer(let number), .string): .string("\(number)")
    case (.integer(let number), .double): .double(Double(number))
    case (.integer(let number), .date): .date(Double(number))
    case (.boolean(let flag), .integer64): .integer(flag ? 1 : 0)
    case (.boolean(let flag), .string): .string(flag ? "1" : "0")
    case (.float(let number), .double): .double(Double(number))
    case (.float(let number), .date): .date(Double(number))
    case (.double(let number), .date): .date(number)
    case (.date(let seconds), .double): .double(seconds)
    case (.uuid(let uuid), .string): .string(uuid.uuidString)
    case (.uri(let uri), .string): .string(uri)
    default: value
    }
  }
}
