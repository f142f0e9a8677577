import ObjectStore

/// What taking a merge back does. Everything is decided from what objects show before any row is written: what is written first would
/// otherwise decide what may be written next.
struct UndoPlan {
  /// What a property has to show again.
  struct Write {
    var slot: ObjectTable.Slot
    var property: KnownProperty
    var position: LocalProperty
    var before: MergeInverse.Shown
    /// What it shows now; `nil` if the object comes back.
    var present: MergeInverse.Shown?
    var object: MergeInverse.Object
  }

  /// An object that has to come back.
  struct Return {
    var slot: ObjectTable.Slot
    var entity: KnownEntity
    var local: LocalEntity
  }

  /// The members of a list, as they have to stand again.
  struct Order {
    var list: MemberListID
    var members: [SyncID]
  }

  /// Objects whose rows go: those that came with the merge, and those that it made objects of another entity.
  private(set) var removals: [ObjectTable.Slot] = []
  private(set) var returns: [Return] = []
  private(set) var writes: [Write] = []
  private(set) var orders: [Order] = []
  /// Of these, the lists whose members are taken out.
  private var listed: Set<MemberListID> = []
  /// Objects of which something is taken back.
  private(set) var objects: Set<SyncID> = []
  private(set) var kept: [UndoReport.Kept] = []
  /// Objects that came with the merge and stay, without links.
  private(set) var remaining: [UndoReport.Kept] = []

  private let entities: Set<String>
  private let cells: Cells
  private let reader: RegisterReader
  private let shown: ShownObjects
  /// What the merge left of the objects that it changed.
  private let noted: [SyncID: [MergeInverse.State]]

  /// - Parameter entities: entities of which objects that came stay.
  init(_ inverse: MergeInverse, keeping entities: Set<String>, reader: RegisterReader) throws {
    self.entities = entities
    cells = reader.cells
    self.reader = reader
    shown = ShownObjects(reader: reader)
    let (objects, unnamed) = inverse.translated(to: cells.names)
    noted = Dictionary(grouping: objects, by: \.syncID).mapValues { $0.compactMap(\.after) }
    kept = unnamed
    for object in objects { try add(object) }
    keepLinksOfKept()
    let missing = try writes.filter { try !canShow($0) }
    for write in missing { keep(write.object, write.property.name) }
    writes = try writes.filter(canShow)
  }

  private mutating func add(_ object: MergeInverse.Object) throws {
    guard let number = cells.names.existingNumber(of: object.root),
      let slot = try cells.objects.find(object.syncID, root: cells.names[number].root)
    else { return keep(object) }
    let current = try shown.state(of: cells[slot])
    switch (object.before, object.after) {
    case (nil, let after):
      guard let current else { return }
      if let after, entities.contains(after.entity) { return remain(object, slot, after, current) }
      guard let after, try current.remains(after) && !isUsedSince(slot) else { return keep(object) }
      removals.append(slot)
      objects.insert(object.syncID)
    case (let before?, let after) where before.entity != after?.entity:
      guard Self.remains(current, after),
        let entity = cells.names.existingNumber(of: before.entity).map({ cells.names[$0] }),
        let local = entity.local
      else { return keep(object) }
      if current != nil {
        removals.append(slot)
        try addLists(with: slot)
      }
      returns.append(Return(slot: slot, entity: entity, local: local))
      objects.insert(object.syncID)
      addWrites(before.properties.keys.sorted(), of: object, slot, entity, before, nil)
      for list in before.orders.keys.sorted() { addOrder(list, of: slot, before) }
    case (let before?, let after?):
      let entity = cells.entity(of: slot)
      let keys = before.properties.keys.filter { before.properties[$0] != after.properties[$0] }.sorted()
      var former = before
      var settled: Set<String> = []
      let open = keys.filter { key in
        let (shown, noted) = (current?.properties[key], after.properties[key])
        if let members = shown?.members(takingBack: noted, to: before.properties[key]) {
          former.properties[key] = .targets(members)
          if shown == former.properties[key] { settled.insert(key) }
          return shown != former.properties[key]
        }
        return shown.map { $0.remains(noted) } ?? (noted == nil)
      }
      for key in keys where !open.contains(key) && !settled.contains(key) { keep(object, key) }
      addWrites(open, of: object, slot, entity, former, current)
      let lists = before.orders.keys.filter {
        before.orders[$0] != after.orders[$0] && current?.orders[$0] == after.orders[$0]
      }
      for list in lists.sorted() { addOrder(list, of: slot, before) }
      if !open.isEmpty || !lists.isEmpty { objects.insert(object.syncID) }
    case (_?, nil): return
    }
  }

  /// Whether something leads to an object that did not when the merge had ended. At its own end nothing shows of that.
  private func isUsedSince(_ slot: ObjectTable.Slot) throws -> Bool {
    let record = cells[slot]
    guard let row = record.row else { return false }
    for reference in try reader.references(to: row, below: record.root)
    where !isNoted(cells[reference.holder].syncID, reference.property, record.syncID) { return true }
    for link in try cells.links.cells(to: record.id) {
      let source = try cells.objects[link.source]
      let property = try cells.entity(of: source).property(link.bit)
      // What does not show is nobody's use of it here.
      guard Cells.isInEffect(link, source: source), source.row != nil, property.local != nil,
        property.admits(record.entity)
      else { continue }
      if !isNoted(source.syncID, property, record.syncID) { return true }
    }
    return false
  }

  private func isNoted(_ holder: SyncID, _ property: KnownProperty, _ target: SyncID) -> Bool {
    noted[holder, default: []].contains { state in
      switch state.properties[property.name] {
      case .target(let noted)?: noted == target
      case .targets(let noted)?: noted.contains(target)
      case .value?, .awaited?, nil: false
      }
    }
  }

  /// Leaves an object that came with the merge, without the links that came with it.
  private mutating func remain(
    _ object: MergeInverse.Object, _ slot: ObjectTable.Slot, _ after: MergeInverse.State,
    _ current: MergeInverse.State
  ) {
    var former = current
    var links: [String] = []
    for (key, shown) in current.properties.sorted(by: { $0.key < $1.key }) {
      if let members = shown.members(takingBack: after.properties[key], to: .targets([])) {
        former.properties[key] = .targets(members)
      } else if case .target(_?) = shown, shown == after.properties[key] {
        former.properties[key] = .target(nil)
      }
      if former.properties[key] != shown { links.append(key) }
    }
    addWrites(links, of: object, slot, cells.entity(of: slot), former, current)
    if !links.isEmpty { objects.insert(object.syncID) }
    remaining.append(UndoReport.Kept(entity: after.entity, object: object.syncID, key: nil))
  }

  /// What came and stays as a whole keeps its links.
  private mutating func keepLinksOfKept() {
    let whole = Set(kept.filter { $0.key == nil }.map(\.object))
    guard !whole.isEmpty else { return }
    for index in writes.indices {
      guard case .targets(let former) = writes[index].before,
        case .targets(let present)? = writes[index].present
      else { continue }
      writes[index].before = .targets(former.union(present.intersection(whole)))
    }
  }

  private static func remains(_ current: MergeInverse.State?, _ noted: MergeInverse.State?) -> Bool {
    guard let current, let noted else { return current == nil && noted == nil }
    return current.remains(noted)
  }

  private mutating func addWrites(
    _ keys: [String], of object: MergeInverse.Object, _ slot: ObjectTable.Slot, _ entity: KnownEntity,
    _ before: MergeInverse.State, _ current: MergeInverse.State?
  ) {
    for key in keys {
      guard let shown = before.properties[key],
        let property = entity.localProperties.first(where: { $0.name == key }), let position = property.local
      else {
        keep(object, key)
        continue
      }
      writes.append(
        Write(
          slot: slot, property: property, position: position, before: shown,
          present: current?.properties[key],
          object: object))
    }
  }

  private mutating func addOrder(
    _ list: MergeInverse.List, of slot: ObjectTable.Slot, _ before: MergeInverse.State
  ) {
    guard let members = before.orders[list], let number = cells.names.existingNumber(of: list.entity),
      let property = cells.names[number].localProperties.first(where: { $0.name == list.key })
    else { return }
    orders.append(
      Order(
        list: MemberListID(
          declaration: property.declaration, bit: property.bit, isInverse: list.isInverse,
          owner: cells[slot].id),
        members: members))
  }

  /// The lists that an object is in, whose places end with its deletion.
  private mutating func addLists(with slot: ObjectTable.Slot) throws {
    for list in try MemberLists(reader: reader).lists(with: slot) where !listed.contains(list) {
      let members = try shown.members(of: list)
      guard members.contains(cells[slot].syncID) else { continue }
      orders.append(Order(list: list, members: members))
      listed.insert(list)
    }
  }

  /// Whether what a property has to show is there, or comes back.
  private func canShow(_ write: Write) throws -> Bool {
    switch write.before {
    // An object that comes back goes on waiting. In one that stayed, what it shows is not given for what may never come.
    case .awaited: return returns.contains { $0.slot == write.slot }
    case .value, .targets, .target(nil): return true
    case .target(let target?):
      guard let slot = try cells.target(target, of: write.property) else { return false }
      return cells[slot].row != nil && !removals.contains(slot) || returns.contains { $0.slot == slot }
    }
  }

  private mutating func keep(_ object: MergeInverse.Object, _ key: String? = nil) {
    kept.append(
      UndoReport.Kept(
        entity: (object.after ?? object.before)?.entity ?? object.root, object: object.syncID, key: key))
  }
}
