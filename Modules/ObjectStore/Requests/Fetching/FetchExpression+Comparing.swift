extension FetchExpression where Value: AttributeConvertible {
  private static func compare(
    _ left: FetchExpression, _ comparison: Comparison, _ right: Value
  ) -> FetchPredicate<Object> {
    FetchPredicate(.comparison(left.operand, comparison, .constant(right.attributeValue)))
  }

  /// The expression has this value; with `nil`, it has none.
  public static func == (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .equal, right)
  }

  /// The expression has not this value; with `nil`, it has one.
  public static func != (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .notEqual, right)
  }

  /// The expression is less than the value.
  public static func < (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .less, right)
  }

  /// The expression is less than the value or equal to it.
  public static func <= (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .lessOrEqual, right)
  }

  /// The expression is greater than the value.
  public static func > (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .greater, right)
  }

  /// The expression is greater than the value or equal to it.
  public static func >= (left: FetchExpression, right: Value) -> FetchPredicate<Object> {
    compare(left, .greaterOrEqual, right)
  }
}

extension FetchExpression {
  private static func compare(
    _ left: FetchExpression, _ comparison: Comparison, _ right: FetchExpression
  ) -> FetchPredicate<Object> {
    FetchPredicate(.comparison(left.operand, comparison, right.operand))
  }

  /// Both expressions have the same value, or neither has one.
  public static func == (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .equal, right)
  }

  /// The expressions have different values, or only one of them has one.
  public static func != (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .notEqual, right)
  }

  /// The left expression is less.
  public static func < (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .less, right)
  }

  /// The left expression is less or equal.
  public static func <= (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .lessOrEqual, right)
  }

  /// The left expression is greater.
  public static func > (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .greater, right)
  }

  /// The left expression is greater or equal.
  public static func >= (left: FetchExpression, right: FetchExpression) -> FetchPredicate<Object> {
    compare(left, .greaterOrEqual, right)
  }
}
