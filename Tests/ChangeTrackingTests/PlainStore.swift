import Foundation
import ObjectStore
import SQLite

@testable import ChangeTracking

/// A local store over plain tables, as an application with a database of its own would have it.
///
/// `person(id, syncid, name, age, boss → person, partner → person (one-to-one), score (counter), best (greatest), start and
/// end (a group))`, `team(id, syncid, title)` and the join table `membership(team, person)`. The members of a team have an
/// order and so have the teams of a person, and those whose boss a person is.
final class PlainStore: LocalStore {
  let connection: Connection
  private(set) var announced: [ChangedRows] = []

  let schema = SyncSchema(
    entities: [
      SyncSchema.Entity(
        name: "Person", root: "Person",
        properties: [
          .init(name: "name", kind: .attribute, index: 0),
          .init(name: "age", kind: .attribute, index: 1),
          .init(
            name: "boss", kind: .toOne(destination: "Person", isExclusive: false), index: 2, order: .sources),
          .init(name: "partner", kind: .toOne(destination: "Person", isExclusive: true), index: 3),
          .init(name: "score", kind: .attribute, index: 4, merge: .counter),
          .init(name: "best", kind: .attribute, index: 5, merge: .greatest),
          .init(name: "start", kind: .attribute, index: 6, merge: .group("span")),
          .init(name: "end", kind: .attribute, index: 7, merge: .group("span")),
        ]),
      SyncSchema.Entity(
        name: "Team", root: "Team",
        properties: [
          .init(name: "title", kind: .attribute, index: 0),
          .init(
            name: "members", kind: .toMany(destination: "Person", isSymmetric: false), index: 1,
            order: [.targets, .sources]),
        ]),
    ], model: "plain")

  init(path: String = ":memory:") throws {
    connection = try Connection(path: path)
    try connection.execute(
      script: """
        CREATE TABLE IF NOT EXISTS person (
          id INTEGER PRIMARY KEY AUTOINCREMENT, syncid TEXT UNIQUE, name, age,
          boss INTEGER REFERENCES person, partner INTEGER UNIQUE REFERENCES person, score, best, start, "end",
          bossplace INTEGER);
        CREATE TABLE IF NOT EXISTS team (id INTEGER PRIMARY KEY AUTOINCREMENT, syncid TEXT UNIQUE, title);
        CREATE TABLE IF NOT EXISTS membership (
          team INTEGER REFERENCES team, person INTEGER REFERENCES person, memberplace INTEGER, teamplace INTEGER,
          PRIMARY KEY (team, person));
        PRAGMA foreign_keys = ON;
        """)
  }

  private static let tables = ["person", "team"]
  private func column(_ entity: Int, _ property: Int) -> String {
    "\"\(schema.entities[entity].properties[property].name)\""
  }

  private func stored(_ value: AttributeValue) throws -> SQLiteValue {
    switch value {
    case .null: .null
    case .integer(let value): .integer(value)
    case .string(let value): .text(value)
    default: throw Misuse("The tables have no column for \(value).")
    }
  }

  /// A call that the laws of a local store forbid, which a database would pass over.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Requires that the last statement met exactly one row.
  private func requireRow(_ row: Int64, of entity: Int) throws {
    guard connection.changes == 1 else {
      throw Misuse("\(Self.tables[entity]) has no row \(row).")
    }
  }

  private func require(_ entity: Int, _ property: Int, isOneOf names: String...) throws {
    let entity = schema.entities[entity]
    guard names.contains("\(entity.name).\(entity.properties[property].name)") else {
      throw Misuse("\(entity.name).\(entity.properties[property].name) is a property of another kind.")
    }
  }

  private func value(_ stored: SQLiteValue) -> AttributeValue {
    switch stored {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .double(value)
    case .text(let value): .string(value)
    case .blob(let value): .data(value)
    }
  }

  func canHold(_ value: AttributeValue, entity: Int, property: Int) -> Bool {
    switch value {
    case .null: true
    case .integer: entity == 0 && (property == 1 || property > 3)
    case .string: property == 0
    default: false
    }
  }

  func insertRow(entity: Int, syncID: SyncID, values: [PropertyValue]) throws -> Int64 {
    try connection.run("INSERT INTO \(Self.tables[entity]) (syncid) VALUES (?)", .text(syncID.string))
    let row = connection.lastInsertedRowID
    try updateRow(entity: entity, row: row, values: values)
    return row
  }

  func updateRow(entity: Int, row: Int64, values: [PropertyValue]) throws {
    for value in values {
      try connection.run(
        "UPDATE \(Self.tables[entity]) SET \(column(entity, value.property)) = ? WHERE id = ?",
        try stored(value.value),
        .integer(row))
      try requireRow(row, of: entity)
    }
  }

  func deleteRow(entity: Int, row: Int64) throws {
    if entity == 0 {
      try connection.run("UPDATE person SET boss = NULL WHERE boss = ?", .integer(row))
      try connection.run("UPDATE person SET partner = NULL WHERE partner = ?", .integer(row))
      try connection.run("DELETE FROM membership WHERE person = ?", .integer(row))
    } else {
      try connection.run("DELETE FROM membership WHERE team = ?", .integer(row))
    }
    try connection.run("DELETE FROM \(Self.tables[entity]) WHERE id = ?", .integer(row))
    try requireRow(row, of: entity)
  }

  func setTarget(entity: Int, row: Int64, property: Int, target: RowReference?) throws {
    try require(entity, property, isOneOf: "Person.boss", "Person.partner")
    try connection.run(
      "UPDATE person SET \(column(entity, property)) = ? WHERE id = ?",
      target.map { .integer($0.row) } ?? .null,
      .integer(row))
    try requireRow(row, of: entity)
  }

  func link(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    try require(entity, property, isOneOf: "Team.members")
    try connection.run(
      "INSERT OR IGNORE INTO membership (team, person) VALUES (?, ?)", .integer(row), .integer(target.row))
  }

  func unlink(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    try require(entity, property, isOneOf: "Team.members")
    try connection.run(
      "DELETE FROM membership WHERE team = ? AND person = ?", .integer(row), .integer(target.row))
  }

  func readRow(entity: Int, row: Int64, properties: [Int]) throws -> StoredRow? {
    let columns = properties.map { ", " + column(entity, $0) }.joined()
    let statement = try connection.prepare("SELECT syncid\(columns) FROM \(Self.tables[entity]) WHERE id = ?")
    try statement.bind(row, at: 1)
    guard try statement.step() else { return nil }
    let contents = properties.enumerated().map { index, property -> StoredContent in
      if case .attribute = schema.entities[entity].properties[property].kind {
        return .value(value(statement.value(index + 1)))
      }
      return .target(statement.optionalInt64(index + 1))
    }
    return StoredRow(syncID: statement.optionalText(0).map { SyncID($0) }, contents: contents)
  }

  func syncID(root: String, row: Int64) throws -> SyncID? {
    if case .text(let text)? = try connection.first(
      "SELECT syncid FROM \(root.lowercased()) WHERE id = ?", .integer(row))
    {
      return SyncID(text)
    }
    return nil
  }

  func sources(entity: Int, property: Int, target: Int64) throws -> [Int64] {
    try require(entity, property, isOneOf: "Person.boss", "Person.partner")
    let statement = try connection.prepare(
      "SELECT id FROM person WHERE \(column(entity, property)) = ? ORDER BY id")
    try statement.bind(target, at: 1)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(0)) }
    return rows
  }

  func lastRow(entity: Int, in connection: Connection) throws -> Int64 {
    guard case .integer(let row)? = try connection.first("SELECT max(id) FROM \(Self.tables[entity])") else {
      return 0
    }
    return row
  }

  func rows(entity: Int, after row: Int64, limit: Int, withoutSyncID: Bool) throws -> [Int64] {
    let condition = withoutSyncID ? " AND syncid IS NULL" : ""
    return try keys(
      "SELECT id FROM \(Self.tables[entity]) WHERE id > \(row)\(condition) ORDER BY id LIMIT \(limit)")
  }

  func row(entity: Int, syncID: SyncID) throws -> Int64? {
    try keys("SELECT id FROM \(Self.tables[entity]) WHERE syncid = '\(syncID.string)'").first
  }

  func setSyncID(_ syncID: SyncID, entity: Int, row: Int64) throws {
    try connection.run(
      "UPDATE \(Self.tables[entity]) SET syncid = ? WHERE id = ?", .text(syncID.string), .integer(row))
    try requireRow(row, of: entity)
  }

  /// A team is known by its title.
  func naturalKey(entity: Int, row: Int64) throws -> [AttributeValue] {
    guard entity == 1,
      case .value(let title)? = try readRow(entity: 1, row: row, properties: [0])?.contents.first
    else { return [] }
    return [title]
  }

  func targets(entity: Int, row: Int64, property: Int) throws -> [Int64] {
    try keys("SELECT person FROM membership WHERE team = \(row) ORDER BY person")
  }

  private func keys(_ sql: String) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.int64(0)) }
    return keys
  }

  /// Table, the columns of owner, member and place, and the entity of the members.
  private func columns(of list: OrderedList) -> (String, owner: String, member: String, place: String, Int) {
    if list.entity == 0 { return ("person", "boss", "id", "bossplace", 0) }
    return list.isInverse
      ? ("membership", "person", "team", "teamplace", 1) : ("membership", "team", "person", "memberplace", 0)
  }

  func members(of list: OrderedList) throws -> [RowReference] {
    let (table, owner, member, place, entity) = columns(of: list)
    return try keys(
      "SELECT \(member) FROM \(table) WHERE \(owner) = \(list.owner) ORDER BY \(place), \(member)"
    ).map { RowReference(entity: entity, row: $0) }
  }

  func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] {
    let (table, owner, member, place, _) = columns(of: list)
    for (index, row) in members.enumerated() {
      try connection.run(
        "UPDATE \(table) SET \(place) = ? WHERE \(owner) = ? AND \(member) = ?", .integer(Int64(index)),
        .integer(list.owner), .integer(row.row))
      guard connection.changes == 1 else {
        throw Misuse("\(row.row) is no member of \(list.owner) in \(table).")
      }
    }
    return members
  }

  func announce(_ changes: ChangedRows) { announced.append(changes) }

  /// Everything that the tables show, one line for each object, in the form of `ReferenceState`.
  func contents() throws -> [String] {
    var lines: [String] = []
    for entity in schema.entities.indices {
      let rows = try connection.prepare("SELECT id FROM \(Self.tables[entity])")
      while try rows.step() { lines.append(try line(entity, rows.int64(0))) }
    }
    return lines.sorted()
  }

  private func known(_ syncID: SyncID?, _ row: Int64) throws -> String {
    guard let syncID else { throw Misuse("Row \(row) is shown but has no sync ID.") }
    return syncID.string
  }

  private func line(_ entity: Int, _ row: Int64) throws -> String {
    let properties = schema.entities[entity].properties
    let stored = properties.indices.filter { if case .toMany = properties[$0].kind { false } else { true } }
    guard let contents = try readRow(entity: entity, row: row, properties: stored) else {
      throw Misuse("\(Self.tables[entity]) has no row \(row).")
    }
    var parts = ["\(schema.entities[entity].name) \(try known(contents.syncID, row))"]
    for (property, content) in zip(stored, contents.contents) {
      let name = properties[property].name
      switch content {
      case .value(let value): if !value.isNull { parts.append("\(name)=\(value)") }
      case .target(let target?):
        parts.append("\(name)→\(try known(syncID(root: "Person", row: target), target))")
      case .target(nil): break
      }
    }
    let lists =
      entity == 1
      ? [("members→", OrderedList(entity: 1, property: 1, isInverse: false, owner: row))]
      : [
        ("Person.boss←", OrderedList(entity: 0, property: 2, isInverse: true, owner: row)),
        ("Team.members←", OrderedList(entity: 1, property: 1, isInverse: true, owner: row)),
      ]
    for (name, list) in lists {
      let members = try members(of: list).map {
        try known(syncID(root: schema.entities[$0.entity].root, row: $0.row), $0.row)
      }
      if !members.isEmpty { parts.append("\(name)\(members)") }
    }
    return parts.joined(separator: " ")
  }
}
