import ObjectStore
import SQLite

/// An own set, fixed for good: what its file contains and what it is called.
public struct FrozenSet: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// Position in the author's history.
  public var sequence: UInt64
  /// Hash of ``bytes``.
  public var hash: ContentHash
  /// Number of changes in the set.
  public var changeCount: Int
  /// The file's bytes, sealed if the document is encrypted.
  public var bytes: [UInt8]
}

extension Replica {
  /// Turns a set's bytes into those of its file, sealing them if the document is encrypted.
  public typealias Sealing = (_ plain: [UInt8], _ author: AuthorID, _ sequence: UInt64) throws -> [UInt8]

  /// Makes sets of all changes logged so far and puts them into the outbox.
  ///
  /// Several saves that wrote one register make one change, with the time of the last. One durable transaction. Objects that
  /// came into the store without a recorder are adopted: ``adoptExistingObjects(sealing:)``.
  /// - Returns: the number of new sets.
  public func freeze(sealing: Sealing) throws -> Int {
    try withIdentifiedRows { try freezeChanges(sealing: sealing) } + sayIdentifiedRows(sealing: sealing)
  }

  private func freezeChanges(sealing: Sealing) throws -> Int {
    guard try hasUnfrozenChanges else { return 0 }
    var changes = ChangedRows()
    let made = try begin {
      changes = ChangedRows()
      return try freezeLog(sealing: sealing, changes: &changes)
    }
    if !changes.isEmpty { store.announce(changes) }
    return made
  }

  /// Whether there are changes that are in no set yet.
  var hasUnfrozenChanges: Bool {
    get throws {
      if try state.value("restate") != nil { return true }
      return try ChangeLog.count(connection) > 0
    }
  }

  /// Makes sets of the log inside the open transaction, and notes the rows that show something new because of it.
  func freezeLog(sealing: Sealing, changes: inout ChangedRows) throws -> Int {
    try requireIdentifiedRows()
    let author = try author
    var made = 0
    var position: Int64 = 0
    var builder = ChangeSetBuilder()
    var latest = LogicalTime(bits: try state.integer("clock"))
    var revealed: [Int] = []

    func finish() throws {
      if try fix(builder, latest: latest, sealing: sealing) { made += 1 }
      revealed += builder.insertedSlots
      builder = ChangeSetBuilder()
    }

    if try state.value("restate") != nil {
      try restate(by: author, into: &builder)
      try finish()
    }
    while true {
      let entries = try ChangeLog.entries(connection, after: position, limit: configuration.setLimit)
      guard let last = entries.last else { break }
      position = last.position
      latest = max(latest, last.time)
      try fold(entries, by: author, into: &builder)
      if builder.changes.count >= configuration.setLimit { try finish() }
    }
    try finish()
    // Only now, for what is shown here must not be taken for something that the user wrote.
    for slot in revealed { try showWhatWaitsForInsertion(of: slot, changes: &changes) }
    try connection.run("DELETE FROM TICDS_LOG")
    if names.hasUnadoptedMerge { try adoptMergeKinds(changes: &changes) }
    try settle(changes: &changes)
    try state.setInteger("clock", latest.bits)
    return made
  }

  /// Makes a set of what was collected and puts it into the outbox; `false` if there is nothing.
  func fix(_ builder: ChangeSetBuilder, latest: LogicalTime, sealing: Sealing) throws -> Bool {
    guard !builder.changes.isEmpty else { return false }
    let author = try author
    let number = try authors.number(of: author, client: client)
    let sequence = authors.authors[number].sequence + 1
    let set = ChangeSet(
      author: author, client: client, sequence: sequence, previous: authors.authors[number].chain,
      model: store.schema.model, entities: builder.entities, changes: builder.changes)
    let bytes = try sealing(try configuration.codec.encode(set), author, sequence)
    let hash = ContentHash(of: bytes)
    try connection.run(
      "INSERT INTO TICDS_OUTBOX VALUES (?, ?, ?, ?, ?)", .integer(Int64(bitPattern: sequence)),
      .blob(hash.bytes), .integer(Int64(set.changes.count)), .integer(Int64(bitPattern: latest.bits)),
      .blob(bytes))
    try authors.advance(number, to: sequence, chain: hash)
    try authors.insert(hash, of: number, set)
    return true
  }

  private func fold(_ entries: [ChangeLog.Entry], by author: AuthorID, into builder: inout ChangeSetBuilder)
    throws
  {
    var touched = TouchedRows()
    for entry in entries {
      guard names.entities.indices.contains(entry.entity) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "The change log names an unknown entity.")
      }
      touched.add(entry, root: names.entities[entry.entity].root)
    }
    for row in touched.rows { try freeze(row, by: author, into: &builder) }
    for link in touched.links { try freeze(link, touched: touched, by: author, into: &builder) }
    for (list, time) in touched.lists { try noteOrder(list, at: time) }
    if !reordered.isEmpty { try freezeOrders(by: author, into: &builder) }
  }

  // MARK: Rows

  private func freeze(_ touched: TouchedRows.Row, by author: AuthorID, into builder: inout ChangeSetBuilder)
    throws
  {
    if let deletion = touched.deletion {
      try freezeDeletion(of: touched, at: deletion.time, syncID: deletion.syncID, by: author, into: &builder)
    } else {
      try freezeContents(of: touched, by: author, into: &builder)
    }
  }

  private func freezeDeletion(
    of touched: TouchedRows.Row, at time: LogicalTime, syncID: SyncID, by author: AuthorID,
    into builder: inout ChangeSetBuilder
  ) throws {
    let entity = names.entities[touched.entity]
    let known = try objects.find(syncID, root: entity.root, authors: authors)
    // Nobody else can know an object that was inserted and deleted between two sets, unless its identifier is natural.
    if known == nil, touched.insertion != nil, !syncID.isNatural { return }
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
    let hasGroups = entity.merging.map { !$0.groups.isEmpty } ?? false
    let writes = !hasGroups ? touched.writes : Self.writesOfGroups(touched.writes, in: entity)
    let bits =
      touched.insertion == nil
      ? writes.keys.sorted() : entity.properties.indices.filter { entity.properties[$0].local != nil }
    let registers = bits.filter { bit in
      guard entity.properties.indices.contains(bit), entity.properties[bit].local != nil else { return false }
      if case .toMany = entity.properties[bit].kind { return false }
      return true
    }
    let properties = registers.compactMap { entity.properties[$0].local }
    // A row that is gone by now has its deletion further on in the log.
    guard let stored = try store.readRow(entity: local, row: touched.row, properties: properties),
      let syncID = stored.syncID
    else { return }

    let slot = try objects.obtain(syncID, root: entity.root, authors: authors)
    objects[slot].entity = touched.entity
    objects[slot].row = touched.row
    let index = builder.index(of: touched.entity, in: names)
    var inserted: [Register] = []
    var insertedBits: [Int] = []
    var updated: [LogicalTime: [Register]] = [:]
    var contributed: [(bit: Int, property: Int, value: AttributeValue)] = []
    let wholeGroups =
      !hasGroups ? [] : Self.bitsOfGroups(with: registers, stored.contents, in: entity)
    // What a row shows that nobody recorded is nobody's contribution. Two devices may have begun with the same row.
    let showsBase = touched.isAdopted || touched.insertion == nil && !objects[slot].lives
    for (position, bit) in registers.enumerated() {
      // Sums apart, it does no harm if two say the same.
      let isBase = showsBase && entity.properties[bit].merge == .counter
      if entity.isFolded(bit), !isBase {
        let property = builder.index(of: bit, of: touched.entity, at: index, in: names)
        if case .value(let value) = stored.contents[position] { contributed.append((bit, property, value)) }
        continue
      }
      var content = try wireContent(stored.contents[position], of: entity.properties[bit])
      let isUnwritten = touched.writes[bit] == nil
      if isUnwritten, writes[bit] != nil { content = try self.content(of: slot, bit: bit) }
      if entity.isFolded(bit) {
        content = try keepBase(content, of: slot, bit: bit, isUnwritten: isUnwritten)
      }
      let register = Register(
        property: builder.index(of: bit, of: touched.entity, at: index, in: names),
        content: entity.isFolded(bit) ? content : try outOfLine(content))
      if let time = touched.writes[bit] ?? touched.insertion {
        try noteOrder(slot, bit: bit, content, at: time)
      }
      if let time = writes[bit] {
        updated[time, default: []].append(register)
        objects[slot].write(bit, at: Stamp(time: time, author: author))
        if entity.properties[bit].isExclusive { claimsMayBeFree = true }
        if objects[slot].hasTraces, !isUnwritten, !entity.isFolded(bit) {
          try parked.removeTarget(of: objects[slot].id, bit: bit)
          try parked.removeValue(of: objects[slot].id, bit: bit)
        }
      } else if !content.isAbsent || wholeGroups.contains(bit) {
        inserted.append(register)
        insertedBits.append(bit)
      }
    }
    if let time = touched.insertion {
      objects[slot].insert(at: Stamp(time: time, author: author), writing: insertedBits)
      builder.append(.insert(inserted), to: syncID, entity: index, at: time)
    }
    for (time, registers) in updated.sorted(by: { $0.key < $1.key }) {
      builder.append(.update(registers), to: syncID, entity: index, at: time)
    }
    for (bit, property, value) in contributed {
      guard let time = writes[bit] ?? touched.insertion else { continue }
      try freezeContribution(
        of: value, toNew: touched.insertion != nil, slot: slot, bit: bit,
        at: Stamp(time: time, author: author),
        property: property, index: index, into: &builder)
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

  // MARK: Links

  func freeze(
    _ link: TouchedRows.Link, touched: TouchedRows, by author: AuthorID, into builder: inout ChangeSetBuilder
  ) throws {
    let entity = names.entities[link.entity]
    guard entity.properties.indices.contains(link.bit),
      case .toMany(let destination) = entity.properties[link.bit].kind
    else { return }
    // The deletion of its source erases a link.
    guard touched.deletedSyncID(of: link.source, root: entity.root) == nil else { return }
    let targetRoot = try names.number(of: destination, root: destination)
    guard let source = try syncID(of: link.source, root: entity.root, touched),
      let target = try syncID(of: link.target, root: targetRoot, touched)
    else { return }
    // A target that came and went between two sets is known to nobody.
    if touched.deletedSyncID(of: link.target, root: targetRoot) != nil,
      try objects.find(target, root: targetRoot, authors: authors) == nil
    {
      return
    }
    let stamp = Stamp(time: link.time, author: author)
    var sourceSlot = try objects.obtain(source, root: entity.root, authors: authors)
    var targetSlot = try objects.obtain(target, root: targetRoot, authors: authors)
    // A link of a relationship that is its own inverse has no direction: it stands at the lesser identifier.
    if entity.properties[link.bit].isSymmetric, target < source { swap(&sourceSlot, &targetSlot) }
    objects[sourceSlot].hasTraces = true
    objects[targetSlot].hasTraces = true
    var cell = try links.cell(
      source: objects[sourceSlot].id, bit: link.bit, target: objects[targetSlot].id, authors: authors)
    if link.isAdded, !entity.properties[link.bit].order.isEmpty {
      noteOrder(sourceSlot, bit: link.bit, target: targetSlot, at: link.time)
    }
    if link.isAdded { cell.added = max(cell.added, stamp) } else { cell.removed = max(cell.removed, stamp) }
    try links.write(cell, authors: authors)

    let number = objects[sourceSlot].entity == 0 ? link.entity : objects[sourceSlot].entity
    let index = builder.index(of: number, in: names)
    let property = builder.index(of: link.bit, of: number, at: index, in: names)
    let member = objects[targetSlot].syncID
    builder.append(
      link.isAdded ? .link(property: property, target: member) : .unlink(property: property, target: member),
      to: objects[sourceSlot].syncID, entity: index, at: link.time)
  }

  private func syncID(of row: Int64, root: Int, _ touched: TouchedRows) throws -> SyncID? {
    if let deleted = touched.deletedSyncID(of: row, root: root) { return deleted }
    return try store.syncID(root: names.entities[root].name, row: row)
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
