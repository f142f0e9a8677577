import ChangeTracking
import CoreDataFormats
import ObjectStore
import TICDSSQLite
import SyncProtocol

/// What a database file holds. Nothing is written, and nothing in it runs.
struct StoreContents {
  let path: String

  private static let magic = Array("SQLite format 3\0".utf8)
  /// How many objects of a classic set are told.
  private static let changeLimit = 1_000
  /// The entity of which the classic system's sets consist.
  private static let classicChange = "ticdssyncchange"

  /// Whether bytes begin as a database, a binary or an XML store does.
  static func isStore(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic) || BinaryStore.isBinaryStore(bytes) || XMLStore.isXMLStore(bytes)
  }

  func read(_ content: inout FileContent) throws {
    content.kind = .store
    if let tables = try readTables(&content), !tables.contains("Z_METADATA") {
      content.kind = .database
      return
    }
    let store = try StoreFile(path: path)
    content.facts += [
      .init("identity", .text(store.uuid)), .init("form", .text(store.kind.rawValue)),
      .init("model", .text(store.modelOrigin.rawValue)),
    ]
    let objects = try store.objects()
    var counts: [Int: Int] = [:]
    var changes: [FileContent.Value] = []
    try objects.forEachObject(of: nil) { object in
      try Task.checkCancellation()
      counts[object.reference.entity, default: 0] += 1
      let entity = store.model.entities[object.reference.entity]
      if entity.name.lowercased() == Self.classicChange, changes.count < Self.changeLimit {
        changes.append(Self.value(object, entity))
      }
    }
    content.facts.append(
      .init(
        "objects",
        .group(
          counts.sorted { $0.key < $1.key }.map {
            .init(store.model.entities[$0.key].name, .init($0.value))
          })))
    if store.model.entities.contains(where: { $0.name.lowercased() == Self.classicChange }) {
      content.kind = .classicChangeSet
      content.facts.append(.init("changes", .list(changes)))
    }
  }

  /// Returns the tables of a database, and refuses what would run when somebody reads a row.
  ///
  /// - Returns: the tables; `nil` if it is no database.
  private func readTables(_ content: inout FileContent) throws -> Set<String>? {
    guard try LocalFile.beginning(of: path, count: Self.magic.count) == Self.magic else { return nil }
    let connection = try Connection(path: path, options: .init(access: .immutable))
    try connection.execute(script: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    let statement = try connection.prepare("SELECT type, name, sql FROM sqlite_master LIMIT 10000")
    var tables: Set<String> = []
    while try statement.step() {
      let (type, name, sql) = (statement.text(0), statement.text(1), statement.text(2))
      if type == "view" || sql.uppercased().hasPrefix("CREATE VIRTUAL") {
        throw ContentProblem(
          "it holds a \(type), “\(name.prefix(64))”, that would run if it were read, so it is not")
      }
      if type == "table" { tables.insert(name) }
    }
    let computed = try connection.prepare(
      """
      SELECT m.name, c.name FROM sqlite_master m, pragma_table_xinfo(m.name) c \
      WHERE m.type = 'table' AND c.hidden IN (2, 3) LIMIT 1
      """)
    if try computed.step() {
      throw ContentProblem(
        "its column “\(computed.text(0).prefix(64)).\(computed.text(1).prefix(64))” would be computed if it were read, so it is not"
      )
    }
    content.facts.append(.init("tables", .init(tables.count)))
    content.facts.append(.init("synchronised", .flag(tables.contains("TICDS_STATE"))))
    return tables
  }

  private static func value(_ object: StoredObject, _ entity: EntityDescription) -> FileContent.Value {
    var facts: [FileContent.Fact] = []
    for (index, property) in entity.properties.enumerated() {
      guard case .attribute(let attribute) = property, index < object.attributes.count,
        !object.attributes[index].isNull
      else { continue }
      facts.append(.init(attribute.name, value(object.attributes[index])))
    }
    return .group(facts)
  }

  private static func value(_ value: AttributeValue) -> FileContent.Value {
    switch value {
    case .integer(let number): return .number(number)
    case .boolean(let flag): return .flag(flag)
    case .string(let text): return .text(text)
    case .data(let bytes):
      guard let archive = try? KeyedArchive(bytes), let object = try? archive.decode(allowing: .any) else {
        return .text("\(bytes.count) bytes")
      }
      return PropertyListFacts().value(object)
    default: return .text("\(value)")
    }
  }
}

/// Why a file is not read any further.
struct ContentProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
