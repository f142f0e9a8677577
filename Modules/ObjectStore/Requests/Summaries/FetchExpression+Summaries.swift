/// Stands for the objects of a class that a summary counts together.
public enum GroupOf<Object: ManagedObject>: ObjectGroup {
  /// The class of the objects.
  public typealias Member = Object
}

/// What ``GroupOf`` stands for. Do not conform others.
public protocol ObjectGroup: Sendable {
  /// The class of the objects.
  associatedtype Member: ManagedObject
}

extension FetchExpression where Object: ObjectGroup {
  /// A property of the objects, which tells the groups apart.
  public static func property(_ path: any PropertyKeyPath<Object.Member, Value>) -> FetchExpression
  where Value: AttributeConvertible {
    FetchExpression(.path(.keyPath(path)))
  }

  /// A property by name, whatever its type, which tells the groups apart.
  public static func property(_ name: PropertyName) -> FetchExpression
  where Value == AttributeValue {
    FetchExpression(.path(.names(name.names)))
  }

  /// What an expression gives for the objects, which tells the groups apart.
  public static func each(_ expression: FetchExpression<Object.Member, Value>) -> FetchExpression {
    FetchExpression(expression.operand, decode: expression.decode)
  }

  /// The object that a to-one relationship leads to, which tells the groups apart; `nil` where it leads to none.
  public static func target<Target: ManagedObject>(
    _ path: any PropertyKeyPath<Object.Member, Target?>
  ) -> FetchExpression where Value == ObjectID? {
    FetchExpression(.path(.keyPath(path))) { value, store in
      guard case .reference(let entity, let key) = value, store.model.entities.indices.contains(Int(entity))
      else { return nil }
      return store.objectID(store.model.entities[Int(entity)], key: key)
    }
  }
}

// MARK: - Over the objects of a group

extension FetchExpression where Object: ObjectGroup {
  /// How many objects there are.
  public static func count() -> FetchExpression where Value == Int {
    FetchExpression(.group(.count, nil, isDistinct: false))
  }

  /// How many objects have a value, or how many different values they have.
  public static func count<Counted: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object.Member, Counted>, distinct: Bool = false
  ) -> FetchExpression where Value == Int {
    FetchExpression(.group(.count, .path(.keyPath(path)), isDistinct: distinct))
  }

  /// The sum of a property; 0 if there is no value.
  public static func sum<Number: ArithmeticValue>(
    _ path: any PropertyKeyPath<Object.Member, Number>
  ) -> FetchExpression where Value == Number.Sum {
    FetchExpression(.group(.sum, .path(.keyPath(path)), isDistinct: false))
  }

  /// The sum of what an expression gives; 0 if there is no value.
  public static func sum<Number: ArithmeticValue>(
    _ expression: FetchExpression<Object.Member, Number>
  ) -> FetchExpression where Value == Number.Sum {
    FetchExpression(.group(.sum, expression.operand, isDistinct: false))
  }

  /// The average of a property; missing if there is no value.
  public static func average(
    _ path: any PropertyKeyPath<Object.Member, some ArithmeticValue>
  ) -> FetchExpression where Value == Double? {
    FetchExpression(.group(.average, .path(.keyPath(path)), isDistinct: false))
  }

  /// The least value of a property; missing if there is none.
  public static func minimum<Least: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object.Member, Least>
  ) -> FetchExpression where Value == Least? {
    FetchExpression(.group(.minimum, .path(.keyPath(path)), isDistinct: false))
  }

  /// The least value of a property; missing if there is none.
  public static func minimum<Least: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object.Member, Least?>
  ) -> FetchExpression where Value == Least? {
    FetchExpression(.group(.minimum, .path(.keyPath(path)), isDistinct: false))
  }

  /// The greatest value of a property; missing if there is none.
  public static func maximum<Greatest: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object.Member, Greatest>
  ) -> FetchExpression where Value == Greatest? {
    FetchExpression(.group(.maximum, .path(.keyPath(path)), isDistinct: false))
  }

  /// The greatest value of a property; missing if there is none.
  public static func maximum<Greatest: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object.Member, Greatest?>
  ) -> FetchExpression where Value == Greatest? {
    FetchExpression(.group(.maximum, .path(.keyPath(path)), isDistinct: false))
  }
}
