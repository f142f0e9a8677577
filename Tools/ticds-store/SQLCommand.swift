import CommandLineTool
import ObjectStore
import StoreAccess

/// `sql`: what a statement reads, with the names of the model.
enum SQLCommand {
  private static let statement = Parameter<String>.positional(
    "STATEMENT", "A SELECT in which tables are entities and columns are properties.")
  private static let csv = Parameter<Bool>.flag("csv", "Prints a table for other programs (RFC 4180).")

  static let command = Command(
    "sql", "Prints the rows that an SQL statement reads, as JSON, one a line, or as a table.",
    [StoreParameters.file, statement, StoreParameters.model, csv],
    perform: { arguments, console in
      guard let store = try StoreParameters.open(arguments).persistentStore else {
        throw ToolFailure(
          .unsupported, "a binary store has no tables", advice: "copy it with --as sqlite, or use query")
      }
      let isTable = try arguments[csv]
      var hasTitles = false
      let reader = try SQLReader(store)
      do {
        try reader.forEachRow(try arguments[statement]) { row in
          try Task.checkCancellation()
          if isTable, !hasTitles { console.write(forPrograms: CSVRow.line(row.names)) }
          hasTitles = true
          console.write(forPrograms: isTable ? CSVRow.line(row.values.map(text)) : json(row).line + "\n")
        }
      } catch let refusal as SQLReader.Refusal {
        throw ToolFailure.usage(
          "\(refusal)",
          advice: "`ticds-store model` lists entities and properties; quote names that are words of SQL")
      }
    })

  /// Columns of one name are told apart by their places.
  private static func json(_ row: SQLReader.Row) -> JSONValue {
    var seen: Set<String> = []
    return .object(
      zip(row.names, row.values).enumerated().map { place, cell in
        let name = seen.insert(cell.0).inserted ? cell.0 : "\(cell.0) (\(place + 1))"
        return .init(name, value(cell.1))
      })
  }

  private static func value(_ value: AttributeValue) -> JSONValue { ValueJSON.json(value, .undefined) }

  private static func text(_ value: AttributeValue) -> String? {
    switch self.value(value) {
    case .null: nil
    case .string(let text): text
    case let other: other.line
    }
  }
}
