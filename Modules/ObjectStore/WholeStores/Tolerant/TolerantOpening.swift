import CoreDataFormats
import TICDSSQLite

/// Finds out what a damaged store is, each part by itself, and notes what cannot be told.
final class TolerantOpening {
  let connection: Connection
  let list = OmissionList()

  init(connection: Connection) { self.connection = connection }

  /// Tries something; `nil` where damage prevents it.
  private func attempt<Result>(
    _ place: String, _ reason: String, _ body: (Connection) throws -> Result
  ) throws -> Result? {
    do {
      return try body(connection)
    } catch let error as SQLiteError {
      guard error.isDamage else { throw error }
      list.note(place, "\(reason): \(error.message)")
    } catch let error as CancellationError {
      throw error
    } catch {
      list.note(place, "\(reason): \(error)")
    }
    return nil
  }

  /// SQLite's own findings: what is wrong with an index is told by nothing else.
  func checkFile() throws {
    var lines: [Substring] = []
    _ = try attempt("the file", "cannot be checked") { connection in
      let check = try connection.prepare("PRAGMA integrity_check(100)")
      while try check.step() { lines += check.text(0).split(separator: "\n") }
    }
    for line in lines.prefix(200) where line != "ok" { list.note("the file", String(line)) }
  }

  func metadata() throws -> (uuid: String, entries: [String: ArchivedObject]) {
    let row = try attempt("Z_METADATA", "cannot be read") { connection -> (String, [UInt8]) in
      let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
      guard try statement.step() else {
        list.note("Z_METADATA", "it has no row")
        return ("", [])
      }
      return (statement.text(0), statement.blob(1))
    }
    let entries = try attempt("Z_METADATA", "its property list cannot be read") { _ in
      try StoreFile.metadata(row?.1 ?? [])
    }
    return (row?.0 ?? "", entries ?? [:])
  }

  func model(
    named: ManagedObjectModel?, path: String
  ) throws -> (ManagedObjectModel, StoreFile.ModelOrigin) {
    if let named { return (named, .named) }
    let embedded = try attempt("the model in the file", "cannot be read") { connection in
      try EmbeddedModel.read(connection).map {
        (try ManagedObjectModel(modelFile: $0), EmbeddedModel.isDerived($0))
      }
    }
    if let (model, isDerived) = embedded ?? nil { return (model, isDerived ? .derived : .embedded) }
    let cache = try attempt("the model cache", "cannot be read") { connection in
      try EmbeddedModel.readCache(connection).map { try ManagedObjectModel(modelCache: $0) }
    }
    if let model = cache ?? nil { return (model, .cache) }
    if let model = try attempt("the tables", "no model can be derived", { try TableModel.model(of: $0) }),
      !model.entities.isEmpty
    {
      return (model, .derived)
    }
    throw StoreFileError(
      .unreadable, path: path, "it keeps no model that can be read, and none can be derived from its tables",
      underlying: StoreError(.damagedMetadata("no model"), path: path))
  }

  /// Notes where a model is not the very one that the store was made for.
  func compare(_ model: ManagedObjectModel, with metadata: [String: ArchivedObject]) {
    let recorded = BinaryStore(nodes: [], metadata: metadata).versionHashes
    guard !recorded.isEmpty else { return }
    for line in StoreFile.differences(between: recorded, and: model) { list.note("the model", line) }
  }

  /// The tables of the file, each by itself: one of which SQLite knows nothing must not hide the others.
  func tables() throws -> [String: TolerantTable] {
    var names: [String] = []
    _ = try attempt("the schema", "cannot be read to its end") { connection in
      let listing = try connection.prepare(
        """
        SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
        AND name NOT LIKE 'TICDS\\_%' ESCAPE '\\'
        """)
      while try listing.step() { names.append(listing.text(0)) }
    }
    var tables: [String: TolerantTable] = [:]
    for name in names {
      tables[name] = try attempt(name, "its columns cannot be read") { try TolerantTable(name, $0) }
    }
    return tables
  }

  func schema(of model: ManagedObjectModel, _ tables: [String: TolerantTable]) throws -> PresentSchema {
    var numbers: [String: Int64] = [:]
    _ = try attempt("Z_PRIMARYKEY", "entities have the numbers that follow from the model") { connection in
      var read: [String: Int64] = [:]
      let entities = try connection.prepare("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
      while try entities.step() { read[entities.text(0)] = entities.int64(1) }
      numbers = read
    }
    let listed = Set(numbers.values)
    for entity in model.entities
    where numbers[entity.name] == nil && !listed.contains(Int64(entity.index + 1)) {
      list.note(entity.name, "the store does not list it")
    }
    let columns = tables.mapValues(\.columns)
    var assembly = SchemaAssembly(model: model, numbers: numbers, existing: columns)
    let whole = assembly.assemble(path: connection.path)
    try noteUnexplained(tables, whole.knownColumns())
    return PresentSchema(whole, columns: columns) { list.note($0, $1) }
  }

  /// Notes the tables and columns with contents of which the model knows nothing.
  private func noteUnexplained(
    _ tables: [String: TolerantTable], _ known: [String: Set<String>]
  ) throws {
    for (name, table) in tables.sorted(by: { $0.key < $1.key })
    where !UnreadContents.own.contains(name) && !HistoryTables.names.contains(name) {
      let unknown = known[name].map { table.columns.subtracting($0).sorted() }
      if unknown == [] { continue }
      let lookUp = try unknown.map { columns in
        try columns.map { column in
          try attempt("\(name).\(column)", "cannot be read, and the model does not explain it") {
            try table.lookUp([column], $0)
          }
        }
      }
      try table.scan([], connection).run { finding in
        list.note(finding, in: name)
      } decode: { _ in
      } _: { rowID, _ in
        guard let unknown, let lookUp else {
          return list.note(name, "rows of a table that the model does not explain", count: 1)
        }
        for (column, statement) in zip(unknown, lookUp) {
          let isUsed = try? isUsed(statement, rowID)
          if isUsed == false { continue }
          list.note(
            "\(name).\(column)",
            isUsed == nil ? "damaged values" : "values of a column that the model does not explain", count: 1)
        }
      }
    }
  }

  private func isUsed(_ statement: Statement?, _ rowID: Int64) throws -> Bool {
    guard let statement else { return false }
    defer { statement.reset() }
    try statement.bind(rowID, at: 1)
    return try statement.step() && !statement.isNull(1)
  }
}
