/// What an application demands of one property, beyond what the model can say.
///
/// ```swift
/// override class var valueChecks: [ValueCheck] {
///   [ValueCheck(\Note.title) { if $0.hasPrefix(" ") { throw Mistake("begins with a space") } }]
/// }
/// ```
/// Checks run in the save, in the context's isolation: all of them for a new object, those of properties that were set for
/// another. What a check throws is reported as ``SaveError/Problem/invalidValue(_:property:reason:)``, with others.
public struct ValueCheck {
  let path: any AnyKeyPath & Sendable
  private let body: (ManagedObject) throws -> Void

  /// Makes a check of a property.
  ///
  /// - Parameters:
  ///   - path: The property of the class itself; a path through relationships is refused when it is first used.
  ///   - check: Throws an error that says what is wrong with a value.
  public init<Object: ManagedObject, Value>(
    _ path: any PropertyKeyPath<Object, Value>, _ check: @escaping (Value) throws -> Void
  ) {
    self.path = path
    body = { object in
      if let object = object as? Object { try check(object[keyPath: path]) }
    }
  }

  func run(_ object: ManagedObject) throws { try body(object) }
}

extension ManagedObjectContext {
  /// The checks of an entity's class, with the properties that they are of.
  func valueChecks(of entity: EntityDescription) throws(ContextError) -> [(index: Int, check: ValueCheck)] {
    var checks: [(Int, ValueCheck)] = []
    for check in model.objectClass(of: entity).valueChecks {
      let resolved = try paths.resolve(.keyPath(check.path), from: entity, in: model)
      guard resolved.indices.count == 1 else { throw .unknownPath(entity: entity.name) }
      checks.append((resolved.indices[0], check))
    }
    return checks
  }
}
