/// What a save does with an object that was changed in the store since this context fetched it.
///
/// A context that merges what others save, see ``ManagedObjectContext/mergesChangesAutomatically``, has everything but its own
/// unsaved edits from the store. The policy is then about the properties that both sides changed to different values, which
/// ``ManagedObjectContext/editConflicts`` lists. In one that does not merge it is about every row that others have changed.
/// (Core Data asks its policy only in the second case; in the first it overwrites what was merged.)
///
/// A row that was deleted in the meantime stays deleted under every policy but ``error``, and what leads to it leads there no more, unless it
/// must lead somewhere.
///
/// The policy also settles uniqueness constraints. A new object that has the same values as a saved one becomes that object:
/// its relationships move there, and its attributes too if the object wins. It has the saved one's identifier then, and what is
/// set later is saved; if the saved one was in memory already, both are used as one. Under ``rollback`` the new object is dropped
/// with its relationships. A changed object that would equal another one takes its old values back if the store wins, all of them
/// under ``rollback``; that the object wins cannot be, and is an error.
///
/// No policy changes an attribute that is immutable, see ``AttributeDescription/isImmutable``: what the store has stays.
public enum MergePolicy: Sendable, Hashable {
  /// The save throws ``SaveError`` and changes nothing.
  case error
  /// Property by property, what was changed in the store stays; other changes of this context are saved.
  case storeWins
  /// Property by property, what was changed in this context is saved; all else is taken from the store.
  case objectWins
  /// The object is as in the store; all changes of this context to it are dropped.
  case rollback
}

extension ManagedObjectContext {
  /// Settles conflicts as the policy says. `false` if they are to be reported.
  ///
  /// - Throws: ``SaveError`` if an object that the policy keeps from being deleted denies another deletion.
  func settle(_ problems: [SaveError.Problem]) throws(SaveError) -> Bool {
    if mergePolicy == .error { return false }
    var objects: [(object: ManagedObject, isDeleted: Bool)] = []
    for problem in problems {
      if case .danglingReference(let identifier, let property, let target) = problem {
        guard forget(target, in: property, of: identifier) else { return false }
        continue
      }
      guard case .conflict(let identifier, let isDeleted) = problem, let object = object(for: identifier)
      else {
        return false
      }
      objects.append((object, isDeleted))
    }
    let spared = objects.filter(\.object.isDeleted).map { SparedObject($0.object) }
    let others = objects.map(\.object).filter { !$0.isDeleted }
    tell(of: objects.compactMap { settle($0.object, isDeletedInStore: $0.isDeleted) })
    var denied = spared.filter { isAlive($0.object) }.flatMap { $0.relate(in: self) }
    for object in others where isAlive(object) { denied += object.forgetDeletedTargets(in: self) }
    pairSettledObjects()
    // Who is not deleted after all, or leads elsewhere now, is in other lists than those that are in memory.
    forgetUnchangedMembers()
    if !denied.isEmpty { throw SaveError(denied) }
    return true
  }

  /// Takes an object that was deleted out of a relationship, as that deletion would have. `false` if this must lead somewhere.
  private func forget(_ target: ObjectID, in property: String, of identifier: ObjectID) -> Bool {
    guard let object = object(for: identifier), let index = object.entity.index(of: property),
      let relationship = object.entity.relationship(at: index)
    else { return false }
    if relationship.isToMany {
      guard let member = self.object(for: target) else { return false }
      object.removeMember(member, at: index)
    } else {
      guard relationship.isOptional else { return false }
      object.setTarget(nil, at: index)
    }
    return true
  }

  /// Returns the unsaved edits that met other ones.
  private func settle(_ object: ManagedObject, isDeletedInStore: Bool) -> EditConflict? {
    if object.isDeleted {
      // A deletion of ours against a change of theirs.
      deleted.removeAll { $0 === object }
      object.state.remove(.deleted)
      let before = object.committedValues
      refresh(object)
      object.fire()
      guard mergePolicy == .objectWins, !object.isGone else { return nil }
      for index in 0..<object.entity.slotCount {
        let saved = object.committedValue(at: index)
        guard saved != before[index], object.entity.attribute(at: index)?.derivation == nil else { continue }
        let property = EditConflict.Property(
          name: object.entity.properties[index].name, index: index, before: before[index], saved: saved,
          unsaved: .null)
        noteSettled(object, property, .deletedHere)
      }
      delete(object)
    } else if object.isInserted {
      let met = meetRow(of: object)
      for property in met
      where mergePolicy == .storeWins || isImmutable(property.index, in: object.entity) {
        takeBack(object, at: property.index)
      }
      if mergePolicy == .rollback { refresh(object) }
      noteSettled(object, met)
      if !met.isEmpty { return EditConflict(objectID: object.objectID, properties: met) }
    } else if isDeletedInStore {
      let committed = object.committedValues
      let lost = EditedValues(of: object).lost(with: object)
      refresh(object)
      object.fire()
      for property in lost { noteSettled(object, property, .deletedElsewhere, committed: committed) }
    } else {
      let edited = EditedValues(of: object)
      refresh(object, mergeChanges: mergePolicy != .rollback)
      let met = edited.met(by: object, in: self, combines: mergePolicy != .rollback)
      object.changed.forEach { index in
        let theirs = object.committedValue(at: index)
        let isKept = !theirs.isNull && isImmutable(index, in: object.entity)
        guard isKept || mergePolicy == .storeWins && met.contains(where: { $0.index == index }) else {
          return
        }
        if object.entity.relationship(at: index) == nil {
          object.values[index] = theirs
        } else {
          // With the other side of the relationship.
          takeBack(object, at: index)
        }
      }
      noteSettled(object, met)
      if !met.isEmpty { return EditConflict(objectID: object.objectID, properties: met) }
    }
    return nil
  }
}
