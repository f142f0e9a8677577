import ObjectStore
import TICDSSQLite

/// Of each entity of the local model, the row number beyond which rows came since sets were last made.
///
/// Whether something came is asked several times for each set, so this is read without all the names that go with it.
struct Frontiers {
  private let rows: [RowNumber]

  /// - Throws: ``ReplicaError`` with `damagedBookkeeping` if the names are not those of the model.
  init(of store: any LocalStore) throws {
    let entities = store.schema.localEntities
    guard !store.logsInsertions else {
      // Where the log mentions every insertion nothing lies beyond.
      rows = entities.map { _ in .last }
      return
    }
    let statement = try store.connection.cached(
      """
      SELECT e.local, coalesce(r.frontier, 0) FROM TICDS_ENTITY e LEFT JOIN TICDS_ENTITY r ON r.id = e.root
      WHERE e.local IS NOT NULL ORDER BY e.id
      """)
    var known: [Int: RowNumber] = [:]
    while try statement.step() {
      let local = Int(clamping: statement.int64(0))
      if known[local] == nil { known[local] = RowNumber(rawValue: statement.int64(1)) }
    }
    rows = entities.compactMap { known[$0.rawValue] }
    guard rows.count == entities.count else { throw NameTable.namesOfAnotherModel(store.connection) }
  }

  /// - Parameter names: what was read of the names in this transaction.
  init(_ names: NameTable, of store: any LocalStore) {
    rows = store.schema.localEntities.map { InsertionScan.frontier(of: names[$0], in: names, of: store) }
  }

  subscript(entity: LocalEntity) -> RowNumber { rows[entity.rawValue] }

  /// Whether a store, or a copy of it with these frontiers, may hold insertions that neither a set nor the log mentions.
  func isPassed(in store: any LocalStore, _ database: SharedDatabase) throws -> Bool {
    try store.schema.localEntities.contains { try store.lastRow($0, in: database) > self[$0] }
  }
}
