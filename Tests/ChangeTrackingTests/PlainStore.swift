import Foundation
import ObjectStore
import TICDSSQLite
import Simulation

@testable import ChangeTracking

/// A local store over plain tables, as an application with a database of its own would have it.
///
/// `person(id, syncid, name, age, boss → person, partner → person (one-to-one), score (counter), best (greatest), start and
/// end (a group))`, `team(id, syncid, title)` and the join table `membership(team, person)`. The members of a team have an
/// order and so have the teams of a person, and those whose boss a person is.
final class PlainStore: LocalStore {
  let connection: Connection
  var database: SharedDatabase { SharedDatabase(connection) }
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
  static let person = LocalEntity(rawValue: 0)
  static let team = LocalEntity(rawValue: 1)

  private func table(_ entity: LocalEntity) -> String { Self.tables[entity.rawValue] }

  private func column(_ entity: LocalEntity, _ property: LocalProperty) -> String {
    "\"\(schema[entity][property].name)\""
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
  private func requireRow(_ row: RowReference) throws {
    guard connection.changes == 1 else {
      throw Misuse("\(table(row.entity)) has no row \(row.row.rawValue).")
    }
  }

  private func require(_ entity: LocalEntity, _ property: LocalProperty, isOneOf names: String...) throws {
    let name = "\(schema[entity].name).\(schema[entity][property].name)"
    guard names.contains(name) else { throw Misuse("\(name) is a property of another kind.") }
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

  func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    let (entity, property) = (entity.rawValue, property.rawValue)
    return switch value {
    case .null: true
    case .integer: entity == 0 && (property == 1 || property > 3)
    case .string: property == 0
    default: false
    }
  }

  func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber {
    try connection.run("INSERT INTO \(table(entity)) (syncid) VALUES (?)", .text(syncID.string))
    let row = RowNumber(rawValue: connection.lastInsertedRowID)
    try updateRow(RowReference(entity: entity, row: row), values: values)
    return row
  }

  func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    for value in values {
      try connection.run(
        "UPDATE \(table(row.entity)) SET \(column(row.entity, value.property)) = ? WHERE id = ?",
        try stored(value.value), .integer(row.row.rawValue))
      try requireRow(row)
    }
  }

  func deleteRow(_ row: RowReference) throws {
    let number = SQLiteValue.integer(row.row.rawValue)
    if row.entity == Self.person {
      try connection.run("UPDATE person SET boss = NULL WHERE boss = ?", number)
      try connection.run("UPDATE person SET partner = NULL WHERE partner = ?", number)
      try connection.run("DELETE FROM membership WHERE person = ?", number)
    } else {
      try connection.run("DELETE FROM membership WHERE team = ?", number)
    }
    try connection.run("DELETE FROM \(table(row.entity)) WHERE id = ?", number)
    try requireRow(row)
  }

  func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    try require(row.entity, property, isOneOf: "Person.boss", "Person.partner")
    try connection.run(
      "UPDATE person SET \(column(row.entity, property)) = ? WHERE id = ?",
      target.map { .integer($0.row.rawValue) } ?? .null, .integer(row.row.rawValue))
    try requireRow(row)
  }

  func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws {
    try require(row.entity, property, isOneOf: "Team.members")
    try connection.run(
      "INSERT OR IGNORE INTO membership (team, person) VALUES (?, ?)", .integer(row.row.rawValue),
      .integer(target.row.rawValue))
  }

  func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {
    try require(row.entity, property, isOneOf: "Team.members")
    try connection.run(
      "DELETE FROM membership WHERE team = ? AND person = ?", .integer(row.row.rawValue),
      .integer(target.row.rawValue))
  }

  func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    let columns = properties.map { ", " + column(row.entity, $0) }.joined()
    let statement = try connection.prepare("SELECT syncid\(columns) FROM \(table(row.entity)) WHERE id = ?")
    try statement.bind(row.row.rawValue, at: 1)
    guard try statement.step() else { return nil }
    let contents = properties.enumerated().map { index, property -> StoredContent in
      if case .attribute = schema[row.entity][property].kind {
        return .value(value(statement.value(index + 1)))
      }
      return .target(statement.optionalInt64(index + 1).map(RowNumber.init(rawValue:)))
    }
    return StoredRow(syncID: statement.optionalText(0).map { SyncID($0) }, contents: contents)
  }

  func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    guard let index = schema.entities.firstIndex(where: { $0.name == root }) else { return nil }
    let entity = LocalEntity(rawValue: index)
    guard let stored = try readRow(RowReference(entity: entity, row: row), []) else { return nil }
    return RowIdentity(entity: entity, syncID: stored.syncID)
  }

  func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws -> [RowNumber] {
    try require(entity, property, isOneOf: "Person.boss", "Person.partner")
    let statement = try connection.prepare(
      "SELECT id FROM person WHERE \(column(entity, property)) = ? ORDER BY id")
    try statement.bind(target.rawValue, at: 1)
    var rows: [RowNumber] = []
    while try statement.step() { rows.append(RowNumber(rawValue: statement.int64(0))) }
    return rows
  }

  func lastRow(_ entity: LocalEntity, in database: SharedDatabase) throws -> RowNumber {
    guard case .integer(let row)? = try database.connection.first("SELECT max(id) FROM \(table(entity))")
    else {
      return .none
    }
    return RowNumber(rawValue: row)
  }

  func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  {
    let condition = withoutSyncID ? " AND syncid IS NULL" : ""
    return try keys(
      "SELECT id FROM \(table(entity)) WHERE id > \(row.rawValue)\(condition) ORDER BY id LIMIT \(limit)")
  }

  func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? {
    let statement = try connection.prepare("SELECT id FROM \(table(entity)) WHERE syncid = ?")
    try statement.bind(syncID.string, at: 1)
    return try statement.step() ? RowNumber(rawValue: statement.int64(0)) : nil
  }

  func setSyncID(_ syncID: SyncID, of row: RowReference) throws {
    try connection.run(
      "UPDATE \(table(row.entity)) SET syncid = ? WHERE id = ?", .text(syncID.string),
      .integer(row.row.rawValue))
    try requireRow(row)
  }

  /// A team is known by its title.
  func naturalKey(of row: RowReference) throws -> [AttributeValue] {
    guard row.entity == Self.team,
      case .value(let title)? = try readRow(row, [LocalProperty(rawValue: 0)])?.contents.first
    else { return [] }
    return [title]
  }

  func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] {
    try keys("SELECT person FROM membership WHERE team = \(row.row.rawValue) ORDER BY person")
  }

  private func keys(_ sql: String) throws -> [RowNumber] {
    let statement = try connection.prepare(sql)
    var keys: [RowNumber] = []
    while try statement.step() { keys.append(RowNumber(rawValue: statement.int64(0))) }
    return keys
  }

  /// Table, the columns of owner, member and place, and the entity of the members.
  private func columns(of list: OrderedList) -> (
    String, owner: String, member: String, place: String, LocalEntity
  ) {
    if list.entity == Self.person { return ("person", "boss", "id", "bossplace", Self.person) }
    return list.isInverse
      ? ("membership", "person", "team", "teamplace", Self.team)
      : ("membership", "team", "person", "memberplace", Self.person)
  }

  func members(of list: OrderedList) throws -> [RowReference] {
    let (table, owner, member, place, entity) = columns(of: list)
    return try keys(
      "SELECT \(member) FROM \(table) WHERE \(owner) = \(list.owner.rawValue) ORDER BY \(place), \(member)"
    ).map { RowReference(entity: entity, row: $0) }
  }

  func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] {
    let (table, owner, member, place, _) = columns(of: list)
    for (index, row) in members.enumerated() {
      try connection.run(
        "UPDATE \(table) SET \(place) = ? WHERE \(owner) = ? AND \(member) = ?", .integer(Int64(index)),
        .integer(list.owner.rawValue), .integer(row.row.rawValue))
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
    for entity in [Self.person, Self.team] {
      let rows = try connection.prepare("SELECT id FROM \(table(entity))")
      while try rows.step() {
        lines.append(try line(RowReference(entity: entity, row: RowNumber(rawValue: rows.int64(0)))))
      }
    }
    return lines.sorted()
  }

  private func known(_ syncID: SyncID?, _ row: RowNumber) throws -> PlainID {
    guard let syncID else { throw Misuse("Row \(row.rawValue) is shown but has no sync ID.") }
    return PlainID(syncID)
  }

  private func line(_ row: RowReference) throws -> String {
    let properties = schema[row.entity].properties
    let stored = properties.indices.filter { if case .toMany = properties[$0].kind { false } else { true } }
    guard let contents = try readRow(row, stored.map(LocalProperty.init(rawValue:))) else {
      throw Misuse("\(table(row.entity)) has no row \(row.row.rawValue).")
    }
    var line = ContentLine(entity: schema[row.entity].name, id: try known(contents.syncID, row.row))
    for (property, content) in zip(stored, contents.contents) {
      let name = properties[property].name
      switch content {
      case .value(let value): line.add(name, value)
      case .target(let target?):
        line.add(name, target: try known(identity(of: target, below: "Person")?.syncID, target))
      case .target(nil): break
      case .unreadable: throw Misuse("\(name) of row \(row.row.rawValue) cannot be read.")
      }
    }
    let lists =
      row.entity == Self.team
      ? [("members", Self.list(Self.team, 1, isInverse: false, row.row))]
      : [
        ("←boss", Self.list(Self.person, 2, isInverse: true, row.row)),
        ("←members", Self.list(Self.team, 1, isInverse: true, row.row)),
      ]
    for (name, list) in lists {
      let members = try members(of: list).map {
        try known(identity(of: $0.row, below: schema[$0.entity].root)?.syncID, $0.row)
      }
      line.add(name, list: members)
    }
    return line.text
  }

  private static func list(_ entity: LocalEntity, _ property: Int, isInverse: Bool, _ owner: RowNumber)
    -> OrderedList
  {
    OrderedList(
      entity: entity, property: LocalProperty(rawValue: property), isInverse: isInverse, owner: owner)
  }
}
