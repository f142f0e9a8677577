private func arithmetic<Object, Value: ArithmeticValue>(
  _ left: Operand, _ function: Arithmetic, _ right: Operand
) -> FetchExpression<Object, Value> {
  FetchExpression(.arithmetic(function, left, right))
}

private func operand<Object, Value>(_ path: any PropertyKeyPath<Object, Value>) -> Operand {
  .path(.keyPath(path))
}

// MARK: - Properties

/// The sum of two properties.
public func + <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .add, operand(right))
}

/// The difference of two properties.
public func - <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .subtract, operand(right))
}

/// The product of two properties.
public func * <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .multiply, operand(right))
}

/// The quotient of two properties; of whole numbers without the remainder; missing if the divisor is 0.
public func / <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: any PropertyKeyPath<Object, Value>
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .divide, operand(right))
}

// MARK: - A property and a number

/// The sum of a property and a number.
public func + <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: Value
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .add, .constant(right.attributeValue))
}

/// The difference of a property and a number.
public func - <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: Value
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .subtract, .constant(right.attributeValue))
}

/// The product of a property and a number.
public func * <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: Value
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .multiply, .constant(right.attributeValue))
}

/// The quotient of a property and a number; of whole numbers without the remainder; missing if the number is 0.
public func / <Object, Value: ArithmeticValue>(
  left: any PropertyKeyPath<Object, Value>, right: Value
) -> FetchExpression<Object, Value> {
  arithmetic(operand(left), .divide, .constant(right.attributeValue))
}

// MARK: - Expressions

extension FetchExpression where Value: ArithmeticValue {
  /// The sum of two expressions.
  public static func + (left: FetchExpression, right: FetchExpression) -> FetchExpression {
    arithmetic(left.operand, .add, right.operand)
  }

  /// The difference of two expressions.
  public static func - (left: FetchExpression, right: FetchExpression) -> FetchExpression {
    arithmetic(left.operand, .subtract, right.operand)
  }

  /// The product of two expressions.
  public static func * (left: FetchExpression, right: FetchExpression) -> FetchExpression {
    arithmetic(left.operand, .multiply, right.operand)
  }

  /// The quotient of two expressions; of whole numbers without the remainder; missing if the divisor is 0.
  public static func / (left: FetchExpression, right: FetchExpression) -> FetchExpression {
    arithmetic(left.operand, .divide, right.operand)
  }

  /// The sum of an expression and a number.
  public static func + (left: FetchExpression, right: Value) -> FetchExpression {
    arithmetic(left.operand, .add, .constant(right.attributeValue))
  }

  /// The difference of an expression and a number.
  public static func - (left: FetchExpression, right: Value) -> FetchExpression {
    arithmetic(left.operand, .subtract, .constant(right.attributeValue))
  }

  /// The product of an expression and a number.
  public static func * (left: FetchExpression, right: Value) -> FetchExpression {
    arithmetic(left.operand, .multiply, .constant(right.attributeValue))
  }

  /// The quotient of an expression and a number; of whole numbers without the remainder; missing if the number is 0.
  public static func / (left: FetchExpression, right: Value) -> FetchExpression {
    arithmetic(left.operand, .divide, .constant(right.attributeValue))
  }
}
