/// Makes the changes of a child changes of its parent.
///
/// They are made through the interface of the parent's objects, which keeps both sides of relationships in step with what the
/// parent has changed meanwhile, and notes what is to be undone.
struct ChildSave {
  private let child: ManagedObjectContext
  private let parent: ManagedObjectContext

  init(from child: ManagedObjectContext, to parent: ManagedObjectContext) {
    self.child = child
    self.parent = parent
  }

  /// What was changed here and is gone there.
  func conflicts() -> [SaveError.Problem] {
    var problems: [SaveError.Problem] = []
    // One may be both.
    let touched = child.touched.filter { !$0.state.contains(.updated) }
    for object in child.updated + touched where !object.isInserted && !object.isDeleted && !object.isGone {
      if child.original(of: object) == nil { problems.append(.conflict(object.objectID, isDeleted: true)) }
    }
    return problems
  }

  func run() {
    parent.undoGroup {
      let met = editsThatMetOthers()
      let news = child.inserted.map { parent.receive($0) }
      for object in child.updated { setAttributes(of: object) }
      for object in child.inserted + child.updated { setTargets(of: object) }
      for object in child.inserted + child.touched { setMembers(of: object) }
      for object in child.deleted {
        if let original = child.original(of: object) { parent.delete(original, callingHooks: false) }
      }
      if parent.parent == nil { parent.introduce(news) }
      parent.settleUnchanged()
      for (original, properties) in met { parent.edits.note(original, properties) }
    }
  }

  /// Edits of properties that the parent has taken from others since they were read here. They become such edits of the parent, so
  /// that the save to the store decides about them. Where the parent has an unsaved edit of its own, the child's replaces that.
  private func editsThatMetOthers() -> [(ManagedObject, [EditConflict.Property])] {
    child.updated.compactMap { object in
      guard !object.isInserted, let original = changedObject(object), !original.isInserted else { return nil }
      var met: [EditConflict.Property] = []
      object.changed.forEach { index in
        guard index < object.entity.slotCount, object.entity.attribute(at: index)?.derivation == nil,
          !original.changed.contains(index)
        else { return }
        let before = child.edits.before(of: object, at: index) ?? object.committedValue(at: index)
        let (saved, unsaved) = (original.value(at: index), object.value(at: index))
        if saved == before || saved == unsaved || unsaved == object.committedValue(at: index) { return }
        met.append(
          EditConflict.Property(
            name: object.entity.properties[index].name, index: index, before: before, saved: saved,
            unsaved: unsaved))
      }
      return met.isEmpty ? nil : (original, met)
    }
  }

  private func changedObject(_ object: ManagedObject) -> ManagedObject? {
    object.isDeleted || object.isGone ? nil : child.original(of: object)
  }

  private func setAttributes(of object: ManagedObject) {
    guard !object.isInserted, let original = changedObject(object) else { return }
    object.changed.forEach { index in
      let value = object.values[index]
      if index < object.entity.attributeCount, value != object.committedValue(at: index) {
        original.setValue(value, at: index)
      }
    }
  }

  private func setTargets(of object: ManagedObject) {
    guard let original = changedObject(object) else { return }
    for index in object.entity.attributeCount..<object.entity.slotCount {
      let isChanged =
        object.isInserted
        ? !object.values[index].isNull
        : object.changed.contains(index) && object.values[index] != object.committedValue(at: index)
      if isChanged {
        original.setTarget(object.target(at: index).flatMap { child.original(of: $0) }, at: index)
      }
    }
  }

  private func setMembers(of object: ManagedObject) {
    guard !object.toManys.isEmpty, let original = changedObject(object) else { return }
    for (position, state) in object.toManys.enumerated() {
      let index = position + object.entity.slotCount
      guard let state, let relationship = object.entity.relationship(at: index) else { continue }
      // Other members have their targets set.
      if relationship.isManyToMany {
        for member in state.removed.values {
          if let member = child.original(of: member) { original.removeMember(member, at: index) }
        }
        for member in state.added.values {
          if let member = child.original(of: member) {
            original.insertMember(member, at: index, position: nil)
          }
        }
      }
      guard relationship.isOrdered, state.isReordered else { continue }
      setOrder(of: object, state, original, at: index)
    }
  }

  /// Puts those members where they are that the child has put there; the parent may have moved others meanwhile.
  private func setOrder(
    of object: ManagedObject, _ state: ToManyState, _ original: ManagedObject, at index: Int
  ) {
    let members = object.members(at: index).compactMap { member in
      child.original(of: member).map {
        (original: $0, isPlaced: state.placed.contains(ObjectIdentifier(member)))
      }
    }
    let placed = Set(members.filter(\.isPlaced).map { ObjectIdentifier($0.original) })
    let order = ToManyState.merged(
      members.map(\.original), placed: placed, into: original.members(at: index).map { $0 })
    for (place, member) in order.enumerated() where placed.contains(ObjectIdentifier(member)) {
      let present = original.members(at: index)
      let before = place > 0 ? present.firstIndex { $0 === order[place - 1] } : nil
      let position = before.map { $0 + 1 } ?? 0
      // It stands there already, or leaves a gap before the one that it comes behind.
      if present.indices.contains(position), present[position] === member { continue }
      let isBefore = present[..<position].contains { $0 === member }
      original.insertMember(member, at: index, position: isBefore ? position - 1 : position)
    }
  }

  /// Makes the child agree with its parent. Gives the objects whose hooks are to be called.
  func finish() -> [ManagedObject] {
    var saved: [ManagedObject] = []
    for object in child.inserted {
      // Participants may have set values.
      if let original = child.original(of: object) { object.values = original.values }
    }
    for object in child.inserted + child.updated where !object.isDeleted && !object.isGone {
      object.state.remove([.inserted, .updated])
      object.changed = PropertyMask()
      object.committed = []
      object.row = nil
      if object.hasDidSave { saved.append(object) }
    }
    for object in child.touched {
      if object.hasDidSave, object.hasChangedMembersOnly, !saved.contains(where: { $0 === object }) {
        saved.append(object)
      }
      object.state.remove(.touched)
      for state in object.toManys { state?.commit() }
    }
    for object in child.deleted {
      child.tables[object.entity.rootIndex].remove(object.key)
      object.state = [.gone]
      object.contextReference = nil
      object.toManys = []
      if object.hasDidSave { saved.append(object) }
    }
    child.inserted = []
    child.insertedIndex = InsertedIndex()
    child.updated = []
    child.deleted = []
    child.touched = []
    return saved
  }
}

extension ManagedObjectContext {
  func save(to parent: ManagedObjectContext) throws {
    undoHistory?.closeStep()
    try withoutUndo {
      runWillSave()
      forgetWithdrawn()
      var validation = SaveValidation()
      let problems = validation.check(self)
      if !problems.isEmpty { throw SaveError(problems) }
      let save = ChildSave(from: self, to: parent)
      let conflicts = save.conflicts()
      if !conflicts.isEmpty, try !settle(conflicts) { throw SaveError(conflicts) }
      save.run()
      edits.removeAll()
      for object in save.finish() { object.didSave() }
      if !liveResults.isEmpty { updateLiveResults() }
    }
  }

  /// Makes an object for one that a child inserted, with its attributes and its key.
  fileprivate func receive(_ object: ManagedObject) -> ManagedObject {
    let received: ManagedObject
    if let known = tables[object.entity.rootIndex][object.key],
      known.isDeleted ? revive(known, .init()) : isAlive(known)
    {
      // The child took back a deletion that it had saved, and this context may have done so already.
      received = known
    } else {
      received = make(object.entity, key: object.key, state: .inserted)
      inserted.append(received)
      if let undoHistory {
        received.state.insert(.recorded)
        undoHistory.note(.appeared(received))
      }
    }
    for index in 0..<object.entity.attributeCount { received.setValue(object.values[index], at: index) }
    return received
  }

  /// Informs the participants of objects that users inserted.
  fileprivate func introduce(_ objects: [ManagedObject]) {
    // Participants that are made now are told of all when they are made.
    let participants = participants
    beginAdopting()
    // An object that has a permanent key came back and is not new.
    for object in objects where object.objectID.isTemporary {
      for participant in participants { participant.contextDidInsert(object) }
    }
  }
}
