import ObjectStore

/// What objects show, for whoever takes a merge back.
struct ShownObjects {
  private let reader: RegisterReader
  private var cells: Cells { reader.cells }
  private var store: any LocalStore { reader.store }
  /// The ordered relationships that end at the objects of a root, by the number of the root: canonical ends, each once.
  private let orderedEnds: [EntityNumber: [(declaration: KnownEntity, property: KnownProperty)]]

  init(reader: RegisterReader) {
    self.reader = reader
    let names = reader.cells.names
    var ends: [EntityNumber: [(KnownEntity, KnownProperty)]] = [:]
    var seen: Set<Declared> = []
    for entity in names.entities where entity.local != nil {
      for property in entity.localProperties where property.order.contains(.sources) {
        guard property.declaration.isKnown, let destination = names.destination(of: property),
          seen.insert(Declared(entity: property.declaration, bit: property.bit)).inserted
        else { continue }
        ends[destination.number, default: []].append((names[property.declaration], property))
      }
    }
    orderedEnds = ends
  }

  private struct Declared: Hashable {
    var entity: EntityNumber
    var bit: PropertyBit
  }

  /// What an object shows now; `nil` if it does not live or the local model does not know it.
  func state(of record: ObjectRecord) throws -> MergeInverse.State? {
    guard let row = reader.row(of: record) else { return nil }
    let entity = cells.entity(of: record)
    let known = entity.localProperties
    let registers = known.filter(\.isRegister)
    guard let stored = try store.readRow(row, registers.compactMap(\.local)) else { return nil }
    var state = MergeInverse.State(entity: entity.name)
    for (property, content) in zip(registers, stored.contents) {
      switch try reader.content(content, of: property) {
      case .value(let value)?: state.properties[property.name] = .value(ExactValue(value))
      case .target(let target)?: state.properties[property.name] = .target(target)
      case .longValue?, nil: continue
      }
    }
    if record.hasTraces {
      for kept in try cells.parked.values(of: record.id) {
        guard case .longValue(let value) = kept.content else { continue }
        state.properties[try entity.property(kept.bit).name] = .awaited(value)
      }
    }
    for property in known {
      guard case .toMany = property.kind, let position = property.local,
        let root = cells.names.destination(of: property)?.name
      else { continue }
      let targets = try store.targets(of: row, position).compactMap {
        try store.checkedIdentity(of: $0, below: root)?.syncID
      }
      state.properties[property.name] = .targets(Set(targets))
    }
    try addOrders(of: record, entity, to: &state)
    return state
  }

  private func addOrders(of record: ObjectRecord, _ entity: KnownEntity, to state: inout MergeInverse.State)
    throws
  {
    for property in entity.localProperties where property.order.contains(.targets) {
      guard property.declaration.isKnown else { continue }
      try add(
        MemberListID(
          declaration: property.declaration, bit: property.bit, isInverse: false, owner: record.id), property,
        to: &state)
    }
    for (_, property) in orderedEnds[record.root] ?? [] {
      try add(
        MemberListID(
          declaration: property.declaration, bit: property.bit, isInverse: true, owner: record.id), property,
        to: &state)
    }
  }

  private func add(_ list: MemberListID, _ property: KnownProperty, to state: inout MergeInverse.State) throws
  {
    let members = try members(of: list)
    if members.isEmpty { return }
    state.orders[
      MergeInverse.List(
        entity: cells.names[list.declaration].name, key: property.name, isInverse: list.isInverse)] = members
  }

  /// The members of a list, in the order in which rows show them.
  func members(of list: MemberListID) throws -> [SyncID] {
    let lists = MemberLists(reader: reader)
    guard let local = try lists.localList(list) else { return [] }
    return try store.checkedMembers(of: local).compactMap { row in
      try lists.member(row).map { cells[$0].syncID }
    }
  }
}
