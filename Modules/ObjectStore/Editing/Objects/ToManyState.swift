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
  private(set) var isReordered = false
  /// Members that were put where they are here. The others stand as they do in the store.
  private(set) var placed: Set<ObjectIdentifier> = []
  /// The version of the database that the members are of.
  var version: UInt32 = 0
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

  /// Notes that a member was put where it is.
  func place(_ object: ManagedObject) {
    placed.insert(ObjectIdentifier(object))
    isReordered = true
  }

  /// Forgets which members were put where they are.
  func forgetOrder() {
    placed = []
    isReordered = false
  }

  /// Notes that an object is no member any more.
  func remove(_ object: ManagedObject, keepingOrder: Bool) {
    let identifier = ObjectIdentifier(object)
    placed.remove(identifier)
    if added.removeValue(forKey: identifier) == nil { removed[identifier] = object }
    if isLoaded { members.remove(object, keepingOrder: keepingOrder) }
  }

  /// Has a member again that was noted to be none any more. It stands where it does in the store.
  func restore(_ object: ManagedObject) {
    if removed.removeValue(forKey: ObjectIdentifier(object)) != nil { reload(keepingOrder: true) }
  }

  /// Forgets what was noted of an object that others have made lead elsewhere.
  func forget(_ object: ManagedObject) {
    let identifier = ObjectIdentifier(object)
    placed.remove(identifier)
    added[identifier] = nil
    removed[identifier] = nil
    if isLoaded { members.remove(object, keepingOrder: true) }
  }

  /// Forgets members that were deleted elsewhere.
  func forgetGone() {
    guard members.objects.contains(where: \.isGone) || added.values.contains(where: \.isGone) else { return }
    placed.subtract(members.objects.lazy.filter(\.isGone).map { ObjectIdentifier($0) })
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

  /// Has these members; those that were put somewhere here stand there again.
  func load(_ fresh: [ManagedObject]) {
    guard let former = formerOrder else {
      members = MemberList(fresh)
      return
    }
    members = MemberList(Self.merged(former, placed: placed, into: fresh))
    formerOrder = nil
    let known = Set(former.map { ObjectIdentifier($0) })
    var isMoved = false
    for identifier in members.objects.lazy.map({ ObjectIdentifier($0) }) {
      if known.contains(identifier) { isMoved = placed.contains(identifier) }
      // It follows who was put somewhere here.
      if isMoved { placed.insert(identifier) }
    }
  }

  /// Members as they stand in the store, but for those that were put elsewhere: they come behind the ones that they were put behind, and last if
  /// they were last. What the store alone has follows what it follows there.
  static func merged(_ former: [ManagedObject], placed: Set<ObjectIdentifier>, into fresh: [ManagedObject])
    -> [ManagedObject]
  {
    let present = Set(fresh.map { ObjectIdentifier($0) })
    var known = Set<ObjectIdentifier>()
    // Of each that was not put anywhere here, those that were put behind it.
    var followers: [ObjectIdentifier?: [ManagedObject]] = [:]
    var (last, following) = (ObjectIdentifier?.none, [ManagedObject]())
    for member in former where present.contains(ObjectIdentifier(member)) {
      known.insert(ObjectIdentifier(member))
      if placed.contains(ObjectIdentifier(member)) {
        following.append(member)
      } else {
        followers[last] = following
        (last, following) = (ObjectIdentifier(member), [])
      }
    }
    var order: [ManagedObject] = []
    var next = followers[nil] ?? []
    // Of each that was there before, those that the store alone has behind it.
    var arrivals: [ObjectIdentifier?: [ManagedObject]] = [:]
    last = nil
    for member in fresh {
      let identifier = ObjectIdentifier(member)
      guard known.contains(identifier) else {
        arrivals[last, default: []].append(member)
        continue
      }
      last = identifier
      if placed.contains(identifier) { continue }
      order += next + [member]
      next = followers[identifier] ?? []
    }
    order += next + following
    return (arrivals[nil] ?? []) + order.flatMap { [$0] + (arrivals[ObjectIdentifier($0)] ?? []) }
  }

  /// Has an object instead of another one that stands for the same row.
  func replace(_ old: ManagedObject, by new: ManagedObject) {
    if added.removeValue(forKey: ObjectIdentifier(old)) != nil { added[ObjectIdentifier(new)] = new }
    if removed.removeValue(forKey: ObjectIdentifier(old)) != nil { removed[ObjectIdentifier(new)] = new }
    if placed.remove(ObjectIdentifier(old)) != nil { placed.insert(ObjectIdentifier(new)) }
    members.replace(old, by: new)
    if let index = formerOrder?.firstIndex(where: { $0 === old }) { formerOrder?[index] = new }
  }

  /// Forgets the changes: the store has them.
  func commit() {
    added.removeAll()
    removed.removeAll()
    forgetOrder()
    formerOrder = nil
  }
}
