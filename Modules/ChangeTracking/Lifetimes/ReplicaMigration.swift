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
    guard try Bookkeeping.exists(in: connection) else { return }
    var names = try StoredNames(connection)
    for entity in mapping.source.entities {
      guard let number = names.number(of: entity.name) else { continue }
      if let mapped = mapping.entity(from: entity) {
        try shift(mapped, number, connection)
      } else {
        try connection.run("UPDATE TICDS_OBJECT SET row = NULL WHERE entity = ?", .integer(number))
      }
    }
    try shiftTargets(mapping, connection)
    names.renameProperties(mapping)
    for number in names.renameEntities(mapping) {
      // Another device has sent objects under the new name. They are taken for those of the rows by their sync IDs.
      try connection.run("UPDATE TICDS_OBJECT SET row = NULL WHERE entity = ?", .integer(number))
    }
    for (number, root) in names.moveRoots(mapping) {
      // Roots are the name spaces of sync IDs, so records go along with their entity.
      try connection.run(
        "UPDATE TICDS_OBJECT SET root = ? WHERE entity = ?", .integer(root), .integer(number))
    }
    try names.write(connection)
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
    _ mapping: ModelMapping, _ connection: Connection
  ) throws {
    for root in mapping.source.entities where root.parent == nil {
      let offsets = Set(
        root.familyIndices.compactMap { mapping.entity(from: mapping.source.entities[$0])?.keyOffset })
      guard offsets != [0], let offset = offsets.first else { continue }
      let links = """
        FROM TICDS_LOG WHERE action & 7 IN (3, 4) AND EXISTS (SELECT 1 FROM TICDS_PROPERTY p \
        JOIN TICDS_ENTITY r ON r.id = p.root JOIN TICDS_ENTITY e ON e.root = r.name \
        WHERE e.id = action >> 16 AND p.bit = action >> 3 & 8191 AND p.destination = ?)
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
}
