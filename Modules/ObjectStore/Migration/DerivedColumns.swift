import Foundation
import TICDSSQLite

/// Computes derived attributes of the rows that a migration has taken over, in SQL.
struct DerivedColumns {
  let mapping: ModelMapping
  let schema: StoreSchema
  /// Whether transformations may have changed what attributes are derived from that were derived before.
  let isCustom: Bool
  let path: String

  /// Fills the attributes that are newly derived, or derived in another way than before; all if there were transformations.
  func fill(_ connection: Connection) throws {
    if !schema.model.hasDerivedAttributes { return }
    try TextMatching.addFunctions(to: connection)
    let now = AttributeValue.date(Date().timeIntervalSinceReferenceDate)
    let columns = schema.model.entities.filter { !$0.isAbstract }.flatMap(columns)
    for column in columns.sorted(by: { $0.rank < $1.rank }) {
      // What a derived attribute is derived from may have been computed just now.
      guard isNew(column) || isCustom && !column.isTime || column.rank > 0 else { continue }
      try set(column, now, connection)
    }
  }

  private struct Column {
    let entity: EntityDescription
    let index: Int
    let attribute: AttributeDescription
    let name: String
    let value: Derivation.Value
    let rank: Int

    var isTime: Bool {
      if case .now = value { true } else { false }
    }
  }

  private func columns(of entity: EntityDescription) -> [Column] {
    schema.table(of: entity).storage.enumerated().compactMap { index, storage in
      guard case .attribute(let name, _) = storage, let attribute = entity.attribute(at: index),
        let derivation = attribute.parsedDerivation
      else { return nil }
      return Column(
        entity: entity, index: index, attribute: attribute, name: name, value: derivation.value,
        rank: attribute.derivationRank(in: entity, of: schema.model))
    }
  }

  private func isNew(_ column: Column) -> Bool {
    guard let mapped = mapping.entity(to: column.entity), let old = mapped.properties[column.index] else {
      return true
    }
    return mapped.source.attribute(at: old)?.derivation != column.attribute.derivation
  }

  private func set(_ column: Column, _ now: AttributeValue, _ connection: Connection) throws {
    let operand: Operand =
      switch column.value {
      case .now: .constant(now)
      case .operand(let operand): operand
      }
    let source = try DerivationSource(operand, of: column.entity, schema: schema)
    let table = schema.table(of: column.entity)
    let statement = try connection.prepare(
      """
      UPDATE \(quote(table.name)) AS u SET \(quote(column.name)) = \(source.value(forRowOf: "u")) \
      WHERE u.Z_ENT = \(table.number)
      """)
    try source.bind(to: statement)
    do { try statement.run() } catch {
      guard error.isSumTooGreat else { throw error }
      let line =
        "\(column.entity.name).\(column.attribute.name): what it is derived from are whole numbers of which the sum does not fit 64 bits"
      throw StoreError(.migrationRefused([line]), path: path)
    }
  }
}
