import TICDSSQLite

/// What a derived attribute is computed from, in SQL.
struct DerivationSource {
  private let value: String
  private let source: String
  private let values: [AttributeValue]

  init(_ operand: Operand, of entity: EntityDescription, schema: StoreSchema) throws {
    let model = schema.model
    var translation = SQLTranslation(schema: schema) { path, entity throws(ContextError) in
      // Derivations are written with names, of which nothing is remembered.
      var paths = PathCache()
      return try paths.resolve(path, from: entity, in: model)
    }
    let scope = SQLScope(alias: "v", entity: entity)
    value = try translation.sql(operand, scope)
    source = translation.source(scope)
    values = translation.values
  }

  /// A subquery that computes the value for a row.
  func value(forRowOf alias: String) -> String {
    "(SELECT \(value) \(source) WHERE v.Z_PK = \(alias).Z_PK)"
  }

  var parameterCount: Int { values.count }

  /// Binds the constants of the subquery, which are the first parameters of the statement.
  func bind(to statement: Statement) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
  }
}
