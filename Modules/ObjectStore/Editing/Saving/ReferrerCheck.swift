import TICDSSQLite

/// Looks whether rows lead to an object that a save deletes: others have made them do so since it was deleted here.
///
/// Relationships without inverse and links of many-to-many relationships need no look; what leads to the object there goes with its row.
struct ReferrerCheck {
  private let schema: StoreSchema
  private let connection: Connection
  private let identity: StoreIdentity
  /// What stands in the way.
  private(set) var problems: [SaveError.Problem] = []

  init(schema: StoreSchema, connection: Connection, identity: StoreIdentity) {
    self.schema = schema
    self.connection = connection
    self.identity = identity
  }

  /// Looks for rows that lead to a deleted object, once all rows are written.
  mutating func check(_ object: ManagedObject) throws {
    for property in object.entity.properties {
      guard let relationship = property.asRelationship, relationship.deleteRule != .noAction,
        let inverse = relationship.inverse, !relationship.inverseIsToMany
      else { continue }
      let other = schema.model.entities[relationship.destinationIndex]
      let table = schema.table(of: other)
      guard let index = other.index(of: inverse), case .toOne(let columns) = table.storage[index] else {
        continue
      }
      let statement = try connection.cached(
        "SELECT Z_PK, Z_ENT FROM \(quote(table.name)) WHERE \(quote(columns.key)) = ?")
      try statement.bind(object.key, at: 1)
      defer { statement.reset() }
      while try statement.step() {
        if relationship.deleteRule == .deny {
          problems.append(.deletionDenied(object.objectID, property: relationship.name))
          break
        }
        let owner = schema.entity(numbered: statement.int64(1)) ?? other
        problems.append(
          .danglingReference(
            ObjectID(entity: owner, key: statement.int64(0), store: identity), property: inverse,
            target: object.objectID))
      }
    }
  }
}
