import ObjectStore
import SQLite

/// Keeps a replica's bookkeeping right when its store is brought up to a new version of the model.
///
/// ```swift
/// PersistentStore.Options(migration: .automatic.adding(ReplicaMigration()))
/// ```
/// What was renamed keeps its numbers, and so its stamps and whatever is still to be sent. Records of objects whose entity is gone
/// are kept without a row, as those of entities that only other devices know. Devices of the earlier version go on
/// to send the earlier names, which are then kept aside: bring all devices to the new version before you rename much.
public struct ReplicaMigration: MigrationParticipant {
  /// Makes a participant; it keeps nothing.
  public init() {}

  /// Renames, moves and forgets what the step renames, moves and removes.
  ///
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if changes that are still to be sent name rows that would be ambiguous.
  public func storeWillMigrate(_ mapping: ModelMapping, on connection: Connection) throws {
    guard
      try connection.first("SELECT count(*) FROM sqlite_schema WHERE name = 'TICDS_OBJECT'") == .integer(1)
    else { return }
    let names = try numbers(connection)
    for entity in mapping.source.entities {
      guard let number = names[entity.name] else { continue }
      if let mapped = mapping.entity(from: entity) {
        try shift(mapped, number, connection)
        try renameProperties(mapped, number, connection)
      } else {
        try connection.run("UPDATE TICDS_OBJECT SET row = NULL WHERE entity = ?", .integer(number))
      }
    }
    try shiftTargets(mapping, names, connection)
    try renameEntities(mapping, names, connection)
  }

  private func numbers(_ connection: Connection) throws -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    let statement = try connection.prepare("SELECT name, id FROM TICDS_ENTITY")
    while try statement.step() { numbers[statement.text(0)] = statement.int64(1) }
    return numbers
  }

  // MARK: - Rows

  private func shift(_ entity: ModelMapping.Entity, _ number: Int64, _ connection: Connection) throws {
    if entity.keyOffset == 0 { return }
    try connection.run(
      "UPDATE TICDS_OBJECT SET row = row + ? WHERE entity = ? AND row IS NOT NULL",
      .integer(entity.keyOffset),
      .integer(number))
    // Further rows of an entry are differences to the first.
    try connection.run(
      "UPDATE TICDS_LOG SET row = row + ? WHERE action >> 16 = ?", .integer(entity.keyOffset),
      .integer(number))
  }

  /// Links that are still to be sent name the target's row, of which only the root of the entity is known.
  private func shiftTargets(
    _ mapping: ModelMapping, _ names: [String: Int64], _ connection: Connection
  ) throws {
    for root in mapping.source.entities where root.parent == nil {
      let offsets = Set(
        root.familyIndices.compactMap { mapping.entity(from: mapping.source.entities[$0])?.keyOffset })
      guard offsets != [0], let offset = offsets.first else { continue }
      let links = """
        FROM TICDS_LOG WHERE action & 7 IN (3, 4) AND EXISTS (SELECT 1 FROM TICDS_PROPERTY p \
        WHERE p.entity = action >> 16 AND p.bit = action >> 3 & 8191 AND p.destination = ?)
        """
      if offsets.count > 1 {
        guard try connection.first("SELECT count(*) \(links)", .text(root.name)) == .integer(0) else {
          throw ReplicaError.damagedBookkeeping(
            path: connection.path,
            "Links that are still to be sent lead to rows that move apart; synchronise with the old version first."
          )
        }
      } else {
        try connection.run(
          "UPDATE TICDS_LOG SET detail = detail + ? WHERE position IN (SELECT position \(links))",
          .integer(offset), .text(root.name))
      }
    }
  }

  // MARK: - Names

  private func renameProperties(
    _ entity: ModelMapping.Entity, _ number: Int64, _ connection: Connection
  ) throws {
    let renamed = zip(entity.target.properties, entity.properties).compactMap { property, old in
      old.map { (from: entity.source.properties[$0].name, to: property.name) }
    }.filter { $0.from != $0.to }
    // By way of names that no property can have, because two may exchange theirs.
    for name in renamed {
      try connection.run(
        "UPDATE TICDS_PROPERTY SET name = ? WHERE entity = ? AND name = ?", .text("\n" + name.to),
        .integer(number), .text(name.from))
    }
    for name in renamed {
      // A name that came from another device keeps its number; what was written under the old one is then the past.
      try connection.run(
        """
        UPDATE TICDS_PROPERTY SET name = CASE WHEN EXISTS (SELECT 1 FROM TICDS_PROPERTY WHERE entity = ?1 AND name = ?2) \
        THEN ?3 ELSE ?2 END WHERE entity = ?1 AND name = ?4
        """, .integer(number), .text(name.to), .text(name.from), .text("\n" + name.to))
    }
  }

  private func renameEntities(
    _ mapping: ModelMapping, _ names: [String: Int64], _ connection: Connection
  ) throws {
    let changed = mapping.entities.filter { names[$0.source.name] != nil }
    let leaving = Set(changed.map(\.source.name))
    for entity in changed where entity.source.name != entity.target.name {
      guard let number = names[entity.source.name] else { continue }
      if names[entity.target.name] != nil, !leaving.contains(entity.target.name) {
        // Another device has sent objects under the new name. They are taken for those of the rows by their sync IDs.
        try connection.run("UPDATE TICDS_OBJECT SET row = NULL WHERE entity = ?", .integer(number))
        // The rows are no insertions, for all that.
        try connection.run(
          """
          UPDATE TICDS_ENTITY SET frontier = (SELECT frontier FROM TICDS_ENTITY WHERE id = ?)
          WHERE name = ?
          """, .integer(number), .text(entity.target.name))
        continue
      }
      try connection.run(
        "UPDATE TICDS_ENTITY SET name = ? WHERE id = ?", .text("\n" + entity.target.name), .integer(number))
    }
    try connection.run("UPDATE TICDS_ENTITY SET name = substr(name, 2) WHERE substr(name, 1, 1) = char(10)")
    for entity in changed { try moveRoot(entity, names, connection) }
    try renameDestinations(changed, connection)
  }

  /// Roots are the name spaces of sync IDs, so records go along with their entity.
  private func moveRoot(
    _ entity: ModelMapping.Entity, _ names: [String: Int64], _ connection: Connection
  ) throws {
    let root = entity.target.root.name
    guard let number = names[entity.source.name], entity.source.root.name != root else { return }
    try connection.run("UPDATE TICDS_ENTITY SET root = ? WHERE id = ?", .text(root), .integer(number))
    if try connection.first("SELECT id FROM TICDS_ENTITY WHERE name = ?", .text(root)) == nil {
      try connection.run(
        "INSERT INTO TICDS_ENTITY (id, name, root) SELECT max(id) + 1, ?1, ?1 FROM TICDS_ENTITY", .text(root))
    }
    try connection.run(
      "UPDATE TICDS_OBJECT SET root = (SELECT id FROM TICDS_ENTITY WHERE name = ?) WHERE entity = ?",
      .text(root),
      .integer(number))
  }

  private func renameDestinations(_ entities: [ModelMapping.Entity], _ connection: Connection) throws {
    let roots = entities.filter { $0.source.parent == nil && $0.source.name != $0.target.root.name }
    for entity in roots {
      try connection.run(
        "UPDATE TICDS_PROPERTY SET destination = ? WHERE destination = ?",
        .text("\n" + entity.target.root.name),
        .text(entity.source.name))
    }
    try connection.run(
      "UPDATE TICDS_PROPERTY SET destination = substr(destination, 2) WHERE substr(destination, 1, 1) = char(10)"
    )
  }
}
