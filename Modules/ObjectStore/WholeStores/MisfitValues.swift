import Foundation
import TICDSSQLite

/// Finds values of another kind than their attributes have, which SQLite lets any program write: they are read as the nearest value of the kind,
/// text as 0 for instance, so whoever goes on with what was read has lost them.
struct MisfitValues {
  let schema: StoreSchema
  let connection: Connection

  private static let (isText, isDecimal) = ("ticds_is_utf8", "ticds_is_decimal")

  /// - Throws: `SQLiteError`.
  func losses() throws -> [StoreLoss] {
    try connection.addFunction(Self.isText, argumentCount: 1) { arguments in
      .integer(String(validating: arguments.blob(0), as: UTF8.self) == nil ? 0 : 1)
    }
    try connection.addFunction(Self.isDecimal, argumentCount: 1) { arguments in
      .integer(Decimal(string: arguments.text(0)) == nil ? 0 : 1)
    }
    return try schema.model.entities.flatMap(losses(of:))
  }

  private func losses(of entity: EntityDescription) throws -> [StoreLoss] {
    let table = schema.table(of: entity)
    var conditions: [(property: String, sql: String)] = []
    for (property, storage) in zip(entity.properties, table.storage)
    where entity.ownPropertyNames.contains(property.name) {
      guard case .attribute(let column, let type) = storage,
        let fitting = Self.condition(quote(column), type)
      else { continue }
      conditions.append((property.name, "total(\(quote(column)) IS NOT NULL AND NOT (\(fitting)))"))
    }
    guard !conditions.isEmpty else { return [] }
    let numbers = entity.familyIndices.map { String(schema.tables[$0].number) }.joined(separator: ", ")
    let statement = try connection.prepare(
      """
      SELECT \(conditions.map(\.sql).joined(separator: ", ")) FROM \(quote(table.name)) WHERE Z_ENT IN (\(numbers))
      """)
    guard try statement.step() else { return [] }
    return conditions.enumerated().compactMap { column, condition in
      let count = Int(statement.double(column))
      if count == 0 { return nil }
      return StoreLoss(
        "\(entity.name).\(condition.property)", count,
        "values of another kind than the attribute has, which are read as the nearest of its kind")
    }
  }

  /// When a column that is not null holds a value of a type; `nil` if it always does.
  private static func condition(_ column: String, _ type: AttributeType) -> String? {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: "typeof(\(column)) = 'integer'"
    case .double, .float, .date: "typeof(\(column)) IN ('integer', 'real')"
    case .decimal: "typeof(\(column)) <> 'blob' AND \(isDecimal)(\(column))"
    case .string, .uri: "typeof(\(column)) = 'text' AND \(isText)(\(column))"
    case .binary, .transformable, .composite: "typeof(\(column)) = 'blob'"
    case .uuid: "typeof(\(column)) = 'blob' AND length(\(column)) = 16"
    case .undefined, .objectID: nil
    }
  }
}
