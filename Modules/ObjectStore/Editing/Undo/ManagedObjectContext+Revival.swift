import TICDSSQLite

extension ManagedObjectContext {
  /// Whether an object belongs to this context, has a row or is to have one, and is to keep it.
  func isAlive(_ object: ManagedObject) -> Bool {
    guard object.contextReference === self else { return false }
    object.fire()
    return !object.isDeleted && !object.isGone
  }

  /// Brings a deleted object back, with what it had. `false` if others have seen to it that it cannot be.
  func revive(_ object: ManagedObject, _ remains: UndoOperation.Remains) -> Bool {
    undoHistory?.suspend()
    let isBack = object.isDeleted ? keep(object) : insertAgain(object, remains)
    if isBack { relate(object, remains) }
    undoHistory?.resume()
    if isBack { undoHistory?.note(.appeared(object)) }
    return isBack
  }

  /// Keeps an object that would have been deleted with the next save.
  private func keep(_ object: ManagedObject) -> Bool {
    object.state.remove(.deleted)
    guard let version = storedVersion(of: object) else {
      // Others have deleted it too.
      object.state = [.gone]
      object.contextReference = nil
      tables[object.entity.rootIndex].remove(object.key)
      return false
    }
    if version != object.version { refresh(object, mergeChanges: true) }
    return true
  }

  /// Makes an object that has no row any more, or never had one, an inserted one, under its own key.
  private func insertAgain(_ object: ManagedObject, _ remains: UndoOperation.Remains) -> Bool {
    let root = object.entity.rootIndex
    guard object.isGone, tables[root][object.key] == nil,
      object.key < 0 && parent == nil || storedVersion(of: object) == nil
    else { return false }
    object.contextReference = self
    object.state = undoHistory == nil ? [.inserted] : [.inserted, .recorded]
    object.row = nil
    object.record = nil
    object.changedLow = 0
    object.values = remains.values
    tables[root].insert(object, for: object.key)
    inserted.append(object)
    return true
  }

  private func storedVersion(of object: ManagedObject) -> Int64? {
    if parent != nil { return original(of: object)?.version }
    do {
      let table = store.schema.table(of: object.entity)
      let statement = try connection.cached("SELECT Z_OPT FROM \(quote(table.name)) WHERE Z_PK = ?")
      try statement.bind(object.key, at: 1)
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : nil
    } catch {
      noteReadFailure(error)
      return nil
    }
  }

  /// Restores both sides of the relationships of an object that has come back.
  func relate(_ object: ManagedObject, _ remains: UndoOperation.Remains) {
    for index in object.entity.attributeCount..<object.entity.slotCount {
      let target = remains.targets.first { $0.index == index }?.target
      // The object kept its own side while the other side was cut: both begin anew.
      if let kept = object.target(at: index), !isPaired(object, index, kept) {
        object.writeReference(nil, at: index)
      }
      if let target, isAlive(target), !leadsElsewhere(target, than: object, index) {
        object.setTarget(target, at: index)
        noteRestored(target, object, index)
      }
    }
    for index in object.entity.slotCount..<object.entity.properties.count {
      let members = remains.members.first { $0.index == index }?.members ?? []
      for member in object.members(at: index) where !isPaired(object, index, member) {
        object.memberLeft(member, at: index)
      }
      let isOrdered = object.entity.relationship(at: index)?.isOrdered == true
      var position = 0
      let present = members.filter { isAlive($0) && !leadsElsewhere($0, than: object, index) }
      if object.members(at: index).elementsEqual(present, by: ===) { continue }
      for member in present {
        object.insertMember(member, at: index, position: isOrdered ? position : nil)
        noteRestored(member, object, index)
        position += 1
      }
    }
  }

  /// Notes that a relationship of another object leads to one again that came back.
  private func noteRestored(_ other: ManagedObject, _ object: ManagedObject, _ index: Int) {
    guard let relationship = object.entity.relationship(at: index), !relationship.inverseIsToMany,
      let inverse = other.entity.inverseIndex(of: relationship)
    else { return }
    undoHistory?.restored.insert(other, at: inverse)
  }

  /// Whether others have given a former target, which leads to one object only, to another one since. Whatever was done here since is undone by now.
  private func leadsElsewhere(_ target: ManagedObject, than object: ManagedObject, _ index: Int) -> Bool {
    guard let relationship = object.entity.relationship(at: index), !relationship.inverseIsToMany,
      let inverse = target.entity.inverseIndex(of: relationship), let other = target.target(at: inverse)
    else { return false }
    return other !== object && isAlive(other)
  }

  /// Whether the object at the other end is alive, and relates back if the relationship has an inverse at all.
  private func isPaired(_ object: ManagedObject, _ index: Int, _ other: ManagedObject) -> Bool {
    guard isAlive(other) else { return false }
    guard let relationship = object.entity.relationship(at: index),
      let inverse = other.entity.inverseIndex(of: relationship)
    else { return true }
    return relationship.inverseIsToMany
      ? other.hasMember(object, at: inverse) : other.target(at: inverse) === object
  }

  /// Lets go of what has no changes any more, so that a context in which everything is undone has none.
  func settleUnchanged() {
    forgetWithdrawn()
    deleted.removeAll { !$0.isDeleted }
    updated.removeAll { object in
      guard object.state.contains(.updated), !object.isDeleted, !object.isInserted,
        object.changed.indices.allSatisfy({ object.values[$0] == object.committedValue(at: $0) })
      else { return !object.state.contains(.updated) }
      object.state.remove(.updated)
      if object.row != nil { object.values = [] }
      object.committed = []
      object.changed = PropertyMask()
      return true
    }
    touched.removeAll { object in
      if object.isDeleted { return false }
      if object.toManys.contains(where: { $0?.hasChanges == true }) { return false }
      object.state.remove(.touched)
      return true
    }
  }
}
