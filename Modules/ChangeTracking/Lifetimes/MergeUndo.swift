import ObjectStore

/// Takes a merge back as a user would, within one transaction: by editing rows and logging it, so that it goes out like any
/// other change.
///
/// In two passes, of which the first makes room: what goes gives its values and targets free before anything else takes them again.
struct MergeUndo {
  private let cells: Cells
  private let showing: Showing
  private let log: ChangeLog
  /// When links and objects go. Everything else is later by one, for a log is in the order of time.
  private let time: LogicalTime
  private var later: LogicalTime { time.next }
  private let plan: UndoPlan
  private(set) var report = UndoReport()
  /// What objects that have come back wait for, as they did before.
  private(set) var awaited: [RegisterID: LongValue] = [:]
  private var store: any LocalStore { showing.store }
  private var reader: RegisterReader { showing.reader }

  init(
    _ inverse: MergeInverse, keeping entities: Set<String>, showing: Showing, log: ChangeLog,
    time: LogicalTime
  ) throws {
    cells = showing.cells
    self.showing = showing
    self.log = log
    self.time = time
    plan = try UndoPlan(inverse, keeping: entities, reader: showing.reader)
    report.objects = plan.objects.count
    report.kept = plan.kept
    report.remaining = plan.remaining
  }

  mutating func run() throws {
    let records = plan.returns.map { cells[$0.slot] }
    for write in plan.writes where write.present != nil { try clear(write) }
    for slot in plan.removals { try remove(slot) }
    for object in plan.returns { try bringBack(object) }
    try showWhatLeadsToReturned()
    for write in plan.writes {
      if try !set(write) {
        try leave(write)
      } else if case .value(let value) = write.before, Self.reachable(value.value, write) != value.value {
        report.kept.append(Self.subject(of: write))
      }
    }
    for order in plan.orders { try arrange(order) }
    for write in plan.writes { try waitAgain(write) }
    // What these records become, the log says.
    for (object, record) in zip(plan.returns, records) {
      cells[object.slot].row = record.row
      cells[object.slot].entity = record.entity
    }
  }

  // MARK: Making room

  private func clear(_ write: UndoPlan.Write) throws {
    guard let owner = reader.row(of: cells[write.slot]) else { return }
    switch write.before {
    case .value:
      if write.property.isUnique {
        try showing.rows.update(owner, values: [PropertyValue(property: write.position, value: .null)])
      }
    case .target:
      // Whoever the present partner is, he shows this object no more.
      if write.property.isPartner { try showing.partPartners(of: write.slot, write.property) }
      try showing.rows.setTarget(of: owner, write.position, to: nil)
    case .targets(let targets):
      let members = try rows(of: targets, write.property)
      for target in try store.targets(of: owner, write.position)
      where !members.contains(where: { $0.row == target }) {
        guard let destination = cells.names.destination(of: write.property)?.name,
          let identity = try store.checkedIdentity(of: target, below: destination)
        else { continue }
        try setLink(write, owner, RowReference(entity: identity.entity, row: target), isShown: false)
      }
    case .awaited: return
    }
  }

  private func remove(_ slot: ObjectTable.Slot) throws {
    guard let row = reader.row(of: cells[slot]) else { return }
    try showing.dropRow(row, of: slot)
    try log.appendDeletion(
      entity: cells[slot].entity, row: row.row, syncID: cells[slot].syncID, time: time)
    cells[slot].row = nil
  }

  // MARK: Bringing back

  /// Brings an object back, without anything but its identifier.
  private func bringBack(_ object: UndoPlan.Return) throws {
    let row = try showing.addRow(of: object.slot, object.local)
    cells[object.slot].row = row.row
    cells[object.slot].entity = object.entity.number
    try log.appendInsertion(entity: object.entity.number, row: row.row, time: later)
  }

  /// Shows what leads to objects whose rows were made anew, where nothing of that is taken back.
  private func showWhatLeadsToReturned() throws {
    // These show what they showed before the merge, of which neither a cell nor what is kept aside tells.
    let returned = Set(plan.returns.map { cells[$0.slot].id })
    let written = Set(plan.writes.map { RegisterID(object: cells[$0.slot].id, bit: $0.property.bit) })
    for slot in plan.removals where cells[slot].row != nil {
      try showing.showWhatLeads(to: slot) { !returned.contains($0.object) && !written.contains($0) }
    }
  }

  /// Lets a property show what it showed; `false` if it cannot.
  private func set(_ write: UndoPlan.Write) throws -> Bool {
    guard let owner = reader.row(of: cells[write.slot]) else { return false }
    switch write.before {
    case .value(let value):
      guard try showing.setValue(Self.reachable(value.value, write), of: owner, write.position) else {
        return false
      }
    case .target(let target):
      let member = try target.flatMap { try row(of: $0, write.property) }
      guard target == nil || member != nil else { return false }
      if let member, write.property.isExclusive {
        let holders = try store.sources(owner.entity, write.position, to: member.row)
        guard holders.allSatisfy({ $0 == owner.row }) else { return false }
      }
      if let member { try showing.rows.setTarget(of: owner, write.position, to: member) }
    case .targets(let targets):
      let members = try rows(of: targets, write.property)
      let present = try store.targets(of: owner, write.position)
      for member in members where !present.contains(member.row) {
        try setLink(write, owner, member, isShown: true)
      }
      return members.count == targets.count
    case .awaited: return true
    }
    try log.appendUpdate(
      entity: cells[write.slot].entity, row: owner.row, bit: write.property.bit, time: later)
    return true
  }

  /// Lets an object that has come back wait for a long value as it did. That is later than its insertion, or it would be what the insertion
  /// says: what is kept aside of that is passed over.
  private mutating func waitAgain(_ write: UndoPlan.Write) throws {
    guard case .awaited(let value) = write.before, let owner = reader.row(of: cells[write.slot]) else {
      return
    }
    awaited[RegisterID(object: cells[write.slot].id, bit: write.property.bit)] = value
    report.awaited.append(Self.subject(of: write))
    try log.appendUpdate(
      entity: cells[write.slot].entity, row: owner.row, bit: write.property.bit, time: later.next)
  }

  /// What comes nearest to a value: nobody can have counted nothing again, but what was counted can be taken away.
  private static func reachable(_ value: AttributeValue, _ write: UndoPlan.Write) -> AttributeValue {
    guard value.isNull, write.property.declaredMerge == .counter, case .value(let present)? = write.present
    else { return value }
    return switch present.value {
    case .integer: .integer(0)
    case .double: .double(0)
    case .decimal: .decimal(0)
    default: value
    }
  }

  /// Shows again what a property showed before room was made.
  private mutating func leave(_ write: UndoPlan.Write) throws {
    report.kept.append(Self.subject(of: write))
    // What waits for the property to be free goes on waiting.
    let isWaiting = try isKeptAside(write)
    switch write.present {
    case .value(let value)? where isWaiting:
      guard let owner = reader.row(of: cells[write.slot]) else { return }
      try showing.rows.update(owner, values: [PropertyValue(property: write.position, value: value.value)])
    case .target? where isWaiting: return
    case .value(let value)?:
      try showing.writeRow(write.slot, [Win(bit: write.property.bit, content: .value(value.value))])
    case .target(let target)?:
      try showing.writeRow(write.slot, [Win(bit: write.property.bit, content: .target(target))])
    case .targets?, .awaited?, nil: return
    }
  }

  private func isKeptAside(_ write: UndoPlan.Write) throws -> Bool {
    let register = RegisterID(object: cells[write.slot].id, bit: write.property.bit)
    return try cells.parked.contains(register)
  }

  private static func subject(of write: UndoPlan.Write) -> UndoReport.Kept {
    let object = write.object
    return UndoReport.Kept(
      entity: (object.after ?? object.before)?.entity ?? object.root, object: object.syncID,
      key: write.property.name)
  }

  private func rows(of targets: Set<SyncID>, _ property: KnownProperty) throws -> [RowReference] {
    try targets.sorted().compactMap { try row(of: $0, property) }
  }

  /// The row of an object that a relationship can lead to: it may have become one of another entity since.
  private func row(of target: SyncID, _ property: KnownProperty) throws -> RowReference? {
    guard let slot = try cells.target(target, of: property), property.admits(cells[slot].entity) else {
      return nil
    }
    return reader.row(of: cells[slot])
  }

  private func setLink(
    _ write: UndoPlan.Write, _ owner: RowReference, _ member: RowReference, isShown: Bool
  ) throws {
    try showing.rows.setLink(owner, write.position, member, isShown: isShown)
    try log.appendLink(
      entity: cells[write.slot].entity, row: owner.row, bit: write.property.bit,
      target: ChangeLog.Row(entity: cells.names[member.entity].number, row: member.row), added: isShown,
      time: isShown ? later : time)
  }

  /// Puts the members of a list into the order that they had; those that came since stay at the end.
  private func arrange(_ order: UndoPlan.Order) throws {
    let lists = MemberLists(reader: reader)
    guard let list = try lists.localList(order.list) else { return }
    let ranks = Dictionary(zip(order.members, 0...), uniquingKeysWith: { first, _ in first })
    let members = try store.checkedMembers(of: list).enumerated().map { index, row in
      (row, rank: try lists.member(row).flatMap { ranks[cells[$0].syncID] } ?? order.members.count + index)
    }
    let owner = try cells.objects[order.list.owner]
    guard let row = reader.row(of: owner) else { return }
    _ = try showing.rows.arrange(members.sorted { $0.rank < $1.rank }.map(\.0), of: list, owner: row)
    let entity = order.list.isInverse ? order.list.declaration : owner.entity
    try log.appendOrder(
      entity: entity, owner: ChangeLog.Row(entity: owner.entity, row: row.row), bit: order.list.bit,
      isInverse: order.list.isInverse, time: later)
  }
}
