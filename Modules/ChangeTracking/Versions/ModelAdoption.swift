import SQLite

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

  /// Whether the names are those of a model.
  static func isDone(_ connection: Connection, _ schema: SyncSchema) throws -> Bool {
    try StateTable(connection).value(.names) == .blob(schema.namesChecksum)
  }

  func run() throws {
    if try Self.isDone(connection, schema) { return }
    let state = StateTable(connection)
    let isFirst = try state.value(.names) == nil
    let journal = try MigrationJournal(connection)
    let names = try NameTable(connection: connection)
    if !isFirst { try MigratedRows(connection, names).move(journal) }
    let lineage = try NameLineage(names, connection, journal)
    let entities = try EntityAdoption(names, lineage, schema).run()
    try FamilyMoves(connection, names).run(entities)
    try PropertyAdoption(connection, names, lineage, schema, entities).run()
    try journal.remove(connection)
    if !isFirst { try forgetPositions() }
    try state.set(.names, .blob(schema.namesChecksum))
  }

  /// Rows may have other keys, and names stand for other entities: rows without a sync ID are looked for anew.
  private func forgetPositions() throws {
    try connection.run(
      "DELETE FROM TICDS_STATE WHERE name LIKE 'adopted.unidentified.%' OR name LIKE 'adopted.unknown.%'")
  }
}

extension SyncSchema {
  /// Tells whether two schemas give the same names, in the same order, to the same things.
  var namesChecksum: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ names: [String]) {
      bytes.appendVarint(UInt64(names.count)); names.forEach { bytes.appendText($0) }
    }
    for entity in entities {
      append([entity.name, entity.root])
      append(formerNames[entity.name] ?? [])
      append(formerNames[entity.root] ?? [])
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

/// Finds the numbers of the local model's entities.
struct EntityAdoption {
  /// An entity of the local model, or the root of one.
  struct Adopted {
    var number: EntityNumber
    /// The root that the bookkeeping has for it, and the one that the model has.
    var formerRoot: EntityNumber
    var root: EntityNumber
  }

  private let names: NameTable
  private let lineage: NameLineage
  private let schema: SyncSchema

  init(_ names: NameTable, _ lineage: NameLineage, _ schema: SyncSchema) {
    self.names = names
    self.lineage = lineage
    self.schema = schema
  }

  /// - Returns: all entities, by their names in the model.
  func run() throws -> [String: Adopted] {
    let roots = Set(schema.entities.map(\.root))
    let destinations = Set(
      schema.entities.flatMap(\.properties).compactMap { $0.kind.wireKind.stored.destination })
    let paths = Set(schema.entities.map(\.name)).union(roots).union(destinations).sorted().map {
      NamePath($0, schema.formerNames[$0] ?? [])
    }
    var numbers: [String: EntityNumber] = [:]
    var taken: Set<EntityNumber> = []
    // Those that say what they were called come first, so that another may take over a name that has become free.
    for path in paths.filter({ !$0.formerNames.isEmpty }) + paths.filter({ $0.formerNames.isEmpty }) {
      let number = try number(of: path, taken)
      numbers[path.name] = number
      taken.insert(number)
    }
    var adopted: [String: Adopted] = [:]
    for (name, number) in numbers {
      let former = names[number].root
      let root = schema.entities.first { $0.name == name }.flatMap { numbers[$0.root] } ?? number
      adopted[name] = Adopted(number: number, formerRoot: former, root: root)
    }
    return adopted
  }

  private func number(of declared: NamePath, _ taken: Set<EntityNumber>) throws -> EntityNumber {
    if let known = lineage.entity(declared, taken: taken) {
      try names.setPath(known.path.joined(with: declared), of: known.number)
      return known.number
    }
    let space = KnownPaths.Space.entities
    guard
      let found = try names.paths.number(
        of: declared.allPaths, in: space,
        {
          !taken.contains(EntityNumber(rawValue: $0))
        })
    else { return try names.add(declared, below: nil) }
    try names.setPath(
      declared.completed(by: names.paths.paths(of: found, in: space)), of: EntityNumber(rawValue: found))
    return EntityNumber(rawValue: found)
  }
}

/// Finds the bits of the local model's properties, once all entities are below their roots.
struct PropertyAdoption {
  private let connection: Connection
  private let names: NameTable
  private let lineage: NameLineage
  private let schema: SyncSchema
  private let entities: [String: EntityAdoption.Adopted]

  init(
    _ connection: Connection, _ names: NameTable, _ lineage: NameLineage, _ schema: SyncSchema,
    _ entities: [String: EntityAdoption.Adopted]
  ) {
    self.connection = connection
    self.names = names
    self.lineage = lineage
    self.schema = schema
    self.entities = entities
  }

  func run() throws {
    var noted: [LocalNames.Property] = []
    try connection.run("UPDATE TICDS_ENTITY SET local = NULL")
    let bitsBefore = Dictionary(grouping: names.entities, by: \.root).mapValues {
      $0.map(\.properties.count).max() ?? 0
    }
    for (position, entity) in schema.entities.enumerated() {
      guard let adopted = entities[entity.name] else { continue }
      try connection.run(
        "UPDATE TICDS_ENTITY SET local = ? WHERE id = ?", .integer(Int64(position)),
        .integer(Int64(adopted.number.rawValue)))
      let bits = try bits(of: entity, adopted)
      for (index, (property, known)) in zip(entity.properties, bits).enumerated() {
        guard known.bit.rawValue < NameTable.propertyLimit else {
          throw ReplicaError.modelTooLarge(
            entity: entity.name, "More than \(NameTable.propertyLimit) properties share one topmost parent.")
        }
        noted.append(
          LocalNames.Property(
            entity: adopted.number, position: LocalProperty(rawValue: index), bit: known.bit, path: known.path
          ))
        // Nothing was written to it yet, so there is nothing to prepare.
        if property.merge.isFolded, known.bit.rawValue >= bitsBefore[adopted.root] ?? 0 {
          try connection.run(
            "INSERT OR REPLACE INTO TICDS_MERGE VALUES (?, ?, ?)", .integer(Int64(adopted.number.rawValue)),
            .integer(Int64(known.bit.rawValue)), .text(property.merge.text))
        }
      }
    }
    try LocalNames(connection).replace(by: noted)
  }

  private func bits(of entity: SyncSchema.Entity, _ adopted: EntityAdoption.Adopted) throws
    -> [NameLineage.Property]
  {
    let former = lineage.entities.values.first { $0.number == adopted.number }
    var found: [Int: NameLineage.Property] = [:]
    var taken: Set<PropertyBit> = []
    func take(_ position: Int, _ property: NameLineage.Property) throws {
      found[position] = property
      taken.insert(property.bit)
      let kind = entity.properties[position].kind.wireKind.stored.code
      let space = KnownPaths.Space.properties(root: adopted.root, kind: kind)
      try names.paths.insert(property.path, property.bit.rawValue, in: space)
      try names.paths.insert(entity.properties[position].path, property.bit.rawValue, in: space)
    }
    let order = entity.properties.indices.sorted {
      !entity.properties[$0].formerNames.isEmpty && entity.properties[$1].formerNames.isEmpty
    }
    for position in order {
      let property = entity.properties[position]
      let kind = property.kind.wireKind.stored.code
      guard let former,
        let known = lineage.property(property.path, kind: kind, of: former),
        let bit = try present(known, kind, adopted), !taken.contains(bit)
      else { continue }
      try take(
        position, NameLineage.Property(bit: bit, path: known.path.joined(with: property.path)))
    }
    for position in order where found[position] == nil {
      try take(position, try resolved(entity.properties[position], adopted, taken))
    }
    return try entity.properties.indices.map { position in
      guard let property = found[position] else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A property of \(entity.name) has no number.")
      }
      return property
    }
  }

  /// The bit that a property has below the root that its entity has now.
  private func present(_ known: NameLineage.Property, _ kind: Int64, _ adopted: EntityAdoption.Adopted) throws
    -> PropertyBit?
  {
    if adopted.formerRoot == adopted.root { return known.bit }
    return try known.path.allPaths.lazy.compactMap {
      try names.paths.number(of: $0, in: .properties(root: adopted.root, kind: kind))
    }.first.map(PropertyBit.init(rawValue:))
  }

  private func resolved(
    _ property: SyncSchema.Property, _ adopted: EntityAdoption.Adopted, _ taken: Set<PropertyBit>
  ) throws -> NameLineage.Property {
    let kind = property.kind.wireKind
    let declared = property.path
    let space = KnownPaths.Space.properties(root: adopted.root, kind: kind.stored.code)
    guard
      let found = try names.paths.number(
        of: declared.allPaths, in: space,
        {
          !taken.contains(PropertyBit(rawValue: $0))
        })
    else {
      let destination = kind.stored.destination.flatMap { entities[$0]?.number }
      let bit = try names.add(declared, kind, below: adopted.root, destination: destination)
      return NameLineage.Property(bit: bit, path: declared)
    }
    let path = try declared.completed(by: names.paths.paths(of: found, in: space))
    return NameLineage.Property(bit: PropertyBit(rawValue: found), path: path)
  }
}

extension SyncSchema.Property {
  /// What the model says of its names.
  var path: NamePath { NamePath(name, formerNames) }
}
