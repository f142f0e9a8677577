import Foundation
import TICDSSQLite

/// One save, as the persistent history that Core Data keeps in a store tells of it.
public struct HistoryTransaction: Hashable, Sendable {
  /// Its number, which counts up.
  public let number: Int64
  /// When it was saved, in seconds since 2001-01-01 00:00 UTC.
  public let time: Double?
  /// What the application called the author.
  public let author: String?
  /// What the application called the context.
  public let contextName: String?
  /// The application's identifier.
  public let bundle: String?
  /// The process that saved.
  public let process: String?
}

/// What a save did to one object.
public struct HistoryChange: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// The object is new.
    case inserted
    /// The object was changed.
    case updated
    /// The object was deleted.
    case deleted
    /// A number that is none of Core Data's.
    case other(Int64)
  }

  /// Its number, which counts up over all transactions.
  public let number: Int64
  /// What happened.
  public let kind: Kind
  /// The number of the object's entity in the store.
  public let entityNumber: Int64
  /// The object; `nil` if the store's model has no entity of the number.
  public let object: StoredObject.Reference?
  /// The object's key.
  public let key: Int64
  /// The properties that were changed, by index; `nil` if the history does not tell, or what it tells does not fit the model.
  public let properties: [Int]?
  /// The bits that name the changed properties, as they are stored; empty if there are none.
  public let mask: [UInt8]
  /// What is left of a deleted object: the values of the attributes with
  /// ``AttributeDescription/preservesValueOnDeletion`` that it had, by index.
  public let tombstone: [Int: AttributeValue]
}

/// The persistent history that Core Data keeps in an SQLite store, read as it is gone through.
///
/// Holds a connection of its own, so it belongs to one isolation domain.
public final class StoreHistory {
  private let schema: StoreSchema
  private let path: String
  private let connection: Connection
  private let transactionColumns: Set<String>
  private let changeColumns: Set<String>
  private let hasNames: Bool
  private var masks: [Int: HistoryMask] = [:]

  /// Reads the history of a store; `nil` if it keeps none.
  ///
  /// - Throws: ``StoreError`` if the file cannot be read.
  public init?(_ store: PersistentStore) throws(StoreError) {
    schema = store.schema
    path = store.path
    connection = try store.newConnection()
    do {
      let transactions = try Self.columns(of: "ATRANSACTION", connection)
      let changes = try Self.columns(of: "ACHANGE", connection)
      guard transactions.contains("Z_PK"), changes.isSuperset(of: ["Z_PK", "ZTRANSACTIONID"]) else {
        return nil
      }
      transactionColumns = transactions
      changeColumns = changes
      hasNames = try Self.columns(of: "ATRANSACTIONSTRING", connection).isSuperset(of: ["Z_PK", "ZNAME"])
    } catch {
      throw StoreError(.database(error), path: store.path)
    }
  }

  /// The number of the last transaction; 0 if there is none.
  ///
  /// - Throws: ``StoreError`` if SQLite fails.
  public func lastTransaction() throws(StoreError) -> Int64 {
    do {
      if case .integer(let number)? = try connection.first("SELECT max(Z_PK) FROM ATRANSACTION") {
        return number
      }
      return 0
    } catch { throw StoreError(.database(error), path: path) }
  }

  /// Goes through the transactions in the order of their numbers, and through the changes of each; holds one of them.
  ///
  /// Everything comes from one snapshot of the store.
  /// - Parameters:
  ///   - number: The last transaction that is left out.
  ///   - transaction: Gets each transaction, and tells whether its changes are wanted. `nil` stands for that of changes which name a
  ///     transaction that the store does not have; they come last.
  ///   - change: Gets each change, after its transaction.
  /// - Throws: ``StoreError`` if SQLite fails, and what the functions throw.
  public func forEach(
    after number: Int64 = 0, transaction: (HistoryTransaction?) throws -> Bool,
    change: (HistoryChange) throws -> Void
  ) throws {
    do {
      try connection.run("BEGIN")
      defer { try? connection.run("COMMIT") }
      let transactions = try connection.prepare(transactionQuery)
      let changes = try connection.prepare(changeQuery(where: "c.ZTRANSACTIONID = ?"))
      try transactions.bind(number, at: 1)
      while try transactions.step() {
        let found = self.transaction(transactions)
        guard try transaction(found) else { continue }
        changes.reset()
        try changes.bind(found.number, at: 1)
        while try changes.step() { try change(self.change(changes)) }
      }
      let lost = try connection.prepare(
        changeQuery(
          where: """
            (c.ZTRANSACTIONID > ? OR c.ZTRANSACTIONID IS NULL)
            AND NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)
            """))
      try lost.bind(number, at: 1)
      var isTold = false
      while try lost.step() {
        if !isTold {
          guard try transaction(nil) else { return }
        }
        isTold = true
        try change(self.change(lost))
      }
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    }
  }

  // MARK: - Rows

  private static func columns(of table: String, _ connection: Connection) throws(SQLiteError) -> Set<String> {
    let listing = try connection.prepare("SELECT name FROM pragma_table_info(?)")
    try listing.bind(table, at: 1)
    var names: Set<String> = []
    while try listing.step() { names.insert(listing.text(0)) }
    return names
  }

  /// Names stand in a table of their own, since Core Data of 2019, or in the row.
  private var transactionQuery: String {
    let names = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].map { column in
      let own = transactionColumns.contains(column) ? "t.\(column)" : "NULL"
      guard hasNames, transactionColumns.contains("\(column)TS") else { return own }
      return "ifnull((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(own))"
    }
    let time = transactionColumns.contains("ZTIMESTAMP") ? "t.ZTIMESTAMP" : "NULL"
    return """
      SELECT t.Z_PK, \(time), \(names.joined(separator: ", ")) FROM ATRANSACTION t
      WHERE t.Z_PK > ? ORDER BY t.Z_PK
      """
  }

  private func transaction(_ row: Statement) -> HistoryTransaction {
    HistoryTransaction(
      number: row.int64(0), time: row.isNull(1) ? nil : row.double(1), author: row.optionalText(2),
      contextName: row.optionalText(3), bundle: row.optionalText(4), process: row.optionalText(5))
  }

  private static let fixedColumns = ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]

  /// The columns of what is left of deleted objects, in their order.
  private var tombstoneColumns: [String] {
    var columns: [String] = []
    while changeColumns.contains("ZTOMBSTONE\(columns.count)") {
      columns.append("ZTOMBSTONE\(columns.count)")
    }
    return columns
  }

  private func changeQuery(where condition: String) -> String {
    let columns = (Self.fixedColumns + tombstoneColumns).map {
      changeColumns.contains($0) ? "c.\($0)" : "NULL"
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM ACHANGE c WHERE \(condition) ORDER BY c.Z_PK"
  }

  private func change(_ row: Statement) -> HistoryChange {
    let kind: HistoryChange.Kind =
      switch row.int64(1) {
      case 0: .inserted
      case 1: .updated
      case 2: .deleted
      case let number: .other(number)
      }
    let entity = schema.entity(numbered: row.int64(2))
    let bytes = row.isNull(4) ? [] : row.blob(4)
    var tombstone: [Int: AttributeValue] = [:]
    if let entity, kind == .deleted {
      let first = Self.fixedColumns.count
      for (place, index) in mask(of: entity).preserved.enumerated() where first + place < row.columnCount {
        guard let type = entity.attribute(at: index)?.type else { continue }
        let value = row.attributeValue(first + place, as: type)
        if !value.isNull { tombstone[index] = value }
      }
    }
    return HistoryChange(
      number: row.int64(0), kind: kind, entityNumber: row.int64(2),
      object: entity.map { .init(entity: $0.index, key: row.int64(3)) }, key: row.int64(3),
      properties: bytes.isEmpty ? nil : entity.flatMap { mask(of: $0).properties(bytes) }, mask: bytes,
      tombstone: tombstone)
  }

  private func mask(of entity: EntityDescription) -> HistoryMask {
    if let known = masks[entity.index] { return known }
    let made = HistoryMask(entity, schema: schema)
    masks[entity.index] = made
    return made
  }
}
