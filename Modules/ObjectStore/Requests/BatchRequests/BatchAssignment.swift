/// What a batch update sets in each row.
///
/// ```swift
/// try context.updateRows(
///   FetchRequest<Note>().where(\.stars > 5), .set(\.stars, to: 5), .set(\.summary, to: .uppercased(\.title)))
/// ```
public struct BatchAssignment<Object: ManagedObject>: Sendable {
  enum NewValue: Sendable {
    case operand(Operand)
    case target(ObjectID?)
  }

  let path: PropertyPath
  let value: NewValue

  /// The attribute gets this value.
  public static func set<Value: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object, Value>, to value: Value
  ) -> BatchAssignment {
    BatchAssignment(path: .keyPath(path), value: .operand(.constant(value.attributeValue)))
  }

  /// The attribute gets what the expression gives for the row as it was before.
  public static func set<Value: AttributeConvertible>(
    _ path: any PropertyKeyPath<Object, Value>, to expression: FetchExpression<Object, Value>
  ) -> BatchAssignment {
    BatchAssignment(path: .keyPath(path), value: .operand(expression.operand))
  }

  /// The relationship leads to this object; with `nil`, to none. Not for one-to-one relationships.
  public static func set<Target: ManagedObject>(
    _ path: any PropertyKeyPath<Object, Target?>, to target: ObjectID?
  ) -> BatchAssignment {
    BatchAssignment(path: .keyPath(path), value: .target(target))
  }

  /// The attribute of this name gets this value.
  public static func set(_ name: PropertyName, to value: AttributeValue) -> BatchAssignment {
    BatchAssignment(path: .names(name.names), value: .operand(.constant(value)))
  }
}
