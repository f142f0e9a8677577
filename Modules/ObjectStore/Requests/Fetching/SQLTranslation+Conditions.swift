extension SQLTranslation {
  // Every condition is true or false, never NULL, so that NOT means what it says.
  mutating func sql(_ condition: Condition, _ scope: SQLScope) throws(ContextError) -> String {
    switch condition {
    case .constant(let isTrue): return isTrue ? "1" : "0"
    case .all(let parts): return try list(parts, " AND ", scope)
    case .any(let parts): return try list(parts, " OR ", scope)
    case .not(let part): return "(NOT \(try sql(part, scope)))"
    case .comparison(let left, let comparison, .constant(let value)):
      return try compare(left, comparison, value, scope)
    case .comparison(let left, let comparison, let right):
      return try compare(left, comparison, right, scope)
    case .among(let operand, let values): return try among(operand, values, scope)
    case .amongFetched(let operand, let subfetch): return try among(operand, subfetch, scope)
    case .text(let operand, let match, let text, let options):
      let operand = try textSQL(operand, scope)
      return
        "ticds_match(\(operand), \(bind(.string(text))), \(bind(.integer(TextMatching.code(match, options)))))"
    case .related(let path, let target):
      let column = try column(path, scope)
      guard let target else { return "(\(column) IS NULL)" }
      return "(\(column) IS \(bind(.integer(target.key))))"
    case .identified(let path, let identifiers):
      let column = if let path { try column(path, scope) } else { "\(scope.alias).Z_PK" }
      return try keys(column, identifiers.map(\.key))
    case .exists(let members):
      let (scope, condition) = try inner(members, scope)
      return "EXISTS (SELECT 1 \(source(scope)) WHERE \(condition))"
    }
  }

  private mutating func list(
    _ parts: [Condition], _ separator: String, _ scope: SQLScope
  ) throws(ContextError) -> String {
    var pieces: [String] = []
    for part in parts { pieces.append(try sql(part, scope)) }
    return Self.joined(pieces[...], separator)
  }

  /// Joins conditions in halves, for SQLite admits expressions of a certain depth, and a chain is as deep as it is long.
  private static func joined(_ pieces: ArraySlice<String>, _ separator: String) -> String {
    if pieces.count <= 64 { return "(" + pieces.joined(separator: separator) + ")" }
    let middle = pieces.startIndex + pieces.count / 2
    return "(" + joined(pieces[..<middle], separator) + separator + joined(pieces[middle...], separator) + ")"
  }

  // MARK: - Comparing

  private mutating func compare(
    _ operand: Operand, _ comparison: Comparison, _ value: AttributeValue, _ scope: SQLScope
  ) throws(ContextError) -> String {
    if value.isNull {
      let left = try presence(of: operand, scope)
      switch comparison {
      case .equal: return "(\(left) IS NULL)"
      case .notEqual: return "(\(left) IS NOT NULL)"
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
      }
    }
    let left = try sql(operand, scope)
    guard case .path = operand else { return join(left, comparison, bind(Self.computed(value))) }
    // Said so that an index can be used.
    let right = bind(value)
    return switch comparison {
    case .equal: "(\(left) IS \(right))"
    case .notEqual: "(\(left) IS NOT \(right))"
    case .less: "(\(left) IS NOT NULL AND \(left) < \(right))"
    case .lessOrEqual: "(\(left) IS NOT NULL AND \(left) <= \(right))"
    case .greater: "(\(left) IS NOT NULL AND \(left) > \(right))"
    case .greaterOrEqual: "(\(left) IS NOT NULL AND \(left) >= \(right))"
    }
  }

  /// What is null where an operand has no value.
  private mutating func presence(of operand: Operand, _ scope: SQLScope) throws(ContextError) -> String {
    if case .path(let path) = operand { return try column(path, scope, isForPresence: true) }
    return try sql(operand, scope)
  }

  private mutating func compare(
    _ left: Operand, _ comparison: Comparison, _ right: Operand, _ scope: SQLScope
  ) throws(ContextError) -> String {
    let first = try sql(left, scope)
    return join(first, comparison, try sql(right, scope))
  }

  private func join(_ left: String, _ comparison: Comparison, _ right: String) -> String {
    switch comparison {
    case .equal: "(\(left) IS \(right))"
    case .notEqual: "(\(left) IS NOT \(right))"
    case .less: "ifnull(\(left) < \(right), 0)"
    case .lessOrEqual: "ifnull(\(left) <= \(right), 0)"
    case .greater: "ifnull(\(left) > \(right), 0)"
    case .greaterOrEqual: "ifnull(\(left) >= \(right), 0)"
    }
  }

  // MARK: - Among

  private mutating func among(
    _ operand: Operand, _ list: [AttributeValue], _ scope: SQLScope
  ) throws(ContextError) -> String {
    let left = try sql(operand, scope)
    let known = list.filter { !$0.isNull }
    var parts: [String] = []
    if known.count < list.count { parts.append("\(left) IS NULL") }
    if !known.isEmpty {
      let isColumn = if case .path = operand { true } else { false }
      let marks = known.map { bind(isColumn ? $0 : Self.computed($0)) }.joined(separator: ", ")
      parts.append("(\(left) IS NOT NULL AND \(left) IN (\(marks)))")
    }
    return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
  }

  private mutating func among(
    _ operand: Operand, _ subfetch: Subfetch, _ scope: SQLScope
  ) throws(ContextError) -> String {
    let left = try sql(operand, scope)
    guard let entity = schema.model.entity(named: subfetch.entity) else {
      throw .unknownEntity(subfetch.entity)
    }
    let other = inner(entity)
    let value = try sql(subfetch.value, other)
    var conditions = ["\(value) IS NOT NULL"]
    if let condition = schema.condition(of: entity, alias: other.alias) { conditions.append(condition) }
    if let condition = subfetch.condition { conditions.append(try sql(condition, other)) }
    let joined = conditions.joined(separator: " AND ")
    return "ifnull(\(left) IN (SELECT \(value) \(source(other)) WHERE \(joined)), 0)"
  }

  // As one parameter, for SQLite admits 32,766 of them.
  private mutating func keys(_ column: String, _ keys: [Int64]) throws(ContextError) -> String {
    let list = "[" + keys.map(String.init).joined(separator: ",") + "]"
    return "ifnull(\(column) IN (SELECT value FROM json_each(\(bind(.string(list))))), 0)"
  }
}
