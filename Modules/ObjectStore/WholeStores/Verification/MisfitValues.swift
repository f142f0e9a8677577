import Foundation
import TICDSSQLite

/// Finds values that their attributes cannot have, which SQLite lets any program write. Those of another kind are read as the nearest value of the
/// kind, text as 0 for instance, so whoever goes on with what was read has lost them.
struct MisfitValues {
  let schema: StoreSchema
  let connection: Connection

  private static let (isText, isDecimal) = ("ticds_is_utf8", "ticds_is_decimal")
  private static let isReference = "ticds_is_file_reference"

  private static let ofAnotherKind =
    "values of another kind than the attribute has, which are read as the nearest of its kind"
  private static let unmarked =
    "values of which the first byte says neither that they follow nor that they are in a file"
  private static let beyondRange = "numbers beyond the range of the attribute's type"

  /// What a reader of the attributes does not get.
  ///
  /// - Throws: `SQLiteError`.
  func losses() throws -> [StoreLoss] {
    try addFunctions()
    return try references()
      + losses { column, attribute, type in
        var misfits: [(String, String)] = []
        if let fitting = Self.condition(column, type) {
          misfits.append(("NOT (\(fitting))", Self.ofAnotherKind))
        }
        if attribute.isMarkedExternal {
          misfits.append(("typeof(\(column)) = 'blob' AND NOT (\(Self.isMarked(column)))", Self.unmarked))
        }
        return misfits
      }
  }

  /// Keys of related objects that are none.
  private func references() throws -> [StoreLoss] {
    try schema.model.entities.flatMap { entity in
      let table = schema.table(of: entity)
      return try zip(entity.properties, table.storage).compactMap { property, storage -> StoreLoss? in
        guard entity.ownPropertyNames.contains(property.name), case .toOne(let columns) = storage,
          case .integer(let count)? = try connection.first(
            """
            SELECT count(*) FROM \(quote(table.name)) \
            WHERE typeof(\(quote(columns.key))) NOT IN ('integer', 'null')
            """), count > 0
        else { return nil }
        return StoreLoss(
          "\(entity.name).\(property.name)", Int(clamping: count), "keys that are no whole numbers")
      }
    }
  }

  /// Whole numbers that are read as they are, but that no attribute of the type can be set to.
  ///
  /// - Throws: `SQLiteError`.
  func beyondRange() throws -> [StoreLoss] {
    try losses { column, _, type in
      switch type {
      case .integer16: [(Self.isOutside(column, Int16.min...Int16.max), Self.beyondRange)]
      case .integer32: [(Self.isOutside(column, Int32.min...Int32.max), Self.beyondRange)]
      default: []
      }
    }
  }

  private static func isOutside<Number>(_ column: String, _ range: ClosedRange<Number>) -> String {
    "typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
  }

  private func addFunctions() throws {
    try connection.addFunction(Self.isText, argumentCount: 1) { arguments in
      .integer(String(validating: arguments.blob(0), as: UTF8.self) == nil ? 0 : 1)
    }
    try connection.addFunction(Self.isDecimal, argumentCount: 1) { arguments in
      .integer(Decimal.isStored(arguments.text(0)) ? 1 : 0)
    }
    try connection.addFunction(Self.isReference, argumentCount: 1) { arguments in
      .integer(arguments.blob(0).withUnsafeBytes { ExternalValues.name(in: $0) } == nil ? 0 : 1)
    }
  }

  /// - Parameter misfits: When a column's value is one, and what it is then.
  private func losses(
    _ misfits: (_ column: String, AttributeDescription, AttributeType) -> [(sql: String, reason: String)]
  ) throws -> [StoreLoss] {
    try schema.model.entities.flatMap { entity in
      let table = schema.table(of: entity)
      var conditions: [(property: String, sql: String, reason: String)] = []
      for (property, storage) in zip(entity.properties, table.storage)
      where entity.ownPropertyNames.contains(property.name) {
        guard case .attribute(let column, let type) = storage, let attribute = property.asAttribute else {
          continue
        }
        for misfit in misfits(quote(column), attribute, type) {
          let sql = "total(\(quote(column)) IS NOT NULL AND (\(misfit.sql)))"
          conditions.append((property.name, sql, misfit.reason))
        }
      }
      guard !conditions.isEmpty else { return [StoreLoss]() }
      let numbers = entity.familyIndices.map { String(schema.tables[$0].number) }.joined(separator: ", ")
      let statement = try connection.prepare(
        """
        SELECT \(conditions.map(\.sql).joined(separator: ", ")) FROM \(quote(table.name)) WHERE Z_ENT IN (\(numbers))
        """)
      guard try statement.step() else { return [] }
      return conditions.enumerated().compactMap { column, condition in
        let count = Int(statement.double(column))
        return count == 0 ? nil : StoreLoss("\(entity.name).\(condition.property)", count, condition.reason)
      }
    }
  }

  /// When a column that is not null holds a value of a type; `nil` if it always does.
  private static func condition(_ column: String, _ type: AttributeType) -> String? {
    switch type {
    case .integer16, .integer32, .integer64: "typeof(\(column)) = 'integer'"
    case .boolean: "typeof(\(column)) = 'integer' AND \(column) IN (0, 1)"
    case .double, .date: "typeof(\(column)) IN ('integer', 'real')"
    // What is greater than all numbers of 32 bits is read as infinite.
    case .float:
      "typeof(\(column)) IN ('integer', 'real') AND (abs(\(column)) < 3.4028235677973365e38 OR abs(\(column)) = 9e999)"
    case .decimal: "typeof(\(column)) <> 'blob' AND \(isDecimal)(\(column))"
    case .string, .uri: "typeof(\(column)) = 'text' AND \(isText)(\(column))"
    case .binary, .transformable, .composite: "typeof(\(column)) = 'blob'"
    case .uuid: "typeof(\(column)) = 'blob' AND length(\(column)) = 16"
    case .undefined, .objectID: nil
    }
  }

  /// When a column says where its value is.
  private static func isMarked(_ column: String) -> String {
    "length(\(column)) = 0 OR substr(\(column), 1, 1) = x'01' OR length(\(column)) = 38 AND \(isReference)(\(column))"
  }
}
