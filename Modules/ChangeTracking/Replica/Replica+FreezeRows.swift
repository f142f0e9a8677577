import ObjectStore

/// What is said of the rows that were touched.
extension Replica {
  func freeze(_ touched: TouchedRows.Row, by author: AuthorID, into builder: inout ChangeSetBuilder)
    throws
  {
    if let deletion = touched.deletion {
      try freezeDeletion(of: touched, at: deletion.time, syncID: deletion.syncID, by: author, into: &builder)
    } else {
      try freezeContents(of: withInsertion(touched), by: author, into: &builder)
    }
  }

  private func freezeDeletion(
    of touched: TouchedRows.Row, at time: LogicalTime, syncID: SyncID, by author: AuthorID,
    into builder: inout ChangeSetBuilder
  ) throws {
    let entity = names.entities[touched.entity]
    let known = try objects.find(syncID, root: entity.root, authors: authors)
    // Nobody else can know an object that was inserted and deleted between two sets, unless its identifier is natural.
    let isNew = touched.insertion != nil || touched.row > frontier(of: touched.entity)
    if known == nil, isNew, !syncID.isNatural { return }
    let slot = try known ?? objects.obtain(syncID, root: entity.root, authors: authors)
    if objects[slot].entity == 0 { objects[slot].entity = touched.entity }
    if objects[slot].row == touched.row || objects[slot].row == nil {
      objects[slot].row = nil
      try parked.removeAll(of: objects[slot].id)
    }
    if entity.hasExclusiveProperty { claimsMayBeFree = true }
    try eraseContributions(to: slot, at: Stamp(time: time, author: author))
    objects[slot].delete(at: Stamp(time: time, author: author))
    builder.append(.delete, to: syncID, entity: builder.index(of: touched.entity, in: names), at: time)
  }

  func freezeContents(
    of touched: TouchedRows.Row, by author: AuthorID, into builder: inout ChangeSetBuilder
  )
    throws
  {
    let entity = names.entities[touched.entity]
    guard let local = entity.local else { return }
    // A group is said as a whole, with the time of the last write of one of its properties.
    let hasGroups = !entity.groups.isEmpty
    let writes = hasGroups ? Self.writesOfGroups(touched.writes, in: entity) : touched.writes
    let bits = Self.registers(of: entity, written: touched.insertion == nil ? writes : nil)
    // A row that is gone by now has its deletion further on in the log.
    guard
      let stored = try store.readRow(
        entity: local, row: touched.row, properties: bits.compactMap { entity.properties[$0].local }),
      let syncID = stored.syncID
    else { return }

    let slot = try objects.obtain(syncID, root: entity.root, authors: authors)
    // What a row shows that nobody recorded is nobody's contribution. Two devices may have begun with the same row.
    let showsBase = touched.isAdopted || touched.insertion == nil && !objects[slot].lives
    objects[slot].entity = touched.entity
    objects[slot].row = touched.row
    let index = builder.index(of: touched.entity, in: names)
    let wholeGroups = hasGroups ? Self.bitsOfGroups(with: bits, stored.contents, in: entity) : []
    var contents = FrozenContents()
    for (bit, content) in zip(bits, stored.contents) {
      let property = builder.index(of: bit, of: touched.entity, at: index, in: names)
      // Sums apart, it does no harm if two say the same.
      if entity.isFolded(bit), !showsBase || entity.properties[bit].merge != .counter {
        if case .value(let value) = content { contents.contributed.append((bit, property, value)) }
        continue
      }
      let isWritten = touched.writes[bit] != nil
      let register = Register(
        property: property,
        content: try sayable(content, of: slot, bit: bit, isWritten: isWritten, isGrouped: writes[bit] != nil)
      )
      if let time = touched.writes[bit] ?? touched.insertion {
        try noteOrder(slot, bit: bit, register.content, at: time)
      }
      if let time = writes[bit] {
        contents.updated[time, default: []].append(register)
        try noteWrite(of: slot, bit: bit, at: Stamp(time: time, author: author), isWritten: isWritten)
      } else if !register.content.isAbsent || wholeGroups.contains(bit) {
        contents.inserted.append(register)
        contents.insertedBits.append(bit)
      }
    }
    try append(contents, of: touched, writes: writes, slot: slot, at: index, by: author, to: &builder)
  }

  /// What a row says, by how it travels.
  private struct FrozenContents {
    var inserted: [Register] = []
    var insertedBits: [Int] = []
    var updated: [LogicalTime: [Register]] = [:]
    var contributed: [(bit: Int, property: Int, value: AttributeValue)] = []
  }

  /// The attributes and to-one relationships that the local model knows: all, or those that were written.
  private static func registers(of entity: NameTable.Entity, written: [Int: LogicalTime]?) -> [Int] {
    let bits = written.map { $0.keys.sorted().filter(entity.properties.indices.contains) }
    return (bits ?? Array(entity.properties.indices)).filter { bit in
      guard entity.properties[bit].local != nil else { return false }
      if case .toMany = entity.properties[bit].kind { return false }
      return true
    }
  }

  /// What a set says of a register that shows something in a row.
  private func sayable(
    _ shown: StoredContent, of slot: Int, bit: Int, isWritten: Bool, isGrouped: Bool
  ) throws -> Register.Content {
    let property = names.entities[objects[slot].entity].properties[bit]
    // Another property of its group was written. The row may show less than the cell holds.
    let content =
      isGrouped && !isWritten ? try content(of: slot, bit: bit) : try wireContent(shown, of: property)
    if property.isFolded { return try keepBase(content, of: slot, bit: bit, isUnwritten: !isWritten) }
    return try outOfLine(content)
  }

  private func noteWrite(of slot: Int, bit: Int, at stamp: Stamp, isWritten: Bool) throws {
    let property = names.entities[objects[slot].entity].properties[bit]
    objects[slot].write(bit, at: stamp)
    if property.isExclusive { claimsMayBeFree = true }
    if objects[slot].hasTraces, isWritten, !property.isFolded {
      try parked.removeTarget(of: objects[slot].id, bit: bit)
      try parked.removeValue(of: objects[slot].id, bit: bit)
    }
  }

  private func append(
    _ contents: FrozenContents, of touched: TouchedRows.Row, writes: [Int: LogicalTime], slot: Int,
    at index: Int, by author: AuthorID, to builder: inout ChangeSetBuilder
  ) throws {
    let syncID = objects[slot].syncID
    if let time = touched.insertion {
      objects[slot].insert(at: Stamp(time: time, author: author), writing: contents.insertedBits)
      builder.append(.insert(contents.inserted), to: syncID, entity: index, at: time)
    }
    for (time, registers) in contents.updated.sorted(by: { $0.key < $1.key }) {
      builder.append(.update(registers), to: syncID, entity: index, at: time)
    }
    for (bit, property, value) in contents.contributed {
      guard let time = writes[bit] ?? touched.insertion else { continue }
      try freezeContribution(
        of: value, toNew: touched.insertion != nil, slot: slot, bit: bit,
        at: Stamp(time: time, author: author), property: property, index: index, into: &builder)
    }
    if touched.insertion != nil && objects[slot].hasTraces { builder.insertedSlots.append(slot) }
  }

  private static func writesOfGroups(_ writes: [Int: LogicalTime], in entity: NameTable.Entity) -> [Int:
    LogicalTime]
  {
    var writes = writes
    for bits in entity.groups.values {
      guard let last = bits.compactMap({ writes[$0] }).max() else { continue }
      for bit in bits { writes[bit] = last }
    }
    return writes
  }

  /// The properties of those groups of which an insertion has something to say.
  private static func bitsOfGroups(
    with registers: [Int], _ contents: [StoredContent], in entity: NameTable.Entity
  ) -> Set<Int> {
    let present = zip(registers, contents).filter { $0.1 != .value(.null) && $0.1 != .target(nil) }.map(\.0)
    return Set(entity.groups.values.filter { !Set($0).isDisjoint(with: present) }.joined())
  }

  private func wireContent(_ content: StoredContent, of property: NameTable.Property) throws
    -> Register.Content
  {
    switch (content, property.kind) {
    case (.value(let value), _): return .value(value)
    case (.target(nil), _): return .target(nil)
    case (.target(let row?), .toOne(let destination)):
      return .target(try store.syncID(root: destination, row: row))
    case (.target(.some), _): return .target(nil)
    }
  }
}

extension Register.Content {
  var isAbsent: Bool {
    switch self {
    case .value(.null), .target(nil): true
    default: false
    }
  }
}
