import TICDSSQLite

/// Looks whether the objects that a save leads to have rows: another context or program may have deleted them, or this one.
struct ReferenceCheck {
  private struct Target: Hashable {
    let root: Int
    let key: Int64
  }

  private let schema: StoreSchema
  private let connection: Connection
  private let identity: StoreIdentity
  private var known: Set<Target> = []
  /// What leads to nothing.
  private(set) var problems: [SaveError.Problem] = []

  init(schema: StoreSchema, connection: Connection, identity: StoreIdentity) {
    self.schema = schema
    self.connection = connection
    self.identity = identity
  }

  /// Looks at the to-one relationships of an object that was written. What leads to a new object needs no look: that is written, too.
  mutating func check(_ object: ManagedObject, _ isWritten: (Int) -> Bool = { _ in true }) throws {
    let entity = object.entity
    for index in entity.attributeCount..<entity.slotCount where isWritten(index) {
      guard case .reference(let target, let key) = object.values[index], key > 0,
        try !isThere(key, of: schema.model.entities[Int(target)])
      else { continue }
      problems.append(
        .danglingReference(
          object.objectID, property: entity.properties[index].name,
          target: ObjectID(entity: schema.model.entities[Int(target)], key: key, store: identity)))
    }
  }

  /// Looks at both ends of a link that is to be made.
  mutating func check(
    _ object: ManagedObject, key: Int64, to member: ManagedObject, key memberKey: Int64, in property: Int
  ) throws {
    if try !isThere(key, of: object.entity) {
      problems.append(.conflict(object.objectID, isDeleted: true))
    } else if try !isThere(memberKey, of: member.entity) {
      problems.append(
        .danglingReference(
          object.objectID, property: object.entity.properties[property].name, target: member.objectID))
    }
  }

  /// Looks at what a row of a batch leads to.
  ///
  /// - Throws: ``ContextError`` with `objectGone`, or `SQLiteError`.
  mutating func check(_ values: some Sequence<AttributeValue>) throws {
    for case .reference(let entity, let key) in values where key > 0 {
      let target = schema.model.entities[Int(entity)]
      if try !isThere(key, of: target) {
        throw ContextError.objectGone("\(ObjectID(entity: target, key: key, store: identity))")
      }
    }
  }

  private mutating func isThere(_ key: Int64, of entity: EntityDescription) throws -> Bool {
    let target = Target(root: entity.rootIndex, key: key)
    if known.contains(target) { return true }
    let statement = try connection.cached(
      "SELECT 1 FROM \(quote(schema.tables[entity.rootIndex].name)) WHERE Z_PK = ?")
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return false }
    known.insert(target)
    return true
  }
}
