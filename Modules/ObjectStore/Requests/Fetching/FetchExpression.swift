/// A value that can be computed for each object: a property, arithmetic with properties, a count of related objects.
///
/// ```swift
/// \.price * \.quantity > 100
/// .length(\.title) > 80
/// .count(\.$notes, where: \.stars > 3) >= 2
/// ```
/// Expressions become SQL with bound values, or are computed in memory for objects with unsaved changes; both give the same.
/// What is computed from a missing value is missing.
public struct FetchExpression<Object, Value>: Sendable {
  let operand: Operand
  /// Makes a Swift value of what the store or the objects give.
  let decode: @Sendable (AttributeValue, PersistentStore) -> Value

  init(_ operand: Operand, decode: @escaping @Sendable (AttributeValue, PersistentStore) -> Value) {
    self.operand = operand
    self.decode = decode
  }
}

extension FetchExpression where Value: AttributeConvertible {
  init(_ operand: Operand) {
    self.init(operand) { value, _ in Value(attributeValue: value) ?? Value.absentValue }
  }

  /// The same for every object.
  public static func value(_ value: Value) -> FetchExpression {
    FetchExpression(.constant(value.attributeValue))
  }
}

extension FetchExpression where Value == Double? {
  /// A number property with 64 bits and a fraction, so that it can be divided without a remainder being lost.
  public static func double(
    _ path: any PropertyKeyPath<Object, some ArithmeticValue>
  ) -> FetchExpression where Object: ManagedObject {
    FetchExpression(.real(.path(.keyPath(path))))
  }

  /// A number with 64 bits and a fraction.
  public static func double(_ expression: FetchExpression<Object, some ArithmeticValue>) -> FetchExpression {
    FetchExpression(.real(expression.operand))
  }
}

extension FetchExpression where Object: ManagedObject {
  /// A property, also of an object that to-one relationships lead to.
  public static func property(_ path: any PropertyKeyPath<Object, Value>) -> FetchExpression
  where Value: AttributeConvertible {
    FetchExpression(.path(.keyPath(path)))
  }

  /// A property, or a value where it is missing.
  public static func property(
    _ path: any PropertyKeyPath<Object, Value?>, default value: Value
  ) -> FetchExpression where Value: AttributeConvertible {
    FetchExpression(.otherwise(.path(.keyPath(path)), .constant(value.attributeValue)))
  }

  /// A property by name, whatever its type.
  public static func property(_ name: PropertyName) -> FetchExpression where Value == AttributeValue {
    FetchExpression(.path(.names(name.names)))
  }

  /// The number of characters of text.
  public static func length(_ path: any PropertyKeyPath<Object, some AttributeConvertible>) -> FetchExpression
  where Value == Int? {
    FetchExpression(.text(.length, .path(.keyPath(path))))
  }

  /// Text in small letters.
  public static func lowercased(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>
  ) -> FetchExpression where Value == String? {
    FetchExpression(.text(.lowercased, .path(.keyPath(path))))
  }

  /// Text in capital letters.
  public static func uppercased(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>
  ) -> FetchExpression where Value == String? {
    FetchExpression(.text(.uppercased, .path(.keyPath(path))))
  }

  /// What texts are sorted by in a list for people: “a2” before “A10”, “e” beside “é”.
  ///
  /// Case, accents and width count only between texts that are otherwise alike, and numbers count by their value. The order knows no
  /// language, so it is the same on every device and platform, and a total one: equal are only equal texts.
  /// ```swift
  /// FetchRequest<Note>().sorted(by: .naturalOrder(\.title))
  /// ```
  public static func naturalOrder(
    _ path: any PropertyKeyPath<Object, some AttributeConvertible>
  ) -> FetchExpression where Value == String? {
    FetchExpression(.text(.naturalOrder, .path(.keyPath(path))))
  }
}

// MARK: - Over related objects

extension FetchExpression where Object: ManagedObject {
  /// How many objects a to-many relationship leads to, or for how many of them a condition holds.
  public static func count<Members: RelatedObjects>(
    _ path: any PropertyKeyPath<Object, Members>, where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchExpression where Value == Int {
    FetchExpression(.members(.count, .init(path: .keyPath(path), condition: predicate?.condition), nil))
  }

  /// How many objects a to-many relationship of this name leads to, or for how many of them a condition holds.
  public static func count(
    _ name: PropertyName, where predicate: FetchPredicate<ManagedObject>? = nil
  ) -> FetchExpression where Value == Int {
    FetchExpression(.members(.count, .init(path: .names(name.names), condition: predicate?.condition), nil))
  }

  /// The sum of a property of related objects; 0 if there are none.
  public static func sum<Members: RelatedObjects, Number: ArithmeticValue>(
    _ property: any PropertyKeyPath<Members.Related, Number>, in path: any PropertyKeyPath<Object, Members>,
    where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchExpression where Value == Number.Sum {
    FetchExpression(over: path, .sum, property, predicate)
  }

  /// The average of a property of related objects; missing if there is none with a value.
  public static func average<Members: RelatedObjects, Number: ArithmeticValue>(
    _ property: any PropertyKeyPath<Members.Related, Number>, in path: any PropertyKeyPath<Object, Members>,
    where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchExpression where Value == Double? {
    FetchExpression(over: path, .average, property, predicate)
  }

  /// The least value of a property of related objects; missing if there is none.
  public static func minimum<Members: RelatedObjects, Least: AttributeConvertible>(
    _ property: any PropertyKeyPath<Members.Related, Least>, in path: any PropertyKeyPath<Object, Members>,
    where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchExpression where Value == Least? {
    FetchExpression(over: path, .minimum, property, predicate)
  }

  /// The greatest value of a property of related objects; missing if there is none.
  public static func maximum<Members: RelatedObjects, Greatest: AttributeConvertible>(
    _ property: any PropertyKeyPath<Members.Related, Greatest>, in path: any PropertyKeyPath<Object, Members>,
    where predicate: FetchPredicate<Members.Related>? = nil
  ) -> FetchExpression where Value == Greatest? {
    FetchExpression(over: path, .maximum, property, predicate)
  }

  private init<Members: RelatedObjects, Other>(
    over path: any PropertyKeyPath<Object, Members>, _ function: AggregateFunction,
    _ property: any PropertyKeyPath<Members.Related, Other>, _ predicate: FetchPredicate<Members.Related>?
  ) where Value: AttributeConvertible {
    self.init(
      .members(
        function, .init(path: .keyPath(path), condition: predicate?.condition), .path(.keyPath(property))))
  }
}
