import TICDSSQLite

/// Writes the links of many-to-many relationships, each once, whichever of its two sides is met first.
struct LinkWriter {
  private struct Link: Hashable {
    let join: Int
    let source: ObjectIdentifier
    let target: ObjectIdentifier
  }

  private let schema: StoreSchema
  private let connection: Connection
  private let records: Bool
  private(set) var check: ReferenceCheck
  private let key: (ManagedObject) -> Int64
  private var written: Set<Link> = []
  private(set) var changes: [LinkChange] = []
  private(set) var orders: [OrderChange] = []

  init(
    schema: StoreSchema, connection: Connection, records: Bool, check: ReferenceCheck,
    key: @escaping (ManagedObject) -> Int64
  ) {
    self.schema = schema
    self.connection = connection
    self.records = records
    self.check = check
    self.key = key
  }

  /// Writes what changed in the many-to-many relationships of one object.
  mutating func write(_ object: ManagedObject) throws {
    let slotCount = object.entity.slotCount
    for (index, storage) in schema.table(of: object.entity).storage.enumerated() where index >= slotCount {
      guard case .join(let side) = storage else { continue }
      if object.isDeleted { try removeAll(of: object, side, at: index) }
      guard !object.toManys.isEmpty, let state = object.toManys[index - slotCount] else { continue }
      for member in state.removed.values { try change(object, member, side, isAdded: false) }
      if object.isDeleted { continue }
      for member in state.added.values where !member.isDeleted && !member.isGone {
        try check.check(object, key: key(object), to: member, key: key(member), in: index)
        try change(object, member, side, isAdded: true)
      }
      if state.isReordered { try writeOrder(of: object, side, at: index) }
    }
  }

  private mutating func change(
    _ object: ManagedObject, _ member: ManagedObject, _ side: JoinSide, isAdded: Bool
  ) throws {
    var (source, target) = side.isReversed ? (member, object) : (object, member)
    if side.table.isReflexive, key(source) > key(target) { swap(&source, &target) }
    let link = Link(
      join: side.table.index, source: ObjectIdentifier(source), target: ObjectIdentifier(target))
    guard written.insert(link).inserted else { return }
    try run(side.table, key(source), key(target), isAdded: isAdded)
    if side.table.isReflexive, source !== target {
      try run(side.table, key(target), key(source), isAdded: isAdded)
    }
    if records {
      changes.append(
        LinkChange(
          join: Int32(side.table.index), sourceEntity: Int32(source.entity.index), sourceKey: key(source),
          targetEntity: Int32(target.entity.index), targetKey: key(target), isAdded: isAdded,
          position: isAdded ? Self.position(of: target, in: source, side.table) : nil))
    }
  }

  private func run(_ table: JoinTable, _ source: Int64, _ target: Int64, isAdded: Bool) throws {
    let statement = try connection.cached(isAdded ? table.insertion : table.deletion)
    try statement.bind(source, at: 1)
    try statement.bind(target, at: 2)
    // Places are written when all links are there.
    if isAdded, table.targetOrder != nil { try statement.bindNull(3) }
    _ = try statement.step()
  }

  /// A deleted object's links go, those too that were not in memory.
  private mutating func removeAll(of object: ManagedObject, _ side: JoinSide, at index: Int) throws {
    if records {
      for member in object.members(at: index) where member.key > 0 {
        try change(object, member, side, isAdded: false)
      }
    }
    for column in side.table.isReflexive ? [side.ownColumn, side.memberColumn] : [side.ownColumn] {
      try connection.run(
        side.table.removal(where: "\(quote(column)) = ?"), .integer(key(object)))
    }
  }

  private mutating func writeOrder(of object: ManagedObject, _ side: JoinSide, at index: Int) throws {
    guard let order = side.orderColumn else { return }
    if records {
      orders.append(
        OrderChange(entity: Int32(object.entity.index), primaryKey: key(object), property: Int32(index)))
    }
    let statement = try connection.cached(
      """
      UPDATE \(quote(side.table.name)) SET \(quote(order)) = ? \
      WHERE \(quote(side.ownColumn)) = ? AND \(quote(side.memberColumn)) = ?
      """)
    for (position, member) in object.members(at: index).enumerated() {
      try statement.bind(Int64(position + 1) * MemberPlaces.distance, at: 1)
      try statement.bind(key(object), at: 2)
      try statement.bind(key(member), at: 3)
      _ = try statement.step()
    }
  }

  private static func position(of target: ManagedObject, in source: ManagedObject, _ table: JoinTable)
    -> Int64?
  {
    guard table.targetOrder != nil else { return nil }
    let index = source.entity.properties.firstIndex {
      $0.name
        == source.contextReference?.model.entities[table.sourceEntity].properties[table.sourceProperty].name
    }
    return index.flatMap { source.members(at: $0).firstIndex { $0 === target } }.map(Int64.init)
  }
}
