import ChangeTracking
import Foundation
import Inspection
import ObjectStore
import TICDSSQLite

/// Writes objects into plain tables: one for each entity, and one for each relationship to many.
struct StateDatabase {
  private let connection: Connection
  private var inserts: [String: Statement] = [:]
  private var links: [String: Statement] = [:]

  /// Makes the tables. An entity whose name SQLite keeps for itself has a table with underscores before it.
  init(path: String, model: ManagedObjectModel) throws {
    connection = try Connection(path: path)
    let names = Set(model.entities.map { $0.name.lowercased() })
    for entity in model.entities {
      var columns = ["\(Self.quoted(SyncModelKey.syncID)) TEXT PRIMARY KEY"]
      for property in Self.sorted(entity) {
        switch property {
        case .attribute(let attribute):
          columns.append("\(Self.quoted(attribute.name)) \(attribute.type.plainType)")
        case .relationship(let relationship) where !relationship.isToMany:
          columns.append("\(Self.quoted(relationship.name)) TEXT")
        case .relationship(let relationship):
          // Names have no dots.
          let owner = Self.table(of: entity.name, besides: names)
          let name = Self.quoted("\(owner).\(relationship.name)")
          try connection.run(
            "CREATE TABLE \(name) (source TEXT, target TEXT, position INTEGER, PRIMARY KEY (source, position))"
          )
          links["\(entity.name).\(relationship.name)"] = try connection.prepare(
            "INSERT INTO \(name) VALUES (?, ?, ?)")
        }
      }
      let table = Self.quoted(Self.table(of: entity.name, besides: names))
      try connection.run("CREATE TABLE \(table) (\(columns.joined(separator: ", ")))")
      let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
      inserts[entity.name] = try connection.prepare("INSERT INTO \(table) VALUES (\(places))")
    }
  }

  func write(_ objects: StateObjects) throws {
    try connection.transaction { try objects.forEach { try write($0) } }
  }

  private func write(_ object: StateObject) throws {
    guard let insert = inserts[object.entity] else { return }
    var values: [SQLiteValue] = [.text(object.identifier)]
    values += object.attributes.map { Self.plain($0.value) }
    for (name, isToMany, targets) in object.relationships {
      guard isToMany else {
        values.append(targets.first.map { .text($0) } ?? .null)
        continue
      }
      guard let link = links["\(object.entity).\(name)"] else { continue }
      for (position, target) in targets.enumerated() {
        try link.bind([.text(object.identifier), .text(target), .integer(Int64(position))])
        try link.run()
      }
    }
    try insert.bind(values)
    try insert.run()
  }

  /// In the order in which objects tell them: attributes, then relationships, by name.
  private static func sorted(_ entity: EntityDescription) -> [PropertyDescription] {
    let stored = entity.properties.filter { !$0.isTransient && $0.name != SyncModelKey.syncID }
    return stored.filter { $0.asAttribute != nil }.sorted { $0.name < $1.name }
      + stored.filter { $0.asRelationship != nil }.sorted { $0.name < $1.name }
  }

  private static func plain(_ value: AttributeValue) -> SQLiteValue {
    switch value {
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .integer(let number): .integer(number)
    case .double(let number): .real(number)
    case .float(let number): .real(Double(number))
    case .data(let bytes): .blob(bytes)
    default: StateDifferences.text(value).map { .text($0) } ?? .null
    }
  }

  private static func table(of entity: String, besides names: Set<String>) -> String {
    var table = entity
    while table.lowercased().hasPrefix("sqlite_") || table != entity && names.contains(table.lowercased()) {
      table = "_" + table
    }
    return table
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
}

extension AttributeType {
  fileprivate var plainType: String {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "REAL"
    case .binary, .transformable, .composite, .undefined, .objectID: "BLOB"
    case .string, .uri, .uuid, .decimal, .date: "TEXT"
    }
  }
}
