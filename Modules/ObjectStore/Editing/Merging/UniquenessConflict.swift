import TICDSSQLite

/// An unsaved object that has the same values for a uniqueness constraint as another one.
struct UniquenessConflict {
  let object: ManagedObject
  let other: ManagedObject
  let properties: [String]
  /// Whether the other one was in memory before anybody looked for it.
  let isOtherHeld: Bool

  var problem: SaveError.Problem {
    .duplicate(object.objectID, of: other.objectID, properties: properties)
  }

  /// What makes objects equal under a constraint.
  private struct Identity: Hashable {
    let owner: Int
    let properties: [String]
    let values: [AttributeValue]
  }

  /// Finds all of them, after the database refused a save.
  ///
  /// - Throws: ``StoreError``.
  static func all(in context: ManagedObjectContext) throws(StoreError) -> [UniquenessConflict] {
    var seen: [Identity: ManagedObject] = [:]
    var conflicts: [UniquenessConflict] = []
    let pending =
      context.updated.filter { !$0.isDeleted && !$0.isInserted && !$0.isGone }
      + context.inserted.filter { $0.isInserted }
    for object in pending {
      for constraint in context.store.model.uniquenessConstraints(on: object.entity) {
        let slots = constraint.properties.compactMap { object.entity.index(of: $0) }
        if !object.isInserted, !slots.contains(where: { object.changed.contains($0) }) { continue }
        let values = slots.map { object.value(at: $0) }
        // The database takes missing values for different ones.
        if values.contains(where: \.isNull) { continue }
        let identity = Identity(
          owner: constraint.owner.index, properties: constraint.properties, values: values)
        var found = seen[identity].map { (object: $0, isHeld: true) }
        do throws(SQLiteError) {
          if found == nil { found = try stored(object, slots, values, in: context) }
        } catch {
          throw StoreError(.database(error), path: context.store.path)
        }
        seen[identity] = object
        if let found {
          conflicts.append(
            UniquenessConflict(
              object: object, other: found.object, properties: constraint.properties,
              isOtherHeld: found.isHeld))
        }
      }
    }
    return conflicts
  }

  /// A saved object that has the values, and will have them after the save.
  fileprivate static func stored(
    _ object: ManagedObject, _ slots: [Int], _ values: [AttributeValue], in context: ManagedObjectContext
  ) throws(SQLiteError) -> (object: ManagedObject, isHeld: Bool)? {
    let table = context.store.schema.table(of: object.entity)
    let conditions = slots.compactMap { slot -> String? in
      switch table.storage[slot] {
      case .attribute(let column, _): "\(quote(column)) = ?"
      case .toOne(let columns): "\(quote(columns.key)) = ?"
      case .memory, .inverse, .join: nil
      }
    }
    if conditions.count < slots.count { return nil }
    let statement = try context.connection.cached(
      "SELECT Z_PK, Z_ENT FROM \(quote(table.name)) WHERE \(conditions.joined(separator: " AND "))")
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    while try statement.step() {
      let key = statement.int64(0)
      guard key != object.key, let entity = context.store.schema.entity(numbered: statement.int64(1)) else {
        continue
      }
      let isHeld = context.tables[entity.rootIndex][key] != nil
      guard let other = context.object(entity: entity.index, key: key), !other.isDeleted, !other.isGone
      else { continue }
      // It may be about to change its own values, and then is not in the way for long.
      let isInTheWay = zip(slots, values).allSatisfy { slot, value in
        other.entity.index(of: object.entity.properties[slot].name).map { other.value(at: $0) } == value
      }
      if isInTheWay { return (other, isHeld) }
    }
    return nil
  }
}

extension ManagedObjectContext {
  /// Settles conflicts about unique values as the policy says. `false` if they are to be reported.
  func settle(_ conflicts: [UniquenessConflict]) -> Bool {
    if mergePolicy == .error { return false }
    // Two unsaved objects are both the user's; nothing tells which of them is meant.
    guard
      conflicts.allSatisfy({ !$0.other.isInserted && ($0.object.isInserted || mergePolicy != .objectWins) }),
      // What is of another kind cannot stand for a new object.
      mergePolicy == .rollback
        || conflicts.allSatisfy({ !$0.object.isInserted || $0.other.entity.isKind(of: $0.object.entity) })
    else { return false }
    var settled: Set<ObjectIdentifier> = []
    for conflict in conflicts where !conflict.object.isDeleted && !conflict.object.isGone {
      let object = conflict.object
      // One that is in the way of several is looked at again by the next attempt, as what it has become.
      guard settled.insert(ObjectIdentifier(object)).inserted else { continue }
      if object.isInserted {
        let isUnited = mergePolicy != .rollback
        if isUnited { fold(object, into: conflict.other, objectWins: mergePolicy == .objectWins) }
        withdraw(object)
        if isUnited { unite(object, with: conflict.other, isHeld: conflict.isOtherHeld) }
      } else if mergePolicy == .rollback {
        refresh(object)
      } else {
        for name in conflict.properties {
          guard let index = object.entity.index(of: name) else { continue }
          takeBack(object, at: index)
        }
      }
    }
    forgetWithdrawn()
    return true
  }

  /// Makes a new object one that is saved already, for a participant that knows that both stand for the same: what the new one
  /// has is written to the saved one, but for what is immutable, and whoever holds the new object has the saved one.
  ///
  /// To be called in ``SaveParticipant/contextWillWrite(_:on:)``.
  ///
  /// - Parameters:
  ///   - object: The new one.
  ///   - saved: What ``savedObject(with:at:besides:)`` has found.
  ///   - keepsSaved: Whether values of the saved one stay, and targets that it has. Otherwise those of the new one replace them.
  public func unite(_ object: ManagedObject, with saved: SavedObject, keepsSaved: Bool = false) {
    guard object.isInserted, !saved.object.isInserted else { return }
    fold(object, into: saved.object, objectWins: !keepsSaved)
    withdraw(object)
    unite(object, with: saved.object, isHeld: saved.isHeld)
    forgetWithdrawn()
  }

  /// The saved object that has a value in an attribute, among all in the table of an object's entity, and that this context does not
  /// delete or give another value; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - value: not null.
  ///   - index: of the attribute in the object's entity.
  ///   - object: which is not the one that is looked for.
  /// - Throws: `SQLiteError`.
  public func savedObject(with value: AttributeValue, at index: Int, besides object: ManagedObject) throws
    -> SavedObject?
  {
    try UniquenessConflict.stored(object, [index], [value], in: self).map {
      SavedObject(object: $0.object, isHeld: $0.isHeld)
    }
  }

  /// A saved object that was looked up for a new one.
  public struct SavedObject {
    /// The object.
    public let object: ManagedObject
    /// Whether it may have been in use before.
    let isHeld: Bool
  }

  func takeBack(_ object: ManagedObject, at index: Int) {
    let committed = object.committedValue(at: index)
    if case .reference(let entity, let key) = committed {
      object.setTarget(self.object(entity: Int(entity), key: key), at: index)
    } else if index >= object.entity.attributeCount {
      object.setTarget(nil, at: index)
    } else {
      object.setValue(committed, at: index)
    }
  }

  /// Transfers to a saved object what a new one has that stands for the same. What is immutable stays the saved one's.
  ///
  /// - Parameter objectWins: whether values of the new object replace those of the saved one.
  private func fold(_ object: ManagedObject, into other: ManagedObject, objectWins: Bool) {
    unpairedReferences(to: object.entity).redirect(from: object, to: other, in: self)
    for (index, property) in object.entity.properties.enumerated() where !property.isTransient {
      guard let place = other.entity.index(of: property.name) else { continue }
      guard let relationship = property.asRelationship else {
        let value = object.value(at: index)
        if !other.value(at: place).isNull, isImmutable(place, in: other.entity) { continue }
        if objectWins, !value.isNull, value != other.value(at: place) { other.setValue(value, at: place) }
        continue
      }
      if relationship.isToMany {
        for member in object.members(at: index) {
          other.insertMember(member === object ? other : member, at: place, position: nil)
        }
      } else if let target = object.target(at: index), objectWins || other.target(at: place) == nil {
        other.setTarget(target === object ? other : target, at: place)
      }
    }
  }
}
