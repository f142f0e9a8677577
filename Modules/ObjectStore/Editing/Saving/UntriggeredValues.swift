import TICDSSQLite

/// Computes the derived values that the triggers of a store alone do not keep right, from the rows as a save leaves them.
///
/// These are sums of numbers that are rounded: triggers add and take away, and a great number that came and went leaves behind what it
/// was rounded by. The least and greatest of values that have another type: triggers compare what was rounded with what was not. And what is
/// derived from what is derived: SQLite runs no trigger within itself. What the context has computed would not do, for another may have
/// changed rows of which this one knows nothing yet.
final class UntriggeredValues {
  private struct Column {
    let name: String
    let index: Int
    let rank: Int
    let operand: Operand
  }

  private struct Update {
    let statement: Statement
    let source: DerivationSource
  }

  private let connection: Connection
  private let schema: StoreSchema
  /// By entity.
  private let columns: [[Column]]
  private let lastRank: Int
  private var updates: [[Int]: Update] = [:]

  /// `nil` if the store keeps no such values.
  init?(schema: StoreSchema, connection: Connection) {
    self.connection = connection
    self.schema = schema
    columns = schema.model.entities.map { entity in
      schema.table(of: entity).storage.enumerated().compactMap { index, storage in
        guard case .attribute(let name, _) = storage, schema.isTriggered(index, of: entity),
          let attribute = entity.attribute(at: index),
          case .operand(let operand)? = attribute.parsedDerivation?.value
        else { return nil }
        let rank = attribute.derivationRank(in: entity, of: schema.model)
        return rank > 0 || attribute.isRoundedSum
          || attribute.isConvertedBound(in: entity, of: schema.model)
          ? Column(name: name, index: index, rank: rank, operand: operand) : nil
      }
    }
    guard let rank = columns.joined().map(\.rank).max() else { return nil }
    lastRank = rank
  }

  /// Computes those of the objects of a save, once nothing else is written that a trigger counts.
  func compute(for objects: [(object: ManagedObject, key: Int64)]) throws {
    // What is written is counted by the triggers of what is derived from it, which has its turn after it.
    for rank in 0...lastRank {
      for (object, key) in objects {
        for column in columns[object.entity.index] where column.rank == rank {
          let update = try update(column, of: object.entity)
          try update.source.bind(to: update.statement)
          try update.statement.bind(key, at: update.source.parameterCount + 1)
          try update.statement.run()
        }
      }
    }
  }

  private func update(_ column: Column, of entity: EntityDescription) throws -> Update {
    let place = [entity.index, column.index]
    if let known = updates[place] { return known }
    let source = try DerivationSource(column.operand, of: entity, schema: schema)
    let statement = try connection.prepare(
      """
      UPDATE \(quote(schema.table(of: entity).name)) AS u SET \(quote(column.name)) = \(source.value(forRowOf: "u")) \
      WHERE u.Z_PK = ?
      """)
    let update = Update(statement: statement, source: source)
    updates[place] = update
    return update
  }
}
