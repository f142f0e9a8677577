import TICDSSQLite

/// Takes away what others have made lead to an object since it was deleted here, as its deletion would have.
///
/// Only rows are written, as for relationships without inverse: that others related the two stays as true as it was. Links of many-to-many
/// relationships go with the row anyway.
struct LateReferences {
  private let schema: StoreSchema
  private let connection: Connection
  private let identity: StoreIdentity
  /// The objects that lead there no more.
  private(set) var released: [ObjectID] = []
  /// What stands in the way.
  private(set) var problems: [SaveError.Problem] = []

  init(schema: StoreSchema, connection: Connection, identity: StoreIdentity) {
    self.schema = schema
    self.connection = connection
    self.identity = identity
  }

  /// Clears what leads to a deleted object, once all rows are written.
  mutating func clear(_ object: ManagedObject) throws {
    for property in object.entity.properties {
      guard let relationship = property.asRelationship, relationship.deleteRule != .noAction,
        let name = relationship.inverse, !relationship.inverseIsToMany
      else { continue }
      let other = schema.model.entities[relationship.destinationIndex]
      guard let index = other.index(of: name), let inverse = other.relationship(at: index),
        case .toOne(let columns) = schema.table(of: other).storage[index]
      else { continue }
      let owners = try clear(columns, of: object, in: other)
      if owners.isEmpty { continue }
      // A problem takes back what was cleared, with all of the transaction.
      if relationship.deleteRule == .deny {
        problems.append(.deletionDenied(object.objectID, property: relationship.name))
      } else if inverse.isOptional {
        released += owners
      } else {
        problems += owners.map { .danglingReference($0, property: name, target: object.objectID) }
      }
    }
  }

  /// Returns the objects that led to the deleted one.
  private func clear(
    _ columns: ToOneColumns, of object: ManagedObject, in entity: EntityDescription
  ) throws -> [ObjectID] {
    let table = schema.table(of: entity).name
    let statement = try connection.cached(
      columns.clearing(in: table, where: "= ? RETURNING Z_PK, Z_ENT"))
    try statement.bind(object.key, at: 1)
    defer { statement.reset() }
    var owners: [ObjectID] = []
    while try statement.step() {
      let owner = schema.entity(numbered: statement.int64(1)) ?? entity
      owners.append(ObjectID(entity: owner, key: statement.int64(0), store: identity))
    }
    return owners
  }
}
