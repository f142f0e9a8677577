import TICDSSQLite

/// Whether what a copy that came from elsewhere says of names makes sense: else values would be taken for those of other attributes.
struct SnapshotNames {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check() throws {
    try checkEntities()
    try checkLocalProperties()
    try checkPaths()
    try checkMeanings()
  }

  /// Paths of entities and properties that there are: see `Docs/Formats/Bookkeeping.md` for the kinds.
  private func checkPaths() throws {
    let strange = try connection.first(
      """
      SELECT 1 FROM TICDS_NAME n WHERE CASE
        WHEN kind IN (-1, -2) THEN number NOT IN (SELECT id FROM TICDS_ENTITY)
        WHEN kind BETWEEN -5 AND 2
          THEN NOT EXISTS (SELECT 1 FROM TICDS_PROPERTY p WHERE p.root = n.root AND p.bit = n.number)
        ELSE 1 END LIMIT 1
      """)
    guard strange == nil else { throw refusal("It holds names of nothing.") }
    let paths = try connection.prepare("SELECT path FROM TICDS_NAME")
    while try paths.step() {
      guard try path(paths.blob(0)).names.first?.isEmpty == false else {
        throw refusal("It holds a path without a name.")
      }
    }
  }

  /// What the local model calls one of an entity's properties is no name of another one: values that others send would come under that.
  private func checkMeanings() throws {
    let strange = try connection.first(
      """
      SELECT 1 FROM TICDS_LOCAL l JOIN TICDS_ENTITY e ON e.id = l.entity
      JOIN TICDS_PROPERTY p ON p.root = e.root AND p.bit = l.bit
      JOIN TICDS_NAME n ON n.root = e.root AND n.path = l.path AND n.kind IN (p.kind, -3 - p.kind)
      WHERE n.number <> l.bit AND n.number IN (SELECT bit FROM TICDS_LOCAL o WHERE o.entity = l.entity) LIMIT 1
      """)
    guard strange == nil else { throw refusal("It calls properties by names of others.") }
    let entity = try connection.first(
      """
      SELECT 1 FROM TICDS_ENTITY e JOIN TICDS_NAME n ON n.root = 0 AND n.path = e.path AND n.kind IN (-1, -2)
      WHERE e.local IS NOT NULL AND n.number <> e.id
      AND n.number IN (SELECT id FROM TICDS_ENTITY WHERE local IS NOT NULL) LIMIT 1
      """)
    guard entity == nil else { throw refusal("It calls entities by names of others.") }
  }

  /// An entity whose path has no names is not in use any more.
  private func checkEntities() throws {
    let entities = try connection.prepare(
      """
      SELECT path, local IS NOT NULL OR id IN (SELECT DISTINCT entity FROM TICDS_OBJECT) FROM TICDS_ENTITY
      """)
    while try entities.step() {
      let path = try path(entities.blob(0))
      guard entities.int64(1) == 0 || path.names.first?.isEmpty == false else {
        throw refusal("It holds an entity in use that has no name.")
      }
    }
  }

  private func checkLocalProperties() throws {
    let properties = try connection.prepare(
      """
      SELECT l.entity, l.position, l.bit, l.path, p.bit IS NOT NULL FROM TICDS_LOCAL l
      LEFT JOIN TICDS_ENTITY e ON e.id = l.entity LEFT JOIN TICDS_PROPERTY p ON p.root = e.root AND p.bit = l.bit
      ORDER BY l.entity, l.position
      """)
    var entity: Int64?
    var next: Int64 = 0
    var bits: Set<Int64> = []
    while try properties.step() {
      if properties.int64(0) != entity { (entity, next, bits) = (properties.int64(0), 0, []) }
      guard properties.int64(1) == next, properties.int64(4) != 0, bits.insert(properties.int64(2)).inserted
      else { throw refusal("Its properties have other numbers than those of its model.") }
      next += 1
      guard try path(properties.blob(3)).names.first?.isEmpty == false else {
        throw refusal("It holds a property that has no name.")
      }
    }
  }

  private func path(_ stored: [UInt8]) throws -> NamePath {
    do { return try NamePath(stored: stored, in: connection) } catch {
      throw refusal("It holds names that cannot be read.")
    }
  }

  private func refusal(_ message: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, message)
  }
}
