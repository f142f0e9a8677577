import TICDSSQLite

/// Compares the derived attributes of a store with what they are derived from. Those that hold the time of a save cannot be compared.
struct DerivedValueVerification {
  let schema: StoreSchema
  let connection: Connection

  func run(_ report: (StoreFinding) throws -> Void) throws {
    if !schema.model.hasDerivedAttributes { return }
    try TextMatching.addFunctions(to: connection)
    for entity in schema.model.entities where !entity.isAbstract {
      for (property, storage) in zip(entity.properties, schema.table(of: entity).storage) {
        guard case .attribute(let column, _) = storage, let attribute = property.asAttribute,
          // Long values lie in files, which SQL does not read.
          !attribute.isMarkedExternal, let derivation = attribute.derivation.flatMap({ Derivation($0) }),
          case .operand(let operand) = derivation.value
        else { continue }
        let count = try wrong(column, of: entity, operand, attribute)
        if count == 0 { continue }
        try report(
          StoreFinding(
            .error, .derivedValue, property: "\(entity.name).\(attribute.name)",
            "\(count) values are not what they are derived from"))
      }
    }
  }

  private func wrong(
    _ column: String, of entity: EntityDescription, _ operand: Operand, _ attribute: AttributeDescription
  ) throws -> Int64 {
    let source = try DerivationSource(operand, of: entity, schema: schema)
    let table = schema.table(of: entity)
    let statement = try connection.prepare(
      """
      SELECT count(*) FROM (SELECT u.\(quote(column)) AS present, \(source.value(forRowOf: "u")) AS derived \
      FROM \(quote(table.name)) AS u WHERE u.Z_ENT = \(table.number)) WHERE \(Self.differ(attribute.type))
      """)
    try source.bind(to: statement)
    return try statement.step() ? statement.int64(0) : 0
  }

  /// When a value differs from what it is derived from. A sum depends on the order of its parts in the last digits, and nothing summed up is 0 or
  /// no value.
  private static func differ(_ type: AttributeType) -> String {
    switch type {
    case .double, .float, .decimal, .date:
      "abs(ifnull(present, 0) - ifnull(derived, 0)) > 1e-6 * max(abs(ifnull(derived, 0)), 1e-6)"
    case .integer16, .integer32, .integer64, .boolean: "ifnull(present, 0) <> ifnull(derived, 0)"
    default: "present IS NOT derived"
    }
  }
}
