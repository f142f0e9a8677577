import TICDSSQLite

/// Reads a store with SQL in which tables and columns have the names of the model, for what requests cannot say: window functions, joins
/// of anything with anything, recursion.
///
/// ```swift
/// let reader = try SQLReader(store)
/// try reader.forEachRow("SELECT title, rank() OVER (ORDER BY stars DESC) FROM Note WHERE stars > ?", .integer(2)) { row in
///   print(row[0], row[1])
/// }
/// ```
/// | View | Columns |
/// |---|---|
/// | one for each entity, with the rows of those that inherit from it | `Z_PK` (the object's key), `Z_ENT` (its entity's number), every stored attribute and to-one relationship (the key of the related object) |
/// | `Entity.relationship` for each relationship between many and many | `source`, `target`, and `position` if it is ordered |
///
/// Values are as the file has them: a Boolean is 0 or 1, a date a number of seconds since 2001. One that is kept in a file beside the
/// store is read from there, and is null if that file is missing. Unsaved changes do not count, and nothing can be written. Holds a connection of its own, so it belongs to one isolation domain.
public final class SQLReader {
  /// One row of a result.
  public struct Row: Sendable {
    /// The names of the columns, as the statement gives them.
    public let names: [String]
    /// The values. A column of dates that is selected as it is has dates.
    public let values: [AttributeValue]

    /// The value of a column.
    public subscript(column: Int) -> AttributeValue { values[column] }
  }

  /// A statement that is not run.
  public struct Refusal: Error, CustomStringConvertible {
    /// Why, and what to do instead.
    public let description: String
  }

  /// The SQL function that reads what is kept in a file beside the store.
  private static let external = "ticds_external"
  /// What Core Data declares columns of dates as.
  private static let dateDeclaration = "TIMESTAMP"

  private let store: PersistentStore
  private let connection: Connection

  /// Opens a store for reading.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened.
  public init(_ store: PersistentStore) throws(StoreError) {
    self.store = store
    connection = try store.newConnection()
    do {
      let values = ExternalValues(storePath: store.path)
      try connection.addFunction(Self.external, argumentCount: 1) { arguments in
        if arguments.isNull(0) { return .null }
        var value = AttributeValue.data(arguments.blob(0))
        guard values.resolve(&value), case .data(let bytes) = value else { return .null }
        return .blob(bytes)
      }
      // Views are made in a database of the connection's own, in memory.
      try connection.run("PRAGMA temp_store = MEMORY")
      try connection.run("PRAGMA query_only = OFF")
      for view in Self.views(of: store.schema) { try connection.run(view) }
      try connection.run("PRAGMA query_only = ON")
    } catch {
      throw StoreError(.database(error), path: store.path)
    }
  }

  /// Calls `body` with each row that a statement gives.
  ///
  /// - Parameters:
  ///   - sql: one statement that reads.
  ///   - values: for its parameters, in order.
  ///   - body: gets each row. What it throws ends the reading.
  /// - Throws: ``Refusal`` if SQLite does not understand the statement, if it would write, if there are several or if the number of values
  ///   differs; ``StoreError`` if reading fails; `CancellationError` if the task is cancelled; and what `body` throws.
  public func forEachRow(
    _ sql: String, _ values: AttributeValue..., body: (Row) throws -> Void
  ) throws {
    do {
      let statement = try compile(sql)
      try Self.check(statement, sql, values.count)
      for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
      let columns = 0..<statement.columnCount
      let names = columns.map(statement.columnName)
      let areDates = columns.map { statement.declaredType($0)?.uppercased() == Self.dateDeclaration }
      try connection.interruptedByCancellation {
        while try statement.step() {
          try body(
            Row(names: names, values: columns.map { Self.value(statement, $0, isDate: areDates[$0]) }))
        }
      }
    } catch let error as SQLiteError {
      if error.code == .interrupted { try Task.checkCancellation() }
      // What the statement computes cannot be computed; nothing is wrong with the store.
      if error.code == .generic { throw Refusal(description: "the statement fails: \(error.message)") }
      throw StoreError(.database(error), path: store.path)
    }
  }

  private func compile(_ sql: String) throws -> Statement {
    guard sql.utf8.contains(where: { $0 != UInt8(ascii: ";") && $0 > UInt8(ascii: " ") }) else {
      throw Refusal(description: "there is no statement")
    }
    do { return try connection.prepare(sql) } catch {
      guard error.code == .generic else { throw error }
      throw Refusal(description: "SQLite does not understand the statement: \(error.message)")
    }
  }

  private static func check(_ statement: Statement, _ sql: String, _ count: Int) throws(Refusal) {
    let rest = sql.utf8.dropFirst(statement.sql.utf8.count)
    guard rest.allSatisfy({ $0 == UInt8(ascii: ";") || $0 <= UInt8(ascii: " ") }) else {
      throw Refusal(description: "there is more than one statement; give them one by one")
    }
    guard statement.isReadOnly, statement.columnCount > 0 else {
      throw Refusal(description: "the statement does not only read; a store is written through a context")
    }
    guard statement.parameterCount == count else {
      throw Refusal(
        description:
          "the statement has \(statement.parameterCount) parameters, and \(count) values were given")
    }
  }

  private static func value(_ statement: Statement, _ column: Int, isDate: Bool) -> AttributeValue {
    switch statement.value(column) {
    case .null: .null
    case .integer(let value): isDate ? .date(Double(value)) : .integer(value)
    case .real(let value): isDate ? .date(value) : .double(value)
    case .text(let value): .string(value)
    case .blob(let value): .data(value)
    }
  }

  // MARK: - Views

  private static func views(of schema: StoreSchema) -> [String] {
    schema.model.entities.flatMap { entity in
      [view(of: entity, schema)] + entity.properties.indices.compactMap { view(of: $0, of: entity, schema) }
    }
  }

  private static func view(of entity: EntityDescription, _ schema: StoreSchema) -> String {
    let table = schema.table(of: entity)
    var columns = ["Z_PK", "Z_ENT"]
    for (index, storage) in table.storage.enumerated() {
      let name = quoted(entity.properties[index].name)
      switch storage {
      case .attribute(let column, _):
        let isExternal = entity.attribute(at: index)?.allowsExternalStorage == true
        columns.append(isExternal ? "\(external)(\(quoted(column))) \(name)" : "\(quoted(column)) \(name)")
      case .toOne(let toOne): columns.append("\(quoted(toOne.key)) \(name)")
      case .memory, .inverse, .join: break
      }
    }
    let numbers = entity.familyIndices.map { "\(schema.tables[$0].number)" }.joined(separator: ", ")
    return """
      CREATE TEMP VIEW \(quoted(entity.name)) AS
      SELECT \(columns.joined(separator: ", ")) FROM main.\(quoted(table.name)) WHERE Z_ENT IN (\(numbers))
      """
  }

  /// The links of a relationship; `nil` for those that are columns of a view.
  private static func view(
    of index: Int, of entity: EntityDescription, _ schema: StoreSchema
  ) -> String? {
    let name = entity.properties[index].name
    guard entity.ownPropertyNames.contains(name),
      case .join(let side) = schema.table(of: entity).storage[index]
    else { return nil }
    let target = side.table.isInTarget ? "Z_PK" : quoted(side.memberColumn)
    let order = side.orderColumn.map { ", \(quoted($0)) position" } ?? ""
    let condition = side.table.isInTarget ? " WHERE \(quoted(side.ownColumn)) IS NOT NULL" : ""
    return """
      CREATE TEMP VIEW \(quoted("\(entity.name).\(name)")) AS
      SELECT \(quoted(side.ownColumn)) source, \(target) target\(order) FROM main.\(quoted(side.table.name))\(condition)
      """
  }

  /// Names of a model may be words of SQL.
  private static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }
}
