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
        try check(column, of: entity, operand, attribute, derivation, report)
      }
    }
  }

  private func check(
    _ column: String, of entity: EntityDescription, _ operand: Operand, _ attribute: AttributeDescription,
    _ derivation: Derivation, _ report: (StoreFinding) throws -> Void
  ) throws {
    let name = "\(entity.name).\(attribute.name)"
    let source: DerivationSource
    do { source = try DerivationSource(operand, of: entity, schema: schema) } catch let error as ContextError
    {
      try report(
        StoreFinding(
          .error, .derivedValue, property: name, "nothing can be derived so from what the model has: \(error)"
        ))
      return
    }
    let table = schema.table(of: entity)
    let isRounded = derivation.isRounded && attribute.type.isRounded
    // Numbers of 32 bits have no more digits than those that are compared.
    let isExact = isRounded && attribute.type != .float
    let statement = try connection.prepare(
      """
      SELECT total(\(Self.differ(derivation.isSum, isRounded))), total(\(isExact ? Self.differSlightly : "0")) FROM \
      (SELECT u.\(quote(column)) AS present, \(source.value(forRowOf: "u")) AS derived \
      FROM \(quote(table.name)) AS u WHERE u.Z_ENT = \(table.number))
      """)
    try source.bind(to: statement)
    guard try statement.step() else { return }
    let (wrong, slightlyWrong) = (Int(statement.double(0)), Int(statement.double(1)))
    if wrong > 0 {
      try report(
        StoreFinding(
          .error, .derivedValue, property: name, "\(wrong) values are not what they are derived from"))
    }
    if slightlyWrong > wrong {
      try report(
        StoreFinding(
          .hint, .derivedValue, property: name,
          "\(slightlyWrong - wrong) sums are off in their last digits, as those are to which greater numbers were added and taken away"
        ))
    }
  }

  private static let difference = "abs(ifnull(present, 0) - ifnull(derived, 0))"

  /// When a value differs from what it is derived from. Nothing summed up or counted is 0 or no value.
  private static func differ(_ isSum: Bool, _ isRounded: Bool) -> String {
    if isRounded { return "\(difference) > 1e-6 * max(abs(ifnull(derived, 0)), 1)" }
    return isSum ? "ifnull(present, 0) <> ifnull(derived, 0)" : "present IS NOT derived"
  }

  /// Triggers add and take away, and what that rounds stays in a sum of numbers that are not whole.
  private static let differSlightly = "\(difference) > 1e-12 * abs(ifnull(derived, 0))"
}

extension Derivation {
  /// Whether its last digits depend on how it is computed: triggers and contexts do not do so alike.
  fileprivate var isRounded: Bool {
    if case .aggregate(.average, _, _) = kind { return true }
    return isSum
  }

  /// Whether it is a sum or a number of members, which nobody tells from no value.
  fileprivate var isSum: Bool {
    if case .aggregate(.sum, _, _) = kind { return true }
    if case .aggregate(.count, _, _) = kind { return true }
    return false
  }
}

extension AttributeType {
  /// Whether such numbers are rounded when they are computed.
  fileprivate var isRounded: Bool { [.double, .float, .decimal, .date].contains(self) }
}
