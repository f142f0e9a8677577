import Foundation
import TICDSSQLite

/// Checks what an SQLite store says about itself: its metadata, the names of its entities, its indexes, and the triggers of derived attributes.
struct BookkeepingVerification {
  let schema: StoreSchema
  let connection: Connection

  func run(_ report: (StoreFinding) throws -> Void) throws {
    try checkMetadata(report)
    try checkNames(report)
    try checkHistory(report)
    try checkIndexes(report)
    try checkTriggers(report)
  }

  /// Core Data reads one row. With several it is chance which one it takes.
  private func checkMetadata(_ report: (StoreFinding) throws -> Void) throws {
    let rows = try connection.prepare("SELECT count(*), total(Z_VERSION IS 1) FROM Z_METADATA")
    guard try rows.step() else { return }
    let count = rows.int64(0)
    if count > 1 {
      try report(
        StoreFinding(
          .error, .metadata,
          "Z_METADATA has \(count) rows in place of one, so that which of them counts is left to chance"))
    } else if rows.double(1) == 0 {
      try report(
        StoreFinding(.error, .metadata, "the row of Z_METADATA has another version (Z_VERSION) than 1"))
    }
  }

  /// A store may list an entity under the name that it had before it was renamed, but not under that of another.
  private func checkNames(_ report: (StoreFinding) throws -> Void) throws {
    let listed = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var numbers: [String: Int64] = [:]
    while try listed.step() {
      let (number, name) = (listed.int64(0), listed.text(1))
      if let first = numbers.updateValue(number, forKey: name) {
        try report(
          StoreFinding(.error, .entityName, "entities \(first) and \(number) are both listed as \(name)"))
      }
      guard let entity = schema.entity(numbered: number) else {
        if number < HistoryTables.firstNumber {
          try report(
            StoreFinding(
              .hint, .entityName, "the store lists an entity \(name), which the model does not have"))
        }
        continue
      }
      if entity.name == name { continue }
      try report(
        StoreFinding(
          .hint, .entityName,
          name.isEmpty
            ? "\(entity.name) is listed without a name"
            : "\(entity.name) is listed as \(name), as if it had been called so before"))
    }
  }

  /// Keys of the history of changes, which are counted as those of objects are.
  private func checkHistory(_ report: (StoreFinding) throws -> Void) throws {
    for table in HistoryTables.names.sorted() {
      guard
        try connection.first(
          "SELECT count(*) FROM pragma_table_info(?) WHERE name IN ('Z_PK', 'Z_ENT')", .text(table))
          == .integer(2),
        case .integer(let count)? = try connection.first(
          """
          SELECT count(*) FROM \(table) h JOIN Z_PRIMARYKEY k ON k.Z_ENT = h.Z_ENT \
          WHERE h.Z_PK > ifnull(k.Z_MAX, 0)
          """), count > 0
      else { continue }
      try report(
        StoreFinding(
          .error, .keyCounter, "\(table): \(count) keys are in use that will be handed out once more"))
    }
  }

  /// Indexes that a new store of the model would have, found by what they index: names differ between versions of Core Data.
  private func checkIndexes(_ report: (StoreFinding) throws -> Void) throws {
    let model = try Connection(path: ":memory:", options: .init(access: .create))
    let creation = StoreCreation(schema: schema)
    for statement in creation.tableStatements() + creation.indexStatements()
      + creation.constraintStatements(ifMissing: true)
    {
      try model.run(statement)
    }
    for table in Set(schema.tables.map(\.name) + schema.joins.map(\.name)).sorted() {
      let present = try indexes(of: table, connection)
      for index in try indexes(of: table, model) where !index.isKey && !present.contains(where: index.isDone)
      {
        let columns = index.columns.joined(separator: ", ")
        try report(
          index.isUnique
            ? StoreFinding(
              .error, .missingIndex,
              "\(table) has no unique index of \(columns), so that equal values can be saved")
            : StoreFinding(
              .hint, .missingIndex, "\(table) has no index of \(columns): reading it takes longer"))
      }
    }
  }

  private struct Index {
    let isUnique: Bool
    /// Whether it is that of a primary key, the columns of which old versions of Core Data named in another order.
    let isKey: Bool
    let columns: [String]

    /// Whether another index does the work of this one.
    func isDone(by other: Index) -> Bool {
      isUnique
        ? other.isUnique && Set(other.columns).isSubset(of: columns) : other.columns.starts(with: columns)
    }
  }

  /// Those of all rows: one of some rows does not do the work of another.
  private func indexes(of table: String, _ connection: Connection) throws -> [Index] {
    let list = try connection.prepare(
      "SELECT name, \"unique\", origin FROM pragma_index_list(?) WHERE NOT partial ORDER BY name")
    try list.bind(table, at: 1)
    var indexes: [Index] = []
    while try list.step() {
      let rows = try connection.prepare(
        "SELECT ifnull(name, '') FROM pragma_index_xinfo(?) WHERE \"key\" = 1 ORDER BY seqno")
      try rows.bind(list.text(0), at: 1)
      var columns: [String] = []
      while try rows.step() { columns.append(rows.text(0)) }
      indexes.append(Index(isUnique: list.int64(1) != 0, isKey: list.text(2) == "pk", columns: columns))
    }
    return indexes
  }

  /// Derived attributes of which some triggers are there and others not. Where all are missing, an older framework made the store, or one that
  /// computes them itself.
  private func checkTriggers(_ report: (StoreFinding) throws -> Void) throws {
    guard schema.model.hasDerivedAttributes else { return }
    let listing = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    var present: Set<String> = []
    while try listing.step() { present.insert(listing.text(0)) }
    for (property, triggers) in DerivationTriggers(schema: schema).all() {
      let missing = triggers.map(\.name).filter { !present.contains($0) }
      if missing.isEmpty { continue }
      let entity = schema.model.entities[property.entity].name
      let number = missing.count == triggers.count ? "all" : "\(missing.count)"
      try report(
        StoreFinding(
          missing.count == triggers.count ? .hint : .error, .missingTrigger,
          property: "\(entity).\(property.name)",
          "\(number) of the \(triggers.count) triggers that keep it right are missing: "
            + missing.joined(separator: ", ")))
    }
  }
}
