extension SQLTranslation {
  /// An expression that gives the value of an operand for each row of a scope.
  mutating func sql(_ operand: Operand, _ scope: SQLScope) throws(ContextError) -> String {
    switch operand {
    case .path(let path): return try column(path, scope)
    case .constant(let value): return bind(Self.computed(value))
    case .arithmetic(let function, let left, let right):
      let left = try number(left, scope)
      return "(\(left) \(function.rawValue) \(try number(right, scope)))"
    case .otherwise(let first, let second):
      let first = try sql(first, scope)
      return "ifnull(\(first), \(try sql(second, scope)))"
    case .real(let operand): return "CAST(\(try sql(operand, scope)) AS REAL)"
    case .text(let function, let operand):
      return "ticds_text(\(try textSQL(operand, scope)), \(bind(.integer(function.rawValue))))"
    case .members(let function, let members, let operand):
      let (inner, condition) = try inner(members, scope)
      let value = if let operand { try input(operand, of: function, inner) } else { "*" }
      return
        "(SELECT \(Self.aggregate(function, value)) \(source(inner)) WHERE \(condition))"
    case .group(let function, let operand, let isDistinct):
      let value = if let operand { try input(operand, of: function, scope) } else { "*" }
      return Self.aggregate(function, (isDistinct ? "DISTINCT " : "") + value)
    }
  }

  /// An operand that is text. SQLite would look into the bytes of whatever else a column holds.
  mutating func textSQL(_ operand: Operand, _ scope: SQLScope) throws(ContextError) -> String {
    if case .path(let path) = operand {
      let end = try end(of: path, scope)
      if let attribute = end.entity.attribute(at: end.index), ![.string, .uri].contains(attribute.type) {
        throw .notText(entity: end.entity.name, property: attribute.name)
      }
    }
    return try sql(operand, scope)
  }

  private mutating func input(
    _ operand: Operand, of function: AggregateFunction, _ scope: SQLScope
  ) throws(ContextError) -> String {
    function == .sum || function == .average ? try number(operand, scope) : try sql(operand, scope)
  }

  /// An operand to compute with. A column of decimals or dates holds whole numbers where it can, and dividing those would
  /// lose the remainder.
  private mutating func number(_ operand: Operand, _ scope: SQLScope) throws(ContextError) -> String {
    let sql = try sql(operand, scope)
    guard case .path(let path) = operand else { return sql }
    let end = try end(of: path, scope)
    switch end.entity.attribute(at: end.index)?.type {
    case .decimal, .date: return "CAST(\(sql) AS REAL)"
    default: return sql
    }
  }

  /// The sum of nothing is zero, as in Core Data; everything else of nothing is missing.
  private static func aggregate(_ function: AggregateFunction, _ value: String) -> String {
    function == .sum ? "ifnull(sum(\(value)), 0)" : "\(function.rawValue)(\(value))"
  }

  /// A value to compute with. Decimals are bound as text, of which only a column makes a number.
  static func computed(_ value: AttributeValue) -> AttributeValue {
    if case .decimal = value { value.asReal } else { value }
  }

  // MARK: - Members

  /// A scope for the objects of a to-many relationship, and the condition that a row is one of them.
  mutating func inner(
    _ members: Operand.Members, _ scope: SQLScope
  ) throws(ContextError) -> (SQLScope, condition: String) {
    let end = try end(of: members.path, scope)
    guard let relationship = end.entity.relationship(at: end.index), relationship.isToMany else {
      throw .unknownProperty(entity: end.entity.name, property: end.entity.properties[end.index].name)
    }
    let destination = schema.model.entities[relationship.destinationIndex]
    let inner = inner(destination)
    var conditions: [String] = []
    switch schema.table(of: end.entity).storage[end.index] {
    case .inverse(let entity, let property):
      guard case .toOne(let columns) = schema.tables[entity].storage[property] else {
        throw .unknownProperty(entity: end.entity.name, property: relationship.name)
      }
      conditions.append("\(inner.alias).\(quote(columns.key)) = \(end.alias).Z_PK")
    case .join(let side):
      // Which rows are linked is looked up first: that is how the members of one object are found fast.
      conditions.append(
        """
        \(inner.alias).Z_PK IN (SELECT \(quote(side.memberColumn)) FROM \(quote(side.table.name)) \
        WHERE \(quote(side.ownColumn)) = \(end.alias).Z_PK)
        """)
    case .memory, .attribute, .toOne:
      throw .unknownProperty(entity: end.entity.name, property: relationship.name)
    }
    if let condition = schema.condition(of: destination, alias: inner.alias) { conditions.append(condition) }
    if let condition = members.condition { conditions.append(try sql(condition, inner)) }
    return (inner, conditions.joined(separator: " AND "))
  }
}
