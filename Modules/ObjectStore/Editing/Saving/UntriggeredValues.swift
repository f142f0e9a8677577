import TICDSSQLite

/// Writes the derived values that the triggers of a store alone do not keep right, as the context has computed them.
///
/// These are sums of numbers that are rounded: triggers add and take away, and a great number that came and went leaves behind what it
/// was rounded by. And what is derived from what is derived, for SQLite runs no trigger within itself.
final class UntriggeredValues {
  private struct Column {
    let name: String
    let index: Int
    let rank: Int
  }

  private let connection: Connection
  private let schema: StoreSchema
  /// By entity.
  private let columns: [[Column]]
  private let lastRank: Int
  private var updates: [[Int]: Statement] = [:]

  /// `nil` if the store keeps no such values.
  init?(schema: StoreSchema, connection: Connection) {
    self.connection = connection
    self.schema = schema
    columns = schema.model.entities.map { entity in
      schema.table(of: entity).storage.enumerated().compactMap { index, storage in
        guard case .attribute(let name, _) = storage, schema.isTriggered(index, of: entity),
          let attribute = entity.attribute(at: index)
        else { return nil }
        let rank = attribute.derivationRank(in: entity, of: schema.model)
        return rank > 0 || attribute.isRoundedSum ? Column(name: name, index: index, rank: rank) : nil
      }
    }
    guard let rank = columns.joined().map(\.rank).max() else { return nil }
    lastRank = rank
  }

  /// Writes those of the objects of a save, once nothing else is written that a trigger counts.
  func write(_ objects: [(object: ManagedObject, key: Int64)]) throws(SQLiteError) {
    // What is written is counted by the triggers of what is derived from it, which has its turn after it.
    for rank in 0...lastRank {
      for (object, key) in objects {
        for column in columns[object.entity.index] where column.rank == rank {
          let update = try update(column, of: object.entity)
          try update.bind(object.value(at: column.index), at: 1)
          try update.bind(key, at: 2)
          try update.run()
        }
      }
    }
  }

  private func update(_ column: Column, of entity: EntityDescription) throws(SQLiteError) -> Statement {
    let place = [entity.index, column.index]
    if let known = updates[place] { return known }
    let table = schema.table(of: entity).name
    let statement = try connection.prepare(
      "UPDATE \(quote(table)) SET \(quote(column.name)) = ? WHERE Z_PK = ?")
    updates[place] = statement
    return statement
  }
}
