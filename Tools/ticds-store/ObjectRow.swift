import CommandLineTool
import ObjectStore
import StoreAccess

/// An object of a store as a row of a table: `id`, `entity`, and the properties of the entity that was asked for.
struct ObjectRow {
  private let columns: [String]
  private let objectJSON: ObjectJSON

  init(_ entity: EntityDescription, store: StoreFile) {
    columns = entity.properties.filter { !$0.isTransient }.map(\.name)
    objectJSON = ObjectJSON(store: store)
  }

  /// The row of the columns' names, with its line end.
  var title: String { CSVRow.line(["id", "entity"] + columns) }

  /// The row with its line end.
  func text(_ object: StoredObject) -> String {
    var fields: [String: String] = [:]
    for member in objectJSON.attributes(of: object) { fields[member.key] = Self.text(of: member.value) }
    for member in objectJSON.relationships(of: object) { fields[member.key] = Self.identifiers(member.value) }
    let start = [objectJSON.identifier(of: object), objectJSON.entity(of: object).name]
    return CSVRow.line(start + columns.map { fields[$0] })
  }

  /// An attribute's value as it stands in a cell; `nil` if it is missing.
  private static func text(of value: JSONValue) -> String? {
    switch value {
    case .null: nil
    case .string(let text): text
    default: value.line
    }
  }

  /// The related objects with a space between; `nil` if there is none.
  private static func identifiers(_ value: JSONValue) -> String? {
    guard case .array(let values) = value else { return text(of: value) }
    return values.isEmpty ? nil : values.compactMap(text(of:)).joined(separator: " ")
  }
}
