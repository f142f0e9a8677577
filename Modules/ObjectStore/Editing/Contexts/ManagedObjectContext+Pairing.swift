extension ManagedObjectContext {
  /// Makes both sides of one-to-one relationships agree again, once a policy has settled what others saved meanwhile.
  ///
  /// What was set here stays on both sides: of the object that the store has on the other side, or that is not deleted after all,
  /// nobody here has changed anything, so its own side would lead to an object that leads elsewhere.
  func pairSettledObjects() {
    for object in updated where object.state.contains(.updated) && !object.isDeleted && !object.isGone {
      for index in object.entity.attributeCount..<object.entity.slotCount
      where object.changed.contains(index) {
        guard let relationship = object.entity.relationship(at: index), !relationship.inverseIsToMany else {
          continue
        }
        pair(object, at: index, relationship)
      }
    }
  }

  private func pair(_ object: ManagedObject, at index: Int, _ relationship: RelationshipDescription) {
    partStoredPartner(of: object, at: index, relationship)
    partFromItself(object, at: index, relationship)
    let target = object.target(at: index)
    guard let target, isAliveAndCurrent(target), let inverse = target.entity.inverseIndex(of: relationship),
      target.target(at: inverse) !== object
    else { return }
    if let other = target.target(at: inverse), isAlive(other),
      let own = other.entity.index(of: relationship.name), other.target(at: own) === target
    {
      other.writeReference(nil, at: own)
    }
    target.writeReference(object, at: inverse)
  }

  /// Makes an object that the store has on both sides, and that leads elsewhere here, forget itself on the other one.
  private func partFromItself(
    _ object: ManagedObject, at index: Int, _ relationship: RelationshipDescription
  ) {
    guard case .reference(let entity, let key) = object.committedValue(at: index),
      self.object(entity: Int(entity), key: key) === object, object.target(at: index) !== object,
      let inverse = object.entity.inverseIndex(of: relationship), object.target(at: inverse) === object
    else { return }
    object.writeReference(nil, at: inverse)
  }

  /// Makes the object that the store has on the other side of a one-to-one relationship forget one that leads elsewhere here.
  ///
  /// Nothing here knows of that side if others paired the two after the unsaved edit.
  func partStoredPartner(
    of object: ManagedObject, at index: Int, _ relationship: RelationshipDescription
  ) {
    guard object.changed.contains(index),
      case .reference(let entity, let key) = object.committedValue(at: index),
      let partner = self.object(entity: Int(entity), key: key), partner !== object,
      partner !== object.target(at: index), isAliveAndCurrent(partner),
      let inverse = partner.entity.inverseIndex(of: relationship), partner.target(at: inverse) === object
    else { return }
    partner.writeReference(nil, at: inverse)
  }

  /// Reads an object without unsaved changes anew: in a context that does not merge it is what it was, and nobody tells of a row of
  /// which only this side of a pair was written.
  private func isAliveAndCurrent(_ object: ManagedObject) -> Bool {
    if !object.hasChanges { refresh(object) }
    return isAlive(object)
  }
}
