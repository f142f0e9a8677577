import TICDSSQLite

/// Looks whether both sides of one-to-one relationships agree in the store, each of which has a column of its own: others may have written one
/// of them since it was read here.
struct PairCheck {
  private let schema: StoreSchema
  private let connection: Connection
  private let identity: StoreIdentity
  /// The objects of whose rows others have written the side that does not agree, as conflicts.
  private(set) var problems: [SaveError.Problem] = []

  init(schema: StoreSchema, connection: Connection, identity: StoreIdentity) {
    self.schema = schema
    self.connection = connection
    self.identity = identity
  }

  /// Looks at the pairs of an object, once all rows are written.
  ///
  /// - Parameters:
  ///   - entity: the object's.
  ///   - key: the key of its row.
  ///   - isWritten: whether a property was written.
  mutating func check(_ entity: EntityDescription, key: Int64, _ isWritten: (Int) -> Bool = { _ in true })
    throws
  {
    for index in entity.attributeCount..<entity.slotCount where isWritten(index) {
      guard let relationship = entity.relationship(at: index), let inverse = relationship.inverse,
        !relationship.inverseIsToMany, case .toOne(let own) = schema.table(of: entity).storage[index]
      else { continue }
      let other = schema.model.entities[relationship.destinationIndex]
      guard let back = other.index(of: inverse),
        case .toOne(let theirs) = schema.table(of: other).storage[back]
      else { continue }
      try checkPartners(entity, key, own.key, other, theirs.key)
    }
  }

  private mutating func checkPartners(
    _ entity: EntityDescription, _ key: Int64, _ own: String, _ other: EntityDescription, _ theirs: String
  ) throws {
    let (ownTable, otherTable) = (quote(schema.table(of: entity).name), quote(schema.table(of: other).name))
    let (own, theirs) = (quote(own), quote(theirs))
    let partner = "(SELECT \(own) FROM \(ownTable) WHERE Z_PK = ?1)"
    // Who leads to the object without being its partner, and the partner if it leads elsewhere.
    try note(
      """
      SELECT Z_PK, Z_ENT FROM \(otherTable) WHERE \(theirs) = ?1 AND Z_PK IS NOT \(partner)
      UNION SELECT Z_PK, Z_ENT FROM \(otherTable) WHERE Z_PK = \(partner) AND \(theirs) IS NOT ?1
      """, key, other)
    // Who else leads to its partner.
    try note("SELECT Z_PK, Z_ENT FROM \(ownTable) WHERE \(own) = \(partner) AND Z_PK <> ?1", key, entity)
  }

  private mutating func note(_ sql: String, _ key: Int64, _ entity: EntityDescription) throws {
    let statement = try connection.cached(sql)
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    while try statement.step() {
      let found = schema.entity(numbered: statement.int64(1)) ?? entity
      problems.append(
        .conflict(ObjectID(entity: found, key: statement.int64(0), store: identity), isDeleted: false))
    }
  }
}
