import Foundation
import TICDSSQLite

/// Opens a store file: makes it if there is none, or checks that it fits the model.
struct StoreOpening {
  struct Result {
    let schema: StoreSchema
    let metadata: StoreMetadata
  }

  let model: ManagedObjectModel
  let path: String
  let options: PersistentStore.Options
  /// The name of the database if it is in memory.
  var memoryName: String?

  func run() throws -> Result {
    let exists = memoryName == nil && Self.size(of: path) > 0
    if !exists, options.access != .create { throw StoreError(.missing, path: path) }
    let connection = try connect()
    try migrate(connection)
    if let result = try load(connection) { return result }
    // An SQLite file with tables of somebody else's is not taken over.
    guard options.access == .create else { throw StoreError(.notAStore, path: path) }
    return try connection.transaction {
      // Another process may have made the store in the meantime.
      if let result = try load(connection) { return result }
      var assembly = SchemaAssembly(model: model, oneWay: options.oneWayLayout)
      let schema = assembly.assemble(path: memoryName == nil ? path : nil)
      let metadata = try StoreMetadata(model: model, uuid: options.newUUID().uuidString, path: path)
      let creation = StoreCreation(schema: schema)
      try creation.run(on: connection, metadata: metadata)
      let triggered = try creation.addTriggers(to: connection)
      try EmbeddedModel.write(model, to: connection)
      return Result(schema: schema.with(triggered: triggered), metadata: metadata)
    }
  }

  /// A connection with the settings that all users of a store share.
  func connect() throws -> Connection {
    guard let memoryName else { return try Self.connect(path: path, options: options) }
    let connection = try Connection(
      path: memoryName, options: .init(access: .sharedMemory, busyTimeout: options.busyTimeout))
    try TriggerFunctions.add(to: connection)
    return connection
  }

  /// A connection to a store whose model need not be known yet.
  ///
  /// - Parameter isTolerant: Whether SQLite goes on with what it understands of a schema, and of a file that was cut off.
  static func connect(
    path: String, options: PersistentStore.Options, isTolerant: Bool = false
  ) throws -> Connection {
    let access: Connection.Options.Access =
      switch options.access {
      case .readOnly: readOnlyAccess(path)
      case .readWrite: .readWrite
      case .create: .create
      }
    let connection = try Connection(
      path: path, options: .init(access: access, busyTimeout: options.busyTimeout))
    try TriggerFunctions.add(to: connection)
    if options.access == .readOnly {
      try connection.execute(script: "PRAGMA query_only = ON")
      // Before anything is read: without it SQLite opens no file that is shorter than its header says.
      if isTolerant { try connection.execute(script: "PRAGMA writable_schema = ON") }
      if access == .readOnly { try refuseUnfinished(connection, isTolerant: isTolerant) }
    } else {
      if Self.size(of: path) == 0 { try connection.execute(script: "PRAGMA auto_vacuum = INCREMENTAL") }
      let journal = options.keepsJournalMode ? "" : "PRAGMA journal_mode = WAL; "
      try connection.execute(
        script: "\(journal)PRAGMA synchronous = \(options.synchronization.rawValue)")
    }
    return connection
  }

  /// A file with a write-ahead log that has none beside it is complete in itself. With one, the index that SQLite would make or change is
  /// needed only to agree with those who have the store open; if there is nobody, memory does as well.
  ///
  /// A file with rollback journals others may be writing at any time; reading it with locks makes no file, unless a log lies beside it, of
  /// which SQLite would make an index. A journal may take back what a
  /// program has left half done: SQLite finds out whether it does.
  private static func readOnlyAccess(_ path: String) -> Connection.Options.Access {
    if isJournal(path + "-journal") { return .readOnly }
    let hasLog = FileManager.default.fileExists(atPath: path + "-wal")
    if !hasLog, !hasLogMode(path) { return isObstructed(path + "-journal") ? .immutable : .readOnly }
    if size(of: path + "-wal") == 0, hasLogMode(path) { return .immutable }
    return FileLocks.mayBeLocked(path + "-shm") ? .readOnly : .immutableWithLog
  }

  /// What a rollback journal begins with; one that is done with has zeros there.
  private static let journalMagic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  private static func isJournal(_ path: String) -> Bool {
    guard !isObstructed(path), let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: journalMagic.count)).map { Array($0) == journalMagic } ?? false
  }

  /// Whether something else than a file lies at a path: SQLite would wait for a pipe without end.
  private static func isObstructed(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Whether the file says that it is written with a write-ahead log (<https://www.sqlite.org/fileformat2.html>, 1.3.3).
  private static func hasLogMode(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return true }
    defer { try? file.close() }
    let header = (try? file.read(upToCount: 20)).map(Array.init) ?? []
    return header.count == 20 && header[19] == 2
  }

  /// Refuses a file of which a program has left a change half done: to take that back is to write.
  private static func refuseUnfinished(_ connection: Connection, isTolerant: Bool) throws {
    do { _ = try connection.first("SELECT count(*) FROM sqlite_master") } catch {
      guard error.extendedCode == readOnlyRollback else {
        // Who reads what can be read finds the damage anew, piece by piece.
        if isTolerant, error.isDamage { return }
        throw error
      }
      throw StoreError(.unfinishedChange, path: connection.path)
    }
  }

  /// SQLITE_READONLY_ROLLBACK (<https://www.sqlite.org/rescode.html>).
  private static let readOnlyRollback: Int32 = 776

  /// Reads the layout of an existing store; `nil` if the file has no tables at all.
  private func load(_ connection: Connection) throws -> Result? {
    if try connection.first("SELECT count(*) FROM sqlite_master") == .integer(0) { return nil }
    let metadata = try StoreMetadata.read(connection)
    let differences = options.checksVersionHashes ? metadata.differences(from: model) : []
    if !differences.isEmpty { throw StoreError(.modelMismatch(differences), path: path) }

    return Result(
      schema: try Self.layout(of: model, connection, path: memoryName == nil ? path : nil), metadata: metadata
    )
  }

  /// Brings a store of an earlier version up to the model, if that was asked for.
  private func migrate(_ connection: Connection) throws {
    guard let migration = options.migration, options.access != .readOnly, options.checksVersionHashes,
      try connection.first("SELECT count(*) FROM sqlite_master") != .integer(0)
    else { return }
    if memoryName != nil { return }
    if try StoreMetadata.read(connection).differences(from: model).isEmpty { return }
    try StoreMigration(migration: migration, model: model, path: path).run(on: connection)
  }

  /// Finds where the tables of a store keep what a model describes.
  ///
  /// - Throws: ``StoreError`` with `modelMismatch` if something is missing.
  static func layout(
    of model: ManagedObjectModel, _ connection: Connection, path: String?
  ) throws -> StoreSchema {
    var numbers: [String: Int64] = [:]
    let entities = try connection.prepare("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
    while try entities.step() { numbers[entities.text(0)] = entities.int64(1) }
    var columns: [String: Set<String>] = [:]
    let listing = try connection.prepare(
      """
      SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND substr(t.name, 1, 1) = 'Z'
      """)
    while try listing.step() { columns[listing.text(0), default: []].insert(listing.text(1)) }

    var assembly = SchemaAssembly(model: model, numbers: numbers, existing: columns)
    let assembled = assembly.assemble(path: path)
    let schema = assembled.with(triggered: try triggered(assembled, connection))
    let missing = Self.missing(from: schema, numbers: numbers, columns: columns)
    if !missing.isEmpty {
      throw StoreError(.modelMismatch(missing), path: path ?? PersistentStore.memoryPath)
    }
    return schema
  }

  /// The derived attributes that have all their triggers in a store.
  private static func triggered(
    _ schema: StoreSchema, _ connection: Connection
  ) throws -> Set<StoreNames.Property> {
    guard schema.model.hasDerivedAttributes else { return [] }
    var present: Set<String> = []
    let listing = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    while try listing.step() { present.insert(listing.text(0)) }
    return Set(
      DerivationTriggers(schema: schema).all().filter { $0.triggers.allSatisfy { present.contains($0.name) } }
        .map(\.property))
  }

  /// One line for each entity or property that the model has and the tables have not.
  private static func missing(
    from schema: StoreSchema, numbers: [String: Int64], columns: [String: Set<String>]
  ) -> [String] {
    var lines: [String] = []
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      let former = numbers.first { $0.value == table.number }?.key
      if numbers[entity.name] == nil, former.map({ schema.model.entity(named: $0) != nil }) ?? true {
        lines.append("\(entity.name): has no number in the store")
      }
      guard let present = columns[table.name] else {
        lines.append("\(entity.name): its table \(table.name) is missing")
        continue
      }
      for (property, storage) in zip(entity.properties, table.storage) {
        let needed: [String]
        switch storage {
        case .attribute(let column, _): needed = [column]
        case .toOne(let toOne): needed = [toOne.key, toOne.entity, toOne.order].compactMap { $0 }
        case .join(let side):
          let join = side.table
          let wanted = [join.sourceColumn, join.targetColumn, join.sourceOrder, join.targetOrder].compactMap {
            $0
          }
          for column in wanted where columns[join.name]?.contains(column) != true {
            lines.append("\(entity.name).\(property.name): its column \(join.name).\(column) is missing")
          }
          continue
        case .memory, .inverse: continue
        }
        for column in needed where !present.contains(column) {
          lines.append("\(entity.name).\(property.name): its column \(table.name).\(column) is missing")
        }
      }
    }
    return lines
  }

  private static func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? Int) ?? 0
  }
}
