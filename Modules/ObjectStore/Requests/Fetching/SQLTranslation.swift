/// Translates requests to SQL: values are bound, only names of the schema stand in the text.
struct SQLTranslation {
  let schema: StoreSchema
  private let resolve: PathResolver
  /// The parameters, in the order of their numbers.
  private(set) var values: [AttributeValue] = []
  private var scopeCount = 0

  init(schema: StoreSchema, resolve: @escaping PathResolver) {
    self.schema = schema
    self.resolve = resolve
  }

  /// The rows of the entity that the statement is about; its table is called `t`.
  func root(_ entity: EntityDescription) -> SQLScope { SQLScope(alias: "t", entity: entity) }

  /// The clauses after the list of columns.
  mutating func clauses<Object>(
    _ request: FetchRequest<Object>, _ entity: EntityDescription, limit: Int?, offset: Int
  ) throws(ContextError) -> String {
    let scope = root(entity)
    let condition = try condition(request, scope)
    var order: [String] = []
    for key in request.sortKeys {
      order.append(try sql(key.operand, scope) + (key.direction == .descending ? " DESC" : ""))
    }
    if !order.isEmpty { order.append("t.Z_PK") }
    return source(scope) + condition + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
      + page(limit: limit, offset: offset)
  }

  /// The tables of a scope; to be asked for once everything else has been translated.
  func source(_ scope: SQLScope) -> String {
    "FROM \(quote(schema.table(of: scope.entity).name)) \(scope.alias)\(scope.joins)"
  }

  /// Which rows a request is about.
  mutating func condition<Object>(
    _ request: FetchRequest<Object>, _ scope: SQLScope
  ) throws(ContextError) -> String {
    var conditions: [String] = []
    let table = schema.table(of: scope.entity)
    if request.includesSubentities {
      if let condition = schema.condition(of: scope.entity, alias: scope.alias) {
        conditions.append(condition)
      }
    } else if table.isShared {
      conditions.append("\(scope.alias).Z_ENT = \(table.number)")
    }
    if let predicate = request.predicate { conditions.append(try sql(predicate.condition, scope)) }
    return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  /// Which part of the rows is wanted.
  mutating func page(limit: Int?, offset: Int) -> String {
    if limit == nil, offset <= 0 { return "" }
    return " LIMIT \(bind(.integer(Int64(limit ?? -1)))) OFFSET \(bind(.integer(Int64(offset))))"
  }

  /// A parameter with a value.
  mutating func bind(_ value: AttributeValue) -> String {
    values.append(value)
    return "?\(values.count)"
  }

  /// A scope for rows that another statement is about.
  mutating func inner(_ entity: EntityDescription) -> SQLScope {
    scopeCount += 1
    return SQLScope(alias: "s\(scopeCount)", entity: entity)
  }

  // MARK: - Paths

  /// The column at the end of a path; relationships on the way are joined.
  ///
  /// - Parameter isForPresence: whether it only matters if there is a value.
  func column(
    _ path: PropertyPath, _ scope: SQLScope, isForPresence: Bool = false
  ) throws(ContextError) -> String {
    let end = try end(of: path, scope)
    switch schema.table(of: end.entity).storage[end.index] {
    case .attribute(let column, _):
      // What stands in the column is a mark and the value, or the name of a file.
      if !isForPresence, let attribute = end.entity.attribute(at: end.index), attribute.isMarkedExternal {
        throw .externalValue(entity: end.entity.name, property: attribute.name)
      }
      return "\(end.alias).\(quote(column))"
    case .toOne(let columns): return "\(end.alias).\(quote(columns.key))"
    case .memory, .inverse, .join:
      throw .unknownProperty(entity: end.entity.name, property: end.entity.properties[end.index].name)
    }
  }

  /// The table, entity and property where a path ends.
  func end(
    of path: PropertyPath, _ scope: SQLScope
  ) throws(ContextError) -> (alias: String, entity: EntityDescription, index: Int) {
    let resolved = try resolve(path, scope.entity)
    var alias = scope.alias
    var entity = resolved.start
    for (position, index) in resolved.indices.enumerated() {
      if position == resolved.indices.count - 1 { return (alias, entity, index) }
      guard case .toOne(let columns) = schema.table(of: entity).storage[index],
        let relationship = entity.relationship(at: index)
      else { throw .unknownProperty(entity: entity.name, property: resolved.property.name) }
      entity = schema.model.entities[relationship.destinationIndex]
      alias = scope.alias(
        for: Array(resolved.indices[...position]), from: "\(alias).\(quote(columns.key))",
        to: schema.table(of: entity).name)
    }
    throw .unknownPath(entity: resolved.start.name)
  }
}
