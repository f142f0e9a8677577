import TICDSSQLite

/// Relationships without an inverse that lead to an entity: when an object goes, nothing but a search tells who points to it.
struct UnpairedReferences {
  private struct Referrer {
    let entity: EntityDescription
    let name: String
    let isToMany: Bool
    /// Selects the keys of the rows that lead to a key.
    let query: String
    /// Removes what leads to a key.
    let removal: String
  }

  private let referrers: [Referrer]
  /// Whether there are any: most models have none.
  var isEmpty: Bool { referrers.isEmpty }

  /// Finds the relationships without inverse that lead to an entity or one that it inherits from.
  init(to entity: EntityDescription, schema: StoreSchema) {
    var referrers: [Referrer] = []
    for (other, table) in zip(schema.model.entities, schema.tables) {
      for (property, storage) in zip(other.properties, table.storage) {
        guard let relationship = property.asRelationship, relationship.inverse == nil,
          relationship.ownerIndex == other.index,
          entity.isKind(of: schema.model.entities[relationship.destinationIndex])
        else { continue }
        switch storage {
        case .toOne(let columns):
          let (name, key) = (quote(table.name), quote(columns.key))
          referrers.append(
            Referrer(
              entity: other, name: relationship.name, isToMany: false,
              query: "SELECT Z_PK, Z_ENT FROM \(name) WHERE \(key) = ?",
              removal: columns.clearing(in: table.name, where: "= ?")))
        case .join(let side):
          let (name, member) = (quote(side.table.name), quote(side.memberColumn))
          let own = quote(side.ownColumn)
          referrers.append(
            Referrer(
              entity: other, name: relationship.name, isToMany: true,
              query: """
                SELECT t.Z_PK, t.Z_ENT FROM \(name) j JOIN \(quote(table.name)) t ON t.Z_PK = j.\(own) \
                WHERE j.\(member) = ?
                """,
              removal: side.table.removal(where: "\(member) = ?")))
        case .memory, .attribute, .inverse: break
        }
      }
    }
    self.referrers = referrers
  }

  /// Makes all objects forget one that is being deleted, those in the store and those with unsaved changes.
  func forget(_ object: ManagedObject, in context: ManagedObjectContext) throws {
    for referrer in referrers {
      var owners: [ManagedObject] = []
      if object.key > 0 {
        let statement = try context.connection.cached(referrer.query)
        try statement.bind(object.key, at: 1)
        defer { statement.reset() }
        while try statement.step() {
          guard let entity = context.store.schema.entity(numbered: statement.int64(1)) else { continue }
          if let owner = context.object(entity: entity.index, key: statement.int64(0)) {
            owners.append(owner)
          }
        }
      }
      owners += (context.inserted + context.updated + context.touched).filter {
        $0.entity.isKind(of: referrer.entity)
      }
      // A child has the unsaved changes of those above it.
      var ancestor = context.parent
      while let above = ancestor {
        for owner in above.inserted + above.updated + above.touched
        where owner.entity.isKind(of: referrer.entity) && above.isAlive(owner) {
          if let own = context.object(entity: owner.entity.index, key: owner.key) { owners.append(own) }
        }
        ancestor = above.parent
      }
      for owner in owners where !owner.isDeleted && !owner.isGone && owner !== object {
        guard let index = owner.entity.index(of: referrer.name) else { continue }
        if referrer.isToMany {
          if owner.hasMember(object, at: index) { owner.memberLeft(object, at: index) }
        } else if owner.target(at: index) === object {
          context.withoutUndo { owner.writeReference(nil, at: index) }
          context.undoHistory?.note(.lost(owner, index, target: object))
        }
      }
    }
  }

  /// Makes what leads to a new object lead to another one, which stands for the same.
  func redirect(from object: ManagedObject, to other: ManagedObject, in context: ManagedObjectContext) {
    for referrer in referrers {
      let owners = context.inserted + context.updated + context.touched
      for owner in owners where owner.entity.isKind(of: referrer.entity) && !owner.isDeleted && !owner.isGone
      {
        guard let index = owner.entity.index(of: referrer.name) else { continue }
        if !referrer.isToMany {
          if owner.target(at: index) === object { owner.setTarget(other, at: index) }
        } else if owner.hasMember(object, at: index) {
          owner.removeMember(object, at: index)
          owner.insertMember(other, at: index, position: nil)
        }
      }
    }
  }

  /// Removes what still leads to a deleted row, put there by others in the meantime.
  func clear(_ key: Int64, on connection: Connection) throws {
    for referrer in referrers { try connection.run(referrer.removal, .integer(key)) }
  }
}
