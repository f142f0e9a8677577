import TICDSSQLite

/// Brings the names in the bookkeeping up to date with another version of the local model, once, before anything is recorded
/// or merged under it.
///
/// What was renamed keeps its number, and so its stamps and whatever is still to be sent; what got another topmost parent takes
/// its records along. What a migration did to rows its journal tells (``MigrationJournal``). In one transaction.
struct ModelAdoption {
  private let connection: Connection
  private let schema: SyncSchema

  init(_ connection: Connection, _ schema: SyncSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Whether the names are those of a model, and no migration has moved rows since: what a version has done to an entity the next may
  /// have taken back, but not to its rows.
  static func isDone(_ connection: Connection, _ schema: SyncSchema) throws -> Bool {
    try StateTable(connection).value(.names) == .blob(schema.namesChecksum)
      && MigrationJournal.isEmpty(in: connection)
  }

  func run() throws {
    if try Self.isDone(connection, schema) { return }
    let state = StateTable(connection)
    let isFirst = try state.value(.names) == nil
    let journal = try MigrationJournal(connection)
    let names = try NameTable(connection: connection)
    let frontiers = isFirst ? [:] : try MigratedRows(connection, names).move(journal)
    let lineage = try NameLineage(names, connection, journal)
    let entities = try EntityAdoption(names, lineage, schema).run()
    let moved = try FamilyMoves(connection, names).run(
      entities, roots: schema.roots, frontiers)
    let relationships = try PropertyAdoption(connection, names, lineage, schema, entities, moved: moved.bits)
      .run()
    if !isFirst {
      try TargetMoves(connection).run(relationships, areFamiliesSplit: moved.areFamiliesSplit)
      try MigratedLinks(state).note(relationships)
      try BlankValues.noteVersion(
        steps: journal.steps.count, areNumbersKept: entities.values.allSatisfy { $0.formerRoot == $0.root },
        in: state)
    }
    try journal.remove(connection)
    let adopted = try NameTable(connection: connection, schema: schema)
    try adopted.learn(all: true)
    if !isFirst { try adopted.noteContradictions() }
    // Rows may have other keys, and names stand for other entities.
    if !isFirst { try Adoption.restart(state) }
    try state.set(.names, .blob(schema.namesChecksum))
  }
}

extension SyncSchema {
  /// The roots of all entities, and of what relationships lead to, which may have no objects.
  fileprivate var roots: Set<String> {
    Set(entities.map(\.root)).union(entities.flatMap(\.properties).compactMap(\.kind.destination))
  }

  /// Differs unless two schemas give the same names, in the same order, to the same things.
  var namesChecksum: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ names: [String]) {
      bytes.appendVarint(UInt64(names.count)); names.forEach { bytes.appendText($0) }
    }
    for entity in entities {
      append([entity.name, entity.root, entity.keyScope ?? entity.root])
      append(formerNames[entity.name] ?? [])
      append(formerNames[entity.root] ?? [])
      append(formerNames[entity.keyScope ?? entity.root] ?? [])
      bytes.appendVarint(UInt64(entity.properties.count))
      for property in entity.properties {
        let (code, destination) = property.kind.wireKind.stored
        append([property.name, "\(code)", destination ?? ""])
        append(property.formerNames)
      }
    }
    return ContentHash(of: bytes).bytes
  }
}
