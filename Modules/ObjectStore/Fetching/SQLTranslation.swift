import SQLite

/// Translates a request to SQL: values are bound, only names of the schema stand in the text.
struct SQLTranslation {
  private let schema: StoreSchema
  private let plan: FetchPlan
  private let resolve: (PropertyPath) throws(ContextError) -> ResolvedPath
  private var joins: [(path: [Int], alias: String, sql: String)] = []
  private(set) var values: [AttributeValue] = []

  init(
    plan: FetchPlan, schema: StoreSchema,
    resolve: @escaping (PropertyPath) throws(ContextError) -> ResolvedPath
  ) {
    self.plan = plan
    self.schema = schema
    self.resolve = resolve
  }

  /// The clauses after the list of columns. `limit` and `offset` are bound too.
  mutating func clauses<Object>(
    _ request: FetchRequest<Object>, limit: Int?, offset: Int
  ) throws(ContextError) -> String {
    var conditions: [String] = []
    if request.includesSubentities {
      if let condition = plan.entityCondition(alias: "t") { conditions.append(condition) }
    } else if plan.table.isShared {
      conditions.append("t.Z_ENT = \(plan.table.number)")
    }
    if let predicate = request.predicate { conditions.append(try sql(predicate.condition)) }
    var order: [String] = []
    for key in request.sortKeys {
      order.append(try column(key.path) + (key.direction == .descending ? " DESC" : ""))
    }
    if !order.isEmpty { order.append("t.Z_PK") }

    var sql = "FROM \(quote(plan.table.name)) t"
    for join in joins { sql += join.sql }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
    if limit != nil || offset > 0 {
      sql += " LIMIT ? OFFSET ?"
      values.append(.integer(Int64(limit ?? -1)))
      values.append(.integer(Int64(offset)))
    }
    return sql
  }

  private mutating func sql(_ condition: Condition) throws(ContextError) -> String {
    switch condition {
    case .constant(let isTrue): return isTrue ? "1" : "0"
    case .all(let parts): return try list(parts, " AND ")
    case .any(let parts): return try list(parts, " OR ")
    case .not(let part): return "NOT \(try sql(part))"
    case .comparison(let path, let comparison, let value): return try compare(path, comparison, value)
    case .among(let path, let values): return try among(path, values)
    case .text(let path, let match, let text, let options):
      let column = try column(path)
      values.append(.string(text))
      values.append(.integer(TextMatching.code(match, options)))
      return "ticds_match(\(column), ?, ?)"
    case .related(let path, let target):
      let column = try column(path)
      guard let target else { return "(\(column) IS NULL)" }
      values.append(.integer(target.key))
      return "(\(column) IS ?)"
    }
  }

  private mutating func list(_ parts: [Condition], _ separator: String) throws(ContextError) -> String {
    var pieces: [String] = []
    for part in parts { pieces.append(try sql(part)) }
    return "(" + pieces.joined(separator: separator) + ")"
  }

  // Every condition is true or false, never NULL, so that NOT means what it says.
  private mutating func compare(
    _ path: PropertyPath, _ comparison: Comparison, _ value: AttributeValue
  ) throws(ContextError) -> String {
    let column = try column(path)
    if value.isNull {
      switch comparison {
      case .equal: return "(\(column) IS NULL)"
      case .notEqual: return "(\(column) IS NOT NULL)"
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
      }
    }
    values.append(value)
    return switch comparison {
    case .equal: "(\(column) IS ?)"
    case .notEqual: "(\(column) IS NOT ?)"
    case .less: "(\(column) IS NOT NULL AND \(column) < ?)"
    case .lessOrEqual: "(\(column) IS NOT NULL AND \(column) <= ?)"
    case .greater: "(\(column) IS NOT NULL AND \(column) > ?)"
    case .greaterOrEqual: "(\(column) IS NOT NULL AND \(column) >= ?)"
    }
  }

  private mutating func among(_ path: PropertyPath, _ list: [AttributeValue]) throws(ContextError) -> String {
    let column = try column(path)
    let known = list.filter { !$0.isNull }
    var parts: [String] = []
    if known.count < list.count { parts.append("\(column) IS NULL") }
    if !known.isEmpty {
      values += known
      let marks = known.map { _ in "?" }.joined(separator: ", ")
      parts.append("(\(column) IS NOT NULL AND \(column) IN (\(marks)))")
    }
    return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
  }

  /// The column at the end of a path; relationships on the way are joined.
  private mutating func column(_ path: PropertyPath) throws(ContextError) -> String {
    let resolved = try resolve(path)
    var alias = "t"
    var entity = resolved.start
    for (position, index) in resolved.indices.enumerated() {
      let storage = schema.table(of: entity).storage[index]
      if position == resolved.indices.count - 1 {
        switch storage {
        case .attribute(let column, _): return "\(alias).\(quote(column))"
        case .toOne(let columns): return "\(alias).\(quote(columns.key))"
        case .memory, .inverse, .join: break
        }
      } else if case .toOne(let columns) = storage, let relationship = entity.relationship(at: index) {
        entity = schema.model.entities[relationship.destinationIndex]
        alias = join(
          Array(resolved.indices[...position]), from: "\(alias).\(quote(columns.key))",
          to: schema.table(of: entity).name)
        continue
      }
      throw .unknownProperty(entity: entity.name, property: resolved.property.name)
    }
    throw .unknownPath(entity: resolved.start.name)
  }

  private mutating func join(_ path: [Int], from column: String, to table: String) -> String {
    if let known = joins.first(where: { $0.path == path }) { return known.alias }
    let alias = "t\(joins.count + 1)"
    joins.append((path, alias, " LEFT JOIN \(quote(table)) \(alias) ON \(alias).Z_PK = \(column)"))
    return alias
  }
}
