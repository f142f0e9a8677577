import Foundation
import TICDSSQLite

/// The files that the transactions of one connection write and make superfluous.
///
/// Files are written before the commit and removed after it, so no row that anybody can see ever leads to a file that is not there.
/// A process that ends in between leaves files that no row leads to; ``PersistentStore/removeUnusedFiles()`` removes them.
final class ExternalFiles {
  private let values: ExternalValues
  private let connection: Connection

  init(_ values: ExternalValues, _ connection: Connection) {
    self.values = values
    self.connection = connection
  }

  /// The column's content for a value; a file that is written for it goes if the transaction fails.
  func column(_ bytes: [UInt8]) throws -> [UInt8] {
    try values.column(bytes) { name in
      let values = values
      connection.afterTransaction { isCommitted in
        if !isCommitted { values.remove([name]) }
      }
    }
  }

  /// Notes the files that some columns of a row lead to; they go when the transaction is committed.
  func noteReplaced(_ columns: [String], table: String, key: Int64) throws {
    let list = columns.map { "CASE WHEN length(\(quote($0))) = 38 THEN \(quote($0)) END" }
    let statement = try connection.cached(
      "SELECT \(list.joined(separator: ", ")) FROM \(quote(table)) WHERE Z_PK = ?")
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return }
    let names = columns.indices.compactMap { column in
      statement.withBlob(column) { ExternalValues.name(in: $0) }
    }
    removeAfterCommit(names)
  }

  /// Notes the files that a column of many rows leads to; they go when the transaction is committed.
  func noteReplaced(_ column: String, table: String, where condition: String) throws {
    let column = quote(column)
    let statement = try connection.prepare(
      "SELECT \(column) FROM \(quote(table)) WHERE \(condition) AND length(\(column)) = 38")
    var names: [String] = []
    while try statement.step() {
      if let name = statement.withBlob(0, { ExternalValues.name(in: $0) }) { names.append(name) }
    }
    removeAfterCommit(names)
  }

  private func removeAfterCommit(_ names: [String]) {
    if names.isEmpty { return }
    let (values, path) = (values, connection.path)
    connection.afterTransaction { isCommitted in
      guard isCommitted else { return }
      // In the normal mode of synchronisation a power failure may undo the commit. The log must not be forgotten when the
      // files already are.
      try? ExternalValues.synchronize(URL(filePath: path + "-wal"))
      values.remove(names)
    }
  }
}
