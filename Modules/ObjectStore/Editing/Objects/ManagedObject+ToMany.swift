extension ManagedObject {
  /// The members of a to-many relationship by its property index, in order if there is one.
  ///
  /// Fetches them if they are not in memory. Empty if the index is something else.
  public final func members(at index: Int) -> [ManagedObject] {
    if state.contains(.tracing) {
      return PathTracer.note(index).map { [$0] } ?? []
    }
    if let united { return self.index(index, in: united).map { united.members(at: $0) } ?? [] }
    return loadedState(at: index)?.members.objects ?? []
  }

  /// Replaces all members of a to-many relationship by its property index, and the other sides with them.
  public final func setMembers(_ members: [ManagedObject], at index: Int) {
    if let united {
      if let place = self.index(index, in: united) { united.setMembers(members, at: place) }
      return
    }
    let members = members.map(\.resolved)
    guard let state = loadedState(at: index), let relationship = entity.relationship(at: index) else {
      return
    }
    let wanted = Set(members.map { ObjectIdentifier($0) })
    for member in state.members.objects where !wanted.contains(ObjectIdentifier(member)) {
      removeMember(member, at: index)
    }
    for (position, member) in members.enumerated() {
      insertMember(member, at: index, position: relationship.isOrdered ? position : nil)
    }
  }

  /// Whether an object is a member of a to-many relationship.
  public final func hasMember(_ member: ManagedObject, at index: Int) -> Bool {
    if let united { return self.index(index, in: united).map { united.hasMember(member, at: $0) } ?? false }
    return loadedState(at: index)?.members.contains(member.resolved) ?? false
  }

  /// Adds a member to a to-many relationship by its property index, and the other side with it.
  ///
  /// - Parameters:
  ///   - member: The object to add.
  ///   - index: Index of the relationship among the entity's properties.
  ///   - position: The place among the other members if there is an order; `nil` for the end, or to leave the place of one
  ///     that is a member already.
  public final func insertMember(_ member: ManagedObject, at index: Int, position: Int?) {
    if let united {
      if let place = self.index(index, in: united) {
        united.insertMember(member, at: place, position: position)
      }
      return
    }
    let member = member.resolved
    noteOutliving("was changed")
    guard let relationship = entity.relationship(at: index), relationship.isToMany else {
      contextReference?.refuse(.unknownProperty(entity: entity.name, property: "#\(index)"))
      return
    }
    guard let context = contextReference, context.admits(member, in: relationship, of: self) else { return }
    guard let inverse = member.entity.inverseIndex(of: relationship) else {
      return linkMember(member, at: index, position: position)
    }
    if relationship.inverseIsToMany {
      guard linkIsNew(member, at: index) else { return moveMember(member, at: index, to: position) }
      memberCame(member, at: index, position: position)
      if member !== self || inverse != index { member.memberCame(self, at: inverse, position: nil) }
    } else if member.target(at: inverse) === self {
      moveMember(member, at: index, to: position)
    } else {
      member.setTarget(self, at: inverse)
      moveMember(member, at: index, to: position)
    }
  }

  /// Removes a member from a to-many relationship by its property index, and the other side with it.
  public final func removeMember(_ member: ManagedObject, at index: Int) {
    if let united {
      if let place = self.index(index, in: united) { united.removeMember(member, at: place) }
      return
    }
    let member = member.resolved
    // It was deleted elsewhere, and there is no other side.
    if member.isGone {
      toManyState(at: index)?.forgetGone()
      return
    }
    guard let relationship = entity.relationship(at: index), relationship.isToMany,
      let context = contextReference, context.admits(member, in: relationship, of: self)
    else { return }
    guard let inverse = member.entity.inverseIndex(of: relationship) else {
      if hasMember(member, at: index) { memberLeft(member, at: index) }
      return
    }
    if relationship.inverseIsToMany {
      guard hasMember(member, at: index) else { return }
      memberLeft(member, at: index)
      if member !== self || inverse != index { member.memberLeft(self, at: inverse) }
    } else if member.target(at: inverse) === self {
      member.setTarget(nil, at: inverse)
    }
  }

  private func linkMember(_ member: ManagedObject, at index: Int, position: Int?) {
    guard linkIsNew(member, at: index) else { return moveMember(member, at: index, to: position) }
    memberCame(member, at: index, position: position)
  }

  private func linkIsNew(_ member: ManagedObject, at index: Int) -> Bool {
    loadedState(at: index).map { !$0.members.contains(member) } ?? false
  }

  private func moveMember(_ member: ManagedObject, at index: Int, to position: Int?) {
    guard let position, entity.relationship(at: index)?.isOrdered == true, let state = loadedState(at: index)
    else {
      return
    }
    let objects = state.members.objects
    if objects.indices.contains(position), objects[position] === member { return }
    if let history = contextReference?.undoHistory, let old = objects.firstIndex(where: { $0 === member }) {
      history.note(.moved(self, index, member: member, position: old))
    }
    state.members.remove(member, keepingOrder: true)
    state.members.insert(member, at: position)
    state.place(member)
    touch()
  }

  // MARK: - One side alone

  /// Notes on this side that an object became a member.
  final func memberCame(_ member: ManagedObject, at index: Int, position: Int?) {
    let isOrdered = entity.relationship(at: index)?.isOrdered == true
    // The end of an order is known only with all members in memory; the save that writes their places would need them too.
    guard let state = isOrdered ? loadedState(at: index) : toManyState(at: index) else { return }
    contextReference?.undoHistory?.note(.came(self, index, member: member))
    state.add(member, position: position)
    if isOrdered { state.place(member) }
    touch()
  }

  /// Notes on this side that an object is no member any more.
  final func memberLeft(_ member: ManagedObject, at index: Int) {
    guard let state = toManyState(at: index) else { return }
    let isOrdered = entity.relationship(at: index)?.isOrdered == true
    if let history = contextReference?.undoHistory, history.isRecording {
      let members = isOrdered ? loadedState(at: index)?.members.objects : nil
      history.note(.left(self, index, member: member, position: members?.firstIndex { $0 === member }))
    }
    state.remove(member, keepingOrder: isOrdered)
    touch()
  }

  /// Makes the context hold on to the object until the next save.
  final func touch() {
    guard !state.contains(.touched), let context = contextReference else { return }
    state.insert(.touched)
    context.touched.append(self)
  }

  /// Whether nothing but members of to-many relationships changed.
  final var hasChangedMembersOnly: Bool {
    state.contains(.touched) && state.isDisjoint(with: [.inserted, .updated, .deleted, .gone])
  }

  /// Whether members of a to-many relationship came, left or were moved since the last save.
  final func hasChangedMembers(at index: Int) -> Bool {
    let position = index - entity.slotCount
    return toManys.indices.contains(position) && toManys[position]?.hasChanges == true
  }

  /// What is known of a to-many relationship; `nil` if the index is something else.
  final func toManyState(at index: Int) -> ToManyState? {
    let position = index - entity.slotCount
    guard position >= 0, index < entity.properties.count else { return nil }
    if toManys.isEmpty {
      toManys = ContiguousArray(repeating: nil, count: entity.properties.count - entity.slotCount)
    }
    if let state = toManys[position] { return state }
    if !isInserted { noteOutliving("was asked for related objects") }
    // A new object has no members but those that it is given.
    let state = ToManyState(isLoaded: isInserted || contextReference == nil)
    toManys[position] = state
    return state
  }

  /// The same, with all members in memory.
  final func loadedState(at index: Int) -> ToManyState? {
    guard let state = toManyState(at: index) else { return nil }
    if !state.isLoaded { contextReference?.load(state, of: self, at: index) }
    return state
  }

  // MARK: - By name

  /// The members of a to-many relationship by name.
  public final func members(_ name: String) -> [ManagedObject] {
    entity.index(of: name).map { members(at: $0) } ?? []
  }

  /// Replaces the members of a to-many relationship by name, and the other sides with them.
  public final func setMembers(_ members: [ManagedObject], _ name: String) {
    guard let index = entity.index(of: name), index >= entity.slotCount else {
      context?.refuse(.unknownProperty(entity: entity.name, property: name))
      return
    }
    setMembers(members, at: index)
  }
}
