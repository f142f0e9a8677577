import Foundation
import ObjectStore
import TICDSSQLite

/// Copies of the store with the files that its rows lead to.
extension ManagedLocalStore {
  /// How often a copy is begun anew because somebody has replaced a value meanwhile, before others have to wait.
  private static let attempts = 3

  /// Copies the file of the store, after the files of long values: whoever finds the copy finds all that it leads to.
  ///
  /// Others may write meanwhile, and a file goes when its value is replaced. What the copy leads to must not have gone between
  /// the two, so then it is made again; the last time nobody can write.
  public func copy(to path: String, as name: String) throws {
    for _ in 1..<Self.attempts {
      if try attempt(path, name) { return }
      try FileManager.default.removeItem(atPath: path)
    }
    try store.newConnection().transaction { _ = try attempt(path, name) }
  }

  /// - Returns: whether the copy has all files that the store has.
  private func attempt(_ path: String, _ name: String) throws -> Bool {
    try connection.run("VACUUM INTO ?", .text(path))
    return try store.copyExternalFiles(of: Connection(path: path), for: name)
  }
}

extension ManagedLocalStore {
  /// Opens a copy with the model that it was made for, so that what it holds bears the names that its maker gave, as in sets: a migration to this
  /// store's model would have to guess where that is the former one. A copy whose tables are not those of its model is refused.
  public func openCopy(at path: String) throws -> (any LocalStore)? {
    let copy = try PersistentStore(
      model: store.model(ofCopyAt: path), path: path, options: .init(access: .readWrite))
    try copy.requireTablesOfModel()
    return try ManagedLocalStore(store: copy)
  }

  /// The next rows of an entity, with their sync IDs.
  public func identifiedRows(
    _ entity: LocalEntity, after row: RowNumber, limit: Int
  ) throws -> [IdentifiedRow] {
    let known = managed(entity)
    let table = store.schema.table(of: known.description)
    guard case .attribute(let column, _) = table.storage[known.syncID] else { return [] }
    let kind = table.isShared ? " AND Z_ENT = \(table.number)" : ""
    let statement = try connection.cached(
      "SELECT Z_PK, \"\(column)\" FROM \"\(table.name)\" WHERE Z_PK > ?\(kind) ORDER BY Z_PK LIMIT ?")
    try statement.bind(row.rawValue, at: 1)
    try statement.bind(Int64(limit), at: 2)
    var rows: [IdentifiedRow] = []
    while try statement.step() {
      let syncID = statement.optionalText(1).map { SyncID($0) }
      rows.append(IdentifiedRow(row: RowNumber(rawValue: statement.int64(0)), syncID: syncID))
    }
    return rows
  }
}
