import TICDSSQLite

/// Compares the derived attributes of a store with what they are derived from. Those that hold the time of a save cannot be compared.
struct DerivedValueVerification {
  let schema: StoreSchema
  let connection: Connection

  private struct Column {
    let name: String
    let entity: EntityDescription
    let attribute: AttributeDescription
    let derivation: Derivation
    let operand: Operand
    /// The type of what it is derived from, if that is an attribute.
    let sourceType: AttributeType?
    /// Whether somebody computes it whenever something changes that it is derived from.
    let isFollowed: Bool

    var property: String { "\(entity.name).\(attribute.name)" }
    /// Whether its last digits depend on how it was computed, or on which of both types rounds it.
    var isRounded: Bool {
      if derivation.isRounded { return attribute.type.isRounded }
      guard let sourceType, sourceType != attribute.type else { return false }
      return sourceType.isRounded || attribute.type.isRounded
    }
  }

  func run(_ report: (StoreFinding) throws -> Void) throws {
    if !schema.model.hasDerivedAttributes { return }
    try TextMatching.addFunctions(to: connection)
    for entity in schema.model.entities where !entity.isAbstract {
      for index in entity.properties.indices {
        if let column = column(index, of: entity) { try check(column, report) }
      }
    }
  }

  private func column(_ index: Int, of entity: EntityDescription) -> Column? {
    guard case .attribute(let name, _) = schema.table(of: entity).storage[index],
      let attribute = entity.attribute(at: index), let derivation = attribute.parsedDerivation,
      case .operand(let operand) = derivation.value
    else { return nil }
    let leadsBack = derivation.steps(from: entity, in: schema.model).allSatisfy {
      $0.relationship.inverse != nil
    }
    return Column(
      name: name, entity: entity, attribute: attribute, derivation: derivation, operand: operand,
      sourceType: derivation.source(from: entity, in: schema.model)?.attribute.type,
      isFollowed: leadsBack || schema.isTriggered(index, of: entity) && !attribute.isRoundedSum)
  }

  private func check(_ column: Column, _ report: (StoreFinding) throws -> Void) throws {
    let source: DerivationSource
    let sizes: [String]
    do {
      source = try DerivationSource(column.operand, of: column.entity, schema: schema)
      sizes = try column.isRounded ? column.derivation.bounds.map { try size($0, column.entity) } : []
    } catch let error as ContextError {
      try report(
        StoreFinding(
          .error, .derivedValue, property: column.property,
          "nothing can be derived so from what the model has: \(error)"))
      return
    }
    let table = schema.table(of: column.entity)
    // Numbers of 32 bits have no more digits than those that are compared.
    let slightly =
      column.isRounded && column.derivation.isRounded && column.attribute.type != .float
      ? Self.differSlightly : "0"
    let statement = try connection.prepare(
      """
      SELECT total(\(Self.differ(column))), total(\(slightly)) FROM \
      (SELECT u.\(quote(column.name)) AS present, \(source.value(forRowOf: "u")) AS derived, \
      max(0, \((sizes + ["1"]).joined(separator: ", "))) AS size \
      FROM \(quote(table.name)) AS u WHERE u.Z_ENT = \(table.number))
      """)
    try source.bind(to: statement)
    do {
      guard try statement.step() else { return }
    } catch {
      guard error.isSumTooGreat else { throw error }
      try report(
        StoreFinding(
          .error, .derivedValue, property: column.property,
          "what it is derived from are whole numbers of which the sum does not fit 64 bits"))
      return
    }
    let (wrong, slightlyWrong) = (Int(statement.double(0)), Int(statement.double(1)))
    if wrong > 0 {
      let message = "\(wrong) values are not what they are derived from"
      try report(
        column.isFollowed
          ? StoreFinding(.error, .derivedValue, property: column.property, message)
          : StoreFinding(
            .hint, .derivedValue, property: column.property,
            "\(message): no relationship leads back to their objects, for which they are computed when these are saved"
          ))
    }
    if slightlyWrong > wrong {
      try report(
        StoreFinding(
          .hint, .derivedValue, property: column.property,
          "\(slightlyWrong - wrong) sums are off in their last digits, as those are to which greater numbers were added and taken away"
        ))
    }
  }

  private func size(_ operand: Operand, _ entity: EntityDescription) throws -> String {
    let source = try DerivationSource(operand, of: entity, schema: schema)
    // The least whole number has no counterpart without sign.
    return "abs(1.0 * ifnull(\(source.value(forRowOf: "u")), 0))"
  }

  private static let difference = "abs(1.0 * ifnull(present, 0) - 1.0 * ifnull(derived, 0))"

  /// When a value differs from what it is derived from. Nothing summed up or counted is 0 or no value. Sums of numbers that are not
  /// whole depend on their order, as far as the greatest of them was rounded.
  private static func differ(_ column: Column) -> String {
    if column.isRounded { return "\(difference) > 1e-6 * max(abs(1.0 * ifnull(derived, 0)), size)" }
    return column.derivation.isSum ? "ifnull(present, 0) <> ifnull(derived, 0)" : "present IS NOT derived"
  }

  /// Triggers add and take away, and what that rounds stays in a sum of numbers that are not whole.
  private static let differSlightly = "\(difference) > 1e-12 * max(abs(1.0 * ifnull(derived, 0)), size)"
}

extension Derivation {
  /// Whether its last digits depend on how it is computed: triggers and contexts do not do so alike.
  fileprivate var isRounded: Bool {
    if case .aggregate(.average, _, _) = kind { return true }
    return isSum
  }

  /// The least and the greatest of the numbers that it sums up.
  fileprivate var bounds: [Operand] {
    guard case .aggregate(_, let members, let attribute?) = kind else { return [] }
    return [.minimum, .maximum].map {
      .members($0, .init(path: .names(members), condition: nil), .path(.names([attribute])))
    }
  }

  /// Whether it is a sum or a number of members, which nobody tells from no value.
  fileprivate var isSum: Bool {
    if case .aggregate(.sum, _, _) = kind { return true }
    if case .aggregate(.count, _, _) = kind { return true }
    return false
  }
}
