import Foundation
import TICDSSQLite

/// Computes derived attributes of the rows that a migration has taken over, in SQL.
struct DerivedColumns {
  let mapping: ModelMapping
  let schema: StoreSchema
  /// Whether transformations may have changed what attributes are derived from that were derived before.
  let isCustom: Bool

  /// Fills the attributes that are newly derived, or derived in another way than before; all if there were transformations.
  func fill(_ connection: Connection) throws {
    if !schema.model.hasDerivedAttributes { return }
    try TextMatching.addFunctions(to: connection)
    let now = AttributeValue.date(Date().timeIntervalSinceReferenceDate)
    for entity in schema.model.entities where !entity.isAbstract {
      for (index, property) in entity.properties.enumerated() {
        guard let attribute = property.asAttribute, let text = attribute.derivation,
          let derivation = Derivation(text),
          case .attribute(let column, _) = schema.table(of: entity).storage[index]
        else { continue }
        switch derivation.value {
        case .now:
          if isNew(attribute, at: index, of: entity) {
            try set(column, of: entity, to: .constant(now), attribute, connection)
          }
        case .operand(let operand):
          if isCustom || isNew(attribute, at: index, of: entity) {
            try set(column, of: entity, to: operand, attribute, connection)
          }
        }
      }
    }
  }

  private func isNew(_ attribute: AttributeDescription, at index: Int, of entity: EntityDescription) -> Bool {
    guard let mapped = mapping.entity(to: entity), let old = mapped.properties[index] else { return true }
    return mapped.source.attribute(at: old)?.derivation != attribute.derivation
  }

  private func set(
    _ column: String, of entity: EntityDescription, to operand: Operand, _ attribute: AttributeDescription,
    _ connection: Connection
  ) throws {
    let source = try DerivationSource(operand, of: entity, schema: schema)
    let value = source.value(
      forRowOf: "u", in: attribute.isMarkedExternal ? MigrationFunctions.marked : nil)
    let table = schema.table(of: entity)
    let statement = try connection.prepare(
      "UPDATE \(quote(table.name)) AS u SET \(quote(column)) = \(value) WHERE u.Z_ENT = \(table.number)")
    try source.bind(to: statement)
    try statement.run()
  }
}
