/// What an object knows of one of its to-many relationships.
final class ToManyState {
  /// Whether `members` are all members; otherwise only the changes are known.
  var isLoaded: Bool
  /// The members as they are in memory.
  var members: MemberList
  /// Members that the store does not have yet.
  var added: [ObjectIdentifier: ManagedObject] = [:]
  /// Members that the store still has.
  var removed: [ObjectIdentifier: ManagedObject] = [:]
  /// Whether the order is to be written.
  var isReordered = false
  /// The members in the order that was chosen here, to be brought into what the store has by now when they are loaded again.
  private var formerOrder: [ManagedObject]?

  init(isLoaded: Bool, members: [ManagedObject] = []) {
    self.isLoaded = isLoaded
    self.members = MemberList(members)
  }

  var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Notes that an object became a member.
  func add(_ object: ManagedObject, position: Int? = nil) {
    let identifier = ObjectIdentifier(object)
    if removed.removeValue(forKey: identifier) == nil { added[identifier] = object }
    guard isLoaded, !members.contains(object) else { return }
    if let position { members.insert(object, at: position) } else { members.append(object) }
  }

  /// Notes that an object is no member any more.
  func remove(_ object: ManagedObject, keepingOrder: Bool) {
    let identifier = ObjectIdentifier(object)
    if added.removeValue(forKey: identifier) == nil { removed[identifier] = object }
    if isLoaded { members.remove(object, keepingOrder: keepingOrder) }
  }

  /// Forgets what was noted of an object that others have made lead elsewhere.
  func forget(_ object: ManagedObject) {
    added[ObjectIdentifier(object)] = nil
    removed[ObjectIdentifier(object)] = nil
    if isLoaded { members.remove(object, keepingOrder: true) }
  }

  /// Forgets members that were deleted elsewhere.
  func forgetGone() {
    guard members.objects.contains(where: \.isGone) || added.values.contains(where: \.isGone) else { return }
    added = added.filter { !$0.value.isGone }
    if isLoaded { members = MemberList(members.objects.filter { !$0.isGone }) }
  }

  /// Has the members read again when they are needed next: others have come or left.
  func reload(keepingOrder: Bool) {
    guard isLoaded else { return }
    if keepingOrder { formerOrder = members.objects.map { $0 } }
    isLoaded = false
    members = MemberList()
  }

  /// Has these members, in the order that was chosen here before they were read again, if there was one.
  func load(_ fresh: [ManagedObject]) {
    members = MemberList(ordered(fresh))
    formerOrder = nil
  }

  /// Members in the order that was chosen here, as far as they were members then; others follow the one that they follow in the store.
  private func ordered(_ fresh: [ManagedObject]) -> [ManagedObject] {
    guard let former = formerOrder else { return fresh }
    let present = Set(fresh.map { ObjectIdentifier($0) })
    let kept = former.filter { present.contains(ObjectIdentifier($0)) }
    let known = Set(kept.map { ObjectIdentifier($0) })
    var first: [ManagedObject] = []
    var followers: [ObjectIdentifier: [ManagedObject]] = [:]
    var last: ObjectIdentifier?
    for member in fresh {
      let identifier = ObjectIdentifier(member)
      if known.contains(identifier) {
        last = identifier
      } else if let last {
        followers[last, default: []].append(member)
      } else {
        first.append(member)
      }
    }
    return first + kept.flatMap { [$0] + (followers[ObjectIdentifier($0)] ?? []) }
  }

  /// Has an object instead of another one that stands for the same row.
  func replace(_ old: ManagedObject, by new: ManagedObject) {
    if added.removeValue(forKey: ObjectIdentifier(old)) != nil { added[ObjectIdentifier(new)] = new }
    if removed.removeValue(forKey: ObjectIdentifier(old)) != nil { removed[ObjectIdentifier(new)] = new }
    members.replace(old, by: new)
    if let index = formerOrder?.firstIndex(where: { $0 === old }) { formerOrder?[index] = new }
  }

  /// Forgets the changes: the store has them.
  func commit() {
    added.removeAll()
    removed.removeAll()
    isReordered = false
    formerOrder = nil
  }
}
