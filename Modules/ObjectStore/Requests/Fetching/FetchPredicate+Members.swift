extension FetchPredicate where Object: ManagedObject {
  /// A to-many relationship leads to an object for which the condition holds, or to any object at all.
  public static func any<Members: RelatedObjects>(
    _ path: any PropertyKeyPath<Object, Members>, where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchPredicate {
    FetchPredicate(.exists(.init(path: .keyPath(path), condition: predicate?.condition)))
  }

  /// The condition holds for all objects that a to-many relationship leads to; true if there are none.
  public static func all<Members: RelatedObjects>(
    _ path: any PropertyKeyPath<Object, Members>, where predicate: FetchPredicate<Members.Related>
  ) -> FetchPredicate {
    FetchPredicate(.not(.exists(.init(path: .keyPath(path), condition: .not(predicate.condition)))))
  }

  /// A to-many relationship leads to no object for which the condition holds, or to no object at all.
  public static func none<Members: RelatedObjects>(
    _ path: any PropertyKeyPath<Object, Members>, where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchPredicate {
    FetchPredicate(.not(.exists(.init(path: .keyPath(path), condition: predicate?.condition))))
  }

  // MARK: - By name

  /// A to-many relationship of this name leads to an object for which the condition holds, or to any object at all.
  public static func any(_ name: PropertyName, where predicate: FetchPredicate<ManagedObject>? = nil)
    -> FetchPredicate
  {
    FetchPredicate(.exists(.init(path: .names(name.names), condition: predicate?.condition)))
  }

  /// The condition holds for all objects that a to-many relationship of this name leads to; true if there are none.
  public static func all(_ name: PropertyName, where predicate: FetchPredicate<ManagedObject>)
    -> FetchPredicate
  {
    FetchPredicate(.not(.exists(.init(path: .names(name.names), condition: .not(predicate.condition)))))
  }

  /// A to-many relationship of this name leads to no object for which the condition holds, or to no object at all.
  public static func none(_ name: PropertyName, where predicate: FetchPredicate<ManagedObject>? = nil)
    -> FetchPredicate
  {
    FetchPredicate(.not(.exists(.init(path: .names(name.names), condition: predicate?.condition))))
  }
}

extension FetchPredicate where Object: ManagedObject {
  /// The object is one of these.
  public static func object(isAmong identifiers: some Sequence<ObjectID>) -> FetchPredicate {
    FetchPredicate(.identified(nil, Array(identifiers)))
  }

  /// The relationship leads to one of these objects.
  public static func related<Target: ManagedObject>(
    _ path: any PropertyKeyPath<Object, Target?>, isAmong identifiers: some Sequence<ObjectID>
  ) -> FetchPredicate {
    FetchPredicate(.identified(.keyPath(path), Array(identifiers)))
  }

  /// The property has a value that some object which another request would fetch has in a property of its own.
  ///
  /// Limit, offset and order of the request have no effect.
  public static func among<Value: AttributeConvertible, Other: ManagedObject>(
    _ path: any PropertyKeyPath<Object, Value>, _ property: any PropertyKeyPath<Other, Value>,
    of request: FetchRequest<Other>
  ) -> FetchPredicate {
    FetchPredicate(
      .amongFetched(
        .path(.keyPath(path)),
        Subfetch(
          entity: request.entityName ?? Other.entityName, condition: request.predicate?.condition,
          value: .path(.keyPath(property)))))
  }
}
