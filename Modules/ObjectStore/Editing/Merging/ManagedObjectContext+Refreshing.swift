extension ManagedObjectContext {
  /// Turns an object back into a fault. Unsaved changes of the object are dropped unless they are to be kept.
  ///
  /// - Parameters:
  ///   - object: An object of this context; nothing happens to one that is new, deleted or of another context.
  ///   - mergeChanges: Keeps what was set here, and takes everything else from the store.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool = false) {
    let object = object.resolved
    if let other = object.contextReference, other !== self {
      return refuse(.objectOfAnotherContext(entity: object.entity.name))
    }
    guard object.contextReference === self, !object.isInserted, !object.isDeleted, !object.isGone else {
      return
    }
    edits.forget(object)
    reload(object, mergeChanges: mergeChanges)
  }

  /// Takes the store's values for a saved object of this context.
  func reload(_ object: ManagedObject, mergeChanges: Bool) {
    if !object.hasChanges {
      object.state.insert(.fault)
      object.values = []
      object.row = nil
      object.toManys = []
      return
    }
    // Without a row there is nothing to be taken: the next save reports that others have deleted it.
    if mergeChanges, parent == nil, !hasRow(object) { return }
    if !mergeChanges { withoutUndo { takeBackRelationships(of: object) } }
    let mine = object.values
    let mask = object.changed
    let former = mergeChanges ? [] : membership(of: object)
    object.state.insert(.fault)
    object.row = nil
    fulfil(object)
    if !mergeChanges {
      for place in former where object.isGone || object.target(at: place.property) !== place.owner {
        place.owner.toManyState(at: place.inverse)?.forget(object)
      }
      object.state.remove(.updated)
      object.committed = []
      object.changed = PropertyMask()
      if object.isGone {
        object.toManys = []
        withoutUndo { forgetGonePartner(object) }
      }
      unloadMembers(of: object)
      settleUnchanged()
    } else if !object.isGone {
      object.values = object.row?.values(row: object.rowIndex) ?? object.values
      mask.forEach { index in
        if mine.indices.contains(index) { object.values[index] = mine[index] }
      }
      unloadMembers(of: object)
    }
  }

  /// In which lists of others an object is because it leads to them, as far as that was set here.
  private func membership(
    of object: ManagedObject
  ) -> [(owner: ManagedObject, inverse: Int, property: Int)] {
    (object.entity.attributeCount..<object.entity.slotCount).compactMap { index in
      guard object.changed.contains(index), let relationship = object.entity.relationship(at: index),
        relationship.inverseIsToMany, let owner = object.target(at: index),
        let inverse = owner.entity.inverseIndex(of: relationship)
      else { return nil }
      return (owner, inverse, index)
    }
  }

  /// Restores the relationships of an object that the store has, on both of their sides. Members that hold the relationship
  /// themselves keep their changes.
  private func takeBackRelationships(of object: ManagedObject) {
    let entity = object.entity
    for index in entity.attributeCount..<entity.slotCount where object.changed.contains(index) {
      var old: ManagedObject?
      if case .reference(let entity, let key) = object.committedValue(at: index) {
        old = self.object(entity: Int(entity), key: key).flatMap { isAlive($0) ? $0 : nil }
      }
      let present = object.target(at: index)
      object.setTarget(old, at: index)
      // As far as the store is known, it has led here all the time.
      if let present, present !== old, isAlive(present), let relationship = entity.relationship(at: index),
        !relationship.inverseIsToMany, let inverse = present.entity.inverseIndex(of: relationship),
        present.committedValue(at: inverse) == .reference(entity: Int32(entity.index), key: object.key)
      {
        takeBack(present, at: inverse)
      }
    }
    for index in entity.slotCount..<entity.properties.count where object.hasChangedMembers(at: index) {
      guard entity.relationship(at: index)?.isManyToMany == true, let state = object.toManyState(at: index)
      else {
        continue
      }
      for member in Array(state.added.values) { object.removeMember(member, at: index) }
      for member in Array(state.removed.values) where isAlive(member) {
        object.insertMember(member, at: index, position: nil)
      }
      state.forgetOrder()
    }
  }

  /// Clears the other sides of one-to-one relationships that lead to an object without a row. Saved, they would lead to nothing.
  private func forgetGonePartner(_ object: ManagedObject) {
    for partner in inserted + updated where !partner.isDeleted && !partner.isGone && partner !== object {
      for index in partner.entity.attributeCount..<partner.entity.slotCount {
        guard let relationship = partner.entity.relationship(at: index), relationship.inverse != nil,
          !relationship.inverseIsToMany, partner.target(at: index) === object
        else { continue }
        partner.writeReference(nil, at: index)
      }
    }
  }

  /// Forgets the members that are in memory, but not who came and left.
  private func unloadMembers(of object: ManagedObject) {
    for position in object.toManys.indices {
      guard let state = object.toManys[position] else { continue }
      if !state.hasChanges {
        object.toManys[position] = nil
      } else {
        let relationship = object.entity.relationship(at: position + object.entity.slotCount)
        state.reload(keepingOrder: relationship?.isOrdered == true)
      }
    }
  }

  /// Turns all objects without unsaved changes back into faults.
  public func refreshAll() {
    for object in registeredObjects where !object.hasChanges && !object.isGone { refresh(object) }
  }
}
