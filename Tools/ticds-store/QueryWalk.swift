import CommandLineTool
import ObjectStore

/// The objects that a path has reached, one relationship after the other.
///
/// Where only the values count and not how often they come, no object is looked at twice: the ways to it multiply with every relationship to many.
struct QueryWalk {
  private let source: any StoredObjectSource
  private let isDistinct: Bool
  private var objects: [StoredObject]
  /// How many relationships to one object led nowhere.
  private var missing = 0

  private static let greatestNumber = 100_000

  /// - Parameter isDistinct: Whether an object to which several ways lead counts once.
  init(from object: StoredObject, in source: any StoredObjectSource, isDistinct: Bool) {
    objects = [object]
    self.source = source
    self.isDistinct = isDistinct
  }

  /// Goes on along a relationship.
  mutating func follow(_ name: String) throws {
    var next: [StoredObject] = []
    var seen: Set<StoredObject.Reference> = []
    for object in objects {
      try Task.checkCancellation()
      guard let (targets, isToMany) = targets(of: object, name) else { continue }
      if targets.isEmpty, !isToMany { missing += 1 }
      for target in targets where !isDistinct || seen.insert(target).inserted {
        if let found = try source.object(target) {
          next.append(found)
        } else if !isToMany {
          missing += 1
        }
      }
      guard next.count + missing <= Self.greatestNumber else {
        throw ToolFailure.usage(
          "more than \(Self.greatestNumber) ways lead along “\(name)”",
          advice: "compute over fewer relationships")
      }
    }
    objects = next
  }

  /// What the objects have at the end of the path.
  func values(of name: String, isCount: Bool) -> [AttributeValue] {
    var values: [AttributeValue] = []
    for object in objects {
      guard let (targets, isToMany) = targets(of: object, name) else {
        values.append(attribute(name, of: object))
        continue
      }
      if isCount {
        values.append(.integer(Int64(targets.count)))
      } else {
        values += targets.map { .reference(entity: Int32($0.entity), key: $0.key) }
        if targets.isEmpty, !isToMany { values.append(.null) }
      }
    }
    return values + Array(repeating: .null, count: isDistinct ? min(missing, 1) : missing)
  }

  private func attribute(_ name: String, of object: StoredObject) -> AttributeValue {
    let entity = source.model.entities[object.reference.entity]
    return entity.index(of: name).map { object.attributes[$0] } ?? .null
  }

  /// `nil` if it is no relationship.
  private func targets(
    of object: StoredObject, _ name: String
  ) -> (targets: [StoredObject.Reference], isToMany: Bool)? {
    let entity = source.model.entities[object.reference.entity]
    guard let index = entity.index(of: name), let relationship = entity.relationship(at: index) else {
      return nil
    }
    return (object.relationships[index - entity.attributeCount], relationship.isToMany)
  }
}
