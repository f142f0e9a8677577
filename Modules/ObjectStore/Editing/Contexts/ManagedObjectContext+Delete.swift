extension ManagedObjectContext {
  /// Deletes an object, and those that its delete rules take with it. Their rows go when the context saves.
  ///
  /// A relationship with the rule *deny* is looked at when the context saves. An object of another
  /// context is refused by the next save. Nothing happens to one that is deleted already.
  public func delete(_ object: ManagedObject) {
    let object = object.resolved
    if let other = object.contextReference, other !== self {
      return refuse(.objectOfAnotherContext(entity: object.entity.name))
    }
    delete(object, callingHooks: true)
  }

  func delete(_ object: ManagedObject, callingHooks: Bool) {
    var pending = [object]
    while let next = pending.popLast() {
      guard next.contextReference === self, !next.isDeleted, !next.isGone else { continue }
      if callingHooks { next.prepareForDeletion() }
      next.fire()
      // Its row may turn out to be missing.
      if next.isGone { continue }
      let doomed = sever(next)
      markDeleted(next)
      pending += doomed.reversed()
    }
  }

  /// Deletes an object alone, as if all its delete rules were to nullify, and without hooks.
  func withdraw(_ object: ManagedObject) {
    _ = sever(object, followingRules: false)
    markDeleted(object)
  }

  /// Makes all others forget an object, which keeps its own side. Returns those that are to be deleted with it.
  ///
  /// - Parameter followingRules: `false` if all others forget it whatever the delete rules say.
  private func sever(_ object: ManagedObject, followingRules: Bool = true) -> [ManagedObject] {
    // Cascades are found before anything is cut, and pulled from the relationships that lead to them.
    var doomed: [ManagedObject] = []
    for (index, property) in object.entity.properties.enumerated() {
      guard let relationship = property.asRelationship else { continue }
      let others =
        relationship.isToMany ? object.members(at: index) : object.target(at: index).map { [$0] } ?? []
      if relationship.deleteRule == .cascade { doomed += others }
      // What was never saved is nowhere afterwards, whatever its rules say of rows.
      let isSaved = !object.isInserted
      if followingRules, isSaved, relationship.deleteRule == .deny || relationship.deleteRule == .noAction {
        // A table of links cannot keep a link to nothing, and a link back is not left dangling in memory.
        let isLink = relationship.isManyToMany && relationship.deleteRule == .noAction
        if !isLink, relationship.isToMany { continue }
      }
      for other in others { unlink(object, from: other, relationship) }
      if !relationship.isToMany, relationship.inverse != nil, !relationship.inverseIsToMany {
        partStoredPartner(of: object, at: index, relationship)
      }
    }
    forgetUnpaired(object)
    return doomed
  }

  /// Makes all others forget an object that is as in the store from now on.
  func detach(_ object: ManagedObject, _ remains: UndoOperation.Remains) {
    let targets = remains.targets.map { ($0.index, [$0.target]) }
    for (index, others) in targets + remains.members {
      guard let relationship = object.entity.relationship(at: index) else { continue }
      for other in others { unlink(object, from: other, relationship) }
    }
  }

  /// Makes the other side of a relationship forget an object that is being deleted; the object keeps its own side.
  private func unlink(
    _ object: ManagedObject, from other: ManagedObject, _ relationship: RelationshipDescription
  ) {
    guard other !== object, let inverse = other.entity.inverseIndex(of: relationship) else { return }
    if relationship.inverseIsToMany {
      other.memberLeft(object, at: inverse)
    } else if other.target(at: inverse) === object {
      // Who comes back relates to others again by itself, where these are not related to somebody else by then.
      withoutUndo { other.writeReference(nil, at: inverse) }
    }
  }

  func unpairedReferences(to entity: EntityDescription) -> UnpairedReferences {
    if let known = unpaired[entity.index] { return known }
    let references = UnpairedReferences(to: entity, schema: store.schema)
    unpaired[entity.index] = references
    return references
  }

  private func forgetUnpaired(_ object: ManagedObject) {
    let references = unpairedReferences(to: object.entity)
    if references.isEmpty { return }
    do {
      try references.forget(object, in: self)
    } catch {
      noteReadFailure(error)
    }
  }

  private func markDeleted(_ object: ManagedObject) {
    if let undoHistory, undoHistory.isRecording { undoHistory.note(.disappeared(object, .init(of: object))) }
    if object.isInserted {
      // It never had a row, so nothing is left to do; its list entry is passed over.
      object.state = [.gone]
      object.contextReference = nil
      tables[object.entity.rootIndex].remove(object.key)
      insertedHasHoles = true
    } else {
      object.state.insert(.deleted)
      deleted.append(object)
    }
  }
}
