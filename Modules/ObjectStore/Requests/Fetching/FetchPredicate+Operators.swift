/// A key path that may be part of a predicate.
public typealias PropertyKeyPath<Object: ManagedObject, Value> = KeyPath<Object, Value> & Sendable

private func compare<Object, Value: AttributeConvertible>(
  _ path: any PropertyKeyPath<Object, Value>, _ comparison: Comparison, _ value: Value
) -> FetchPredicate<Object> {
  FetchPredicate(.comparison(.path(.keyPath(path)), comparison, .constant(value.attributeValue)))
}

/// The property has this value; with `nil`, it has none.
public func == <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .equal, value)
}

/// The property has not this value; with `nil`, it has one.
public func != <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .notEqual, value)
}

/// The property is less than the value.
public func < <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .less, value)
}

/// The property is less than the value or equal to it.
public func <= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .lessOrEqual, value)
}

/// The property is greater than the value.
public func > <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .greater, value)
}

/// The property is greater than the value or equal to it.
public func >= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any PropertyKeyPath<Object, Value>, value: Value
) -> FetchPredicate<Object> {
  compare(path, .greaterOrEqual, value)
}

/// Both properties have the same value, or neither has one.
public func == <Object, Value: AttributeConvertible>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchPredicate<Object> {
  FetchPredicate(.comparison(.path(.keyPath(left)), .equal, .path(.keyPath(right))))
}

/// The left property is less than the right one.
public func < <Object, Value: AttributeConvertible>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchPredicate<Object> {
  FetchPredicate(.comparison(.path(.keyPath(left)), .less, .path(.keyPath(right))))
}

/// The relationship leads to this object; with `nil`, to none.
public func == <Object: ManagedObject, Target: ManagedObject>(
  path: any PropertyKeyPath<Object, Target?>, target: Target?
) -> FetchPredicate<Object> {
  FetchPredicate(.related(.keyPath(path), target?.objectID))
}

/// The relationship leads elsewhere or nowhere; with `nil`, it leads somewhere.
public func != <Object: ManagedObject, Target: ManagedObject>(
  path: any PropertyKeyPath<Object, Target?>, target: Target?
) -> FetchPredicate<Object> {
  FetchPredicate(.not(.related(.keyPath(path), target?.objectID)))
}

extension FetchPredicate where Object: ManagedObject {
  /// The text property contains the text.
  public static func contains(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>, _ text: String,
    _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.keyPath(path)), .contains, text, options))
  }

  /// The text property begins with the text.
  public static func begins(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>, with text: String,
    _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.keyPath(path)), .begins, text, options))
  }

  /// The text property ends with the text.
  public static func ends(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>, with text: String,
    _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.keyPath(path)), .ends, text, options))
  }

  /// The text property is the text but for what the options ignore.
  public static func equals(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>, _ text: String,
    _ options: ComparisonOptions
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.keyPath(path)), .equals, text, options))
  }

  /// The text property matches a pattern in which `?` stands for one character and `*` for any number.
  public static func like(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>, _ pattern: String,
    _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.keyPath(path)), .like, pattern, options))
  }

  /// The property has one of the values.
  public static func among<Value: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object, Value>, _ values: some Sequence<Value>
  ) -> FetchPredicate {
    FetchPredicate(.among(.path(.keyPath(path)), values.map(\.attributeValue)))
  }
}

// MARK: - By name

/// A property by name, for entities without a class; `"folder.name"` leads through a relationship.
public struct PropertyName: Sendable, Hashable, ExpressibleByStringLiteral {
  let names: [String]

  /// Names a property, with the relationships that lead to it, separated by full stops.
  public init(_ path: String) {
    names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// Names a property by a literal.
  public init(stringLiteral path: String) { self.init(path) }
}

extension FetchPredicate where Object: ManagedObject {
  /// A property has this value; with `null`, it has none.
  public static func property(_ name: PropertyName, equals value: AttributeValue) -> FetchPredicate {
    FetchPredicate(.comparison(.path(.names(name.names)), .equal, .constant(value)))
  }

  /// A property is less than the value.
  public static func property(_ name: PropertyName, isLessThan value: AttributeValue) -> FetchPredicate {
    FetchPredicate(.comparison(.path(.names(name.names)), .less, .constant(value)))
  }

  /// A property is greater than the value.
  public static func property(_ name: PropertyName, isGreaterThan value: AttributeValue) -> FetchPredicate {
    FetchPredicate(.comparison(.path(.names(name.names)), .greater, .constant(value)))
  }

  /// A property has one of the values.
  public static func property(_ name: PropertyName, isAmong values: [AttributeValue]) -> FetchPredicate {
    FetchPredicate(.among(.path(.names(name.names)), values))
  }

  /// A text property contains the text.
  public static func property(
    _ name: PropertyName, contains text: String, _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    FetchPredicate(.text(.path(.names(name.names)), .contains, text, options))
  }

  /// A to-one relationship leads to this object; with `nil`, to none.
  public static func relationship(_ name: PropertyName, is target: ObjectID?) -> FetchPredicate {
    FetchPredicate(.related(.names(name.names), target))
  }
}
