/// Computes in memory what a summary says, for contexts with unsaved changes.
struct SummaryEvaluation {
  private let evaluation: ConditionEvaluation
  private let entity: EntityDescription

  init(_ evaluation: ConditionEvaluation, _ entity: EntityDescription) {
    self.evaluation = evaluation
    self.entity = entity
  }

  func rows(_ plan: SummaryPlan, of objects: [ManagedObject]) throws -> [[AttributeValue]] {
    let keys = plan.keys
    var groups: [[AttributeValue]: [ManagedObject]] = plan.isWhole ? [[]: []] : [:]
    for object in objects {
      let key = try keys.map { try evaluation.value($0, of: object, entity).grouping }
      groups[key, default: []].append(object)
    }
    var rows: [(values: [AttributeValue], order: [AttributeValue])] = []
    for members in groups.values {
      if let condition = plan.condition, try !holds(condition, for: members) { continue }
      let values = try plan.columns.map { try value($0, of: members) }
      let groupValues = zip(plan.columns, values).filter { !$0.0.isAggregate }.map(\.1)
      rows.append((values, try plan.order.map { try value($0.operand, of: members) } + groupValues))
    }
    rows.sort { left, right in
      for (position, (first, second)) in zip(left.order, right.order).enumerated() {
        let isAscending = position >= plan.order.count || plan.order[position].isAscending
        if first.precedes(second) { return isAscending }
        if second.precedes(first) { return !isAscending }
      }
      return false
    }
    let end = plan.limit.map { min(rows.count, max(0, plan.offset) + max(0, $0)) } ?? rows.count
    return rows[min(max(0, plan.offset), end)..<end].map(\.values)
  }

  /// What an operand is for a group. All members give the same where it is no aggregate.
  private func value(_ operand: Operand, of members: [ManagedObject]) throws -> AttributeValue {
    switch operand {
    case .group(let function, let operand, let isDistinct):
      return try evaluation.aggregate(function, operand, of: members, entity, isDistinct: isDistinct)
    case .arithmetic(let function, let left, let right):
      return function.apply(try value(left, of: members), try value(right, of: members))
    case .otherwise(let first, let second):
      let value = try value(first, of: members)
      return value.isNull ? try self.value(second, of: members) : value
    case .real(let operand): return try value(operand, of: members).asReal
    case .constant(let value): return value.stored
    case .path, .text, .members:
      return try members.first.map { try evaluation.value(operand, of: $0, entity) } ?? .null
    }
  }

  private func holds(_ condition: Condition, for members: [ManagedObject]) throws -> Bool {
    switch condition {
    case .all(let parts): return try parts.allSatisfy { try holds($0, for: members) }
    case .any(let parts): return try parts.contains { try holds($0, for: members) }
    case .not(let part): return try !holds(part, for: members)
    case .comparison(let left, let comparison, let right):
      return ConditionEvaluation.compare(
        try value(left, of: members), comparison, try value(right, of: members))
    default: return try members.first.map { try evaluation.holds(condition, for: $0, entity) } ?? false
    }
  }
}
