import ChangeTracking
import ObjectStore

/// What decides what objects show, but is not part of a `SyncSchema`.
public struct ReferenceRules: Sendable {
  /// Attributes of which no two objects may show the same values together.
  struct Constraint: Hashable, Sendable {
    var keys: [String]
    /// The entities among whose objects the values are unique: all of a family that have the attributes, whichever declares it.
    var entities: Set<String>
  }

  /// The constraints, those together that have attributes in common.
  private(set) var claims: [[Constraint]] = []
  var constrainedKeys: Set<String> { Set(claims.joined().flatMap(\.keys)) }

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
      // Names of attributes are unique in a drawn model.
      let family = entity.root.familyIndices.map { model.entities[$0] }
      for keys in entity.ownUniquenessConstraints {
        let under = family.filter { other in keys.allSatisfy { other.property(named: $0) != nil } }
        add(Constraint(keys: keys, entities: Set(under.map(\.name))))
      }
      roots[entity.name] = entity.root.name
      for property in entity.properties {
        let key = Key(entity: entity.name, property: property.name)
        types[key] = property.asAttribute?.type
        destinations[key] = property.asRelationship.map { model.entities[$0.destinationIndex].root.name }
      }
    }
  }

  private mutating func add(_ constraint: Constraint) {
    let keys = Set(constraint.keys)
    let related = claims.filter { !keys.isDisjoint(with: $0.flatMap(\.keys)) }
    claims.removeAll { related.contains($0) }
    let joined = related.flatMap(\.self)
    claims.append(joined.contains(constraint) ? joined : joined + [constraint])
  }

  /// The whole numbers that an attribute can hold; `nil` if it holds others.
  func range(_ key: String, of entity: String) -> ClosedRange<Int64>? {
    types[Key(entity: entity, property: key)]?.wholeNumbers
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
