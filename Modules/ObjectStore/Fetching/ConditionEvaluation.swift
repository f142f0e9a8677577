/// Decides in memory what SQL decides in the store, for objects with unsaved changes.
struct ConditionEvaluation {
  let resolve: (PropertyPath) throws(ContextError) -> ResolvedPath

  /// Whether a condition holds for an object.
  func holds(_ condition: Condition, for object: ManagedObject) throws(ContextError) -> Bool {
    switch condition {
    case .constant(let isTrue): return isTrue
    case .all(let parts):
      for part in parts where try !holds(part, for: object) { return false }
      return true
    case .any(let parts):
      for part in parts where try holds(part, for: object) { return true }
      return false
    case .not(let part): return try !holds(part, for: object)
    case .comparison(let path, let comparison, let wanted):
      return Self.compare(try value(path, of: object), comparison, wanted)
    case .among(let path, let values):
      let value = try value(path, of: object)
      return values.contains { Self.compare(value, .equal, $0) }
    case .text(let path, let match, let wanted, let options):
      switch try value(path, of: object) {
      case .string(let text), .uri(let text):
        return TextMatching.matches(text, wanted, code: TextMatching.code(match, options))
      default: return false
      }
    case .related(let path, let target):
      guard case .reference(_, let key) = try value(path, of: object) else { return target == nil }
      return key == target?.key
    }
  }

  /// The value at the end of a path; null if it ends before.
  func value(_ path: PropertyPath, of object: ManagedObject) throws(ContextError) -> AttributeValue {
    let resolved = try resolve(path)
    var current = object
    var entity = resolved.start
    for (position, index) in resolved.indices.enumerated() {
      // The object may be of an entity that inherits, where the property has another index.
      let name = entity.properties[index].name
      guard let own = current.entity === entity ? index : current.entity.index(of: name) else { return .null }
      if position == resolved.indices.count - 1 { return current.value(at: own) }
      guard let next = current.target(at: own), let relationship = entity.relationship(at: index),
        let context = object.contextReference
      else { return .null }
      entity = context.model.entities[relationship.destinationIndex]
      current = next
    }
    return .null
  }

  private static func compare(_ value: AttributeValue, _ comparison: Comparison, _ wanted: AttributeValue)
    -> Bool
  {
    if value.isNull || wanted.isNull {
      let areBoth = value.isNull && wanted.isNull
      return comparison == .equal ? areBoth : comparison == .notEqual ? !areBoth : false
    }
    let isLess = value.precedes(wanted)
    let isGreater = wanted.precedes(value)
    return switch comparison {
    case .equal: !isLess && !isGreater
    case .notEqual: isLess || isGreater
    case .less: isLess
    case .lessOrEqual: !isGreater
    case .greater: isGreater
    case .greaterOrEqual: !isLess
    }
  }
}
