/// What to compute from objects, without making objects: rows of values, one for each group.
///
/// ```swift
/// let rows = try context.fetch(
///   FetchRequest<Note>().where(\.stars > 0)
///     .summarized(by: .property(\.folder?.name), .count(), .maximum(\.modified))
///     .having(.count() > 2)
///     .sorted(by: .count(), .descending))
/// for (folder, count, latest) in rows { … }
/// ```
/// The columns that are no aggregates tell the groups apart; without any there is one row for all objects, and without
/// aggregates the rows are the different values.
public struct SummaryRequest<Object: ManagedObject, Row>: Sendable {
  let request: FetchRequest<Object>
  let columns: [Operand]
  /// Makes a row of the values of the columns.
  let decode: @Sendable ([AttributeValue], PersistentStore) -> Row
  var condition: Condition?
  var order: [(operand: Operand, isAscending: Bool)] = []
  var limit: Int? { didSet { limit = limit?.countOfRows } }
  var offset = 0 { didSet { offset = offset.countOfRows } }

  /// Only groups for which the condition holds.
  public consuming func having(_ predicate: FetchPredicate<GroupOf<Object>>) -> SummaryRequest {
    condition = condition.map { .all([$0, predicate.condition]) } ?? predicate.condition
    return self
  }

  /// In the order of an expression, after any before: one of the columns, or an aggregate.
  public consuming func sorted<Key: AttributeConvertible>(
    by expression: FetchExpression<GroupOf<Object>, Key>,
    _ direction: FetchRequest<Object>.Direction = .ascending
  ) -> SummaryRequest {
    order.append((expression.operand, direction == .ascending))
    return self
  }

  /// At most so many rows.
  public consuming func limit(_ count: Int) -> SummaryRequest {
    limit = count
    return self
  }

  /// Without so many rows at the beginning.
  public consuming func offset(_ count: Int) -> SummaryRequest {
    offset = count
    return self
  }
}

extension Operand {
  /// Whether the operand is computed from all objects of a group.
  var isAggregate: Bool {
    switch self {
    case .group: true
    case .path, .constant, .members: false
    case .arithmetic(_, let left, let right), .otherwise(let left, let right):
      left.isAggregate || right.isAggregate
    case .real(let operand), .text(_, let operand): operand.isAggregate
    }
  }
}
