import TICDSSQLite

/// How a column of a summary is read.
enum SummaryColumnType {
  case attribute(AttributeType)
  /// A key of an object of this entity, or of one that inherits from it.
  case reference(EntityDescription)
  /// As SQLite computed it.
  case computed

  func value(_ statement: Statement, at column: Int, _ schema: StoreSchema) -> AttributeValue {
    switch self {
    case .attribute(let type): return statement.attributeValue(column, as: type)
    case .reference(let entity):
      return statement.isNull(column)
        ? .null : .reference(entity: Int32(entity.index), key: statement.int64(column))
    case .computed:
      switch statement.value(column) {
      case .null: return .null
      case .integer(let value): return .integer(value)
      case .real(let value): return .double(value)
      case .text(let text): return .string(text)
      case .blob(let bytes): return .data(bytes)
      }
    }
  }
}

extension SQLTranslation {
  /// The whole statement of a summary.
  mutating func sql<Object>(
    _ plan: SummaryPlan, _ request: FetchRequest<Object>, _ entity: EntityDescription
  ) throws(ContextError) -> String {
    let scope = root(entity)
    var columns: [String] = []
    for operand in plan.columns { columns.append(try sql(operand, scope)) }
    let condition = try condition(request, scope)
    var groups: [String] = []
    for (position, operand) in plan.columns.enumerated() where !operand.isAggregate {
      groups.append(String(position + 1))
    }
    var having = ""
    if let wanted = plan.condition { having = " HAVING " + (try sql(wanted, scope)) }
    var order: [String] = []
    for (operand, isAscending) in plan.order {
      order.append(try sql(operand, scope) + (isAscending ? "" : " DESC"))
    }
    // Equal requests give equal orders.
    order += groups
    return "SELECT \(columns.joined(separator: ", ")) \(source(scope))\(condition)"
      + (groups.isEmpty ? "" : " GROUP BY " + groups.joined(separator: ", ")) + having
      + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
      + page(limit: plan.limit, offset: plan.offset)
  }

  /// How the column of an operand is read.
  func type(of operand: Operand, _ entity: EntityDescription) throws(ContextError) -> SummaryColumnType {
    switch operand {
    case .path(let path):
      let end = try end(of: path, root(entity))
      if let attribute = end.entity.attribute(at: end.index) { return .attribute(attribute.type) }
      guard let relationship = end.entity.relationship(at: end.index) else { return .computed }
      return .reference(schema.model.entities[relationship.destinationIndex])
    case .group(.minimum, let operand?, _), .group(.maximum, let operand?, _):
      return try type(of: operand, entity)
    case .otherwise(let operand, _): return try type(of: operand, entity)
    default: return .computed
    }
  }
}
