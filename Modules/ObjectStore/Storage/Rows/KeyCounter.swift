import TICDSSQLite

/// The counters of `Z_PRIMARYKEY`, from which new rows take their keys.
enum KeyCounter {
  /// Keys from here on leave too few for what is to come.
  static let limit: Int64 = 1 << 62

  /// Reserves consecutive keys in the table of a root entity. Gives the first.
  ///
  /// To be called in the transaction that writes the rows.
  static func reserve(_ count: Int64, number: Int64, on connection: Connection) throws -> Int64 {
    let last = try connection.first("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(number))
    guard case .integer(let last)? = last, last >= 0, last <= Int64.max - count else {
      throw StoreError(
        .damagedMetadata("Z_PRIMARYKEY has no counter for entity \(number)"), path: connection.path)
    }
    try connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", .integer(last &+ count), .integer(number))
    return last &+ 1
  }
}
