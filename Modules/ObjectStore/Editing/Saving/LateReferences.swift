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
      let table = quote(schema.table(of: other).name)
      let owners = try owners(table, columns, of: object, other)
      if owners.isEmpty { continue }
      if relationship.deleteRule == .deny {
        problems.append(.deletionDenied(object.objectID, property: relationship.name))
      } else if !inverse.isOptional {
        problems += owners.map { .danglingReference($0, property: name, target: object.objectID) }
      } else {
        let rest = [columns.entity, columns.order].compactMap { $0 }.map { ", \(quote($0)) = NULL" }.joined()
        let key = quote(columns.key)
        try connection.run(
          "UPDATE \(table) SET Z_OPT = ifnull(Z_OPT, 0) + 1, \(key) = NULL\(rest) WHERE \(key) = ?",
          .integer(object.key))
        released += owners
      }
    }
  }

  private func owners(
    _ table: String, _ columns: ToOneColumns, of object: ManagedObject, _ entity: EntityDescription
  ) throws -> [ObjectID] {
    let statement = try connection.cached(
      "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(quote(columns.key)) = ?")
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
