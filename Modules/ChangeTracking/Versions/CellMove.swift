import ObjectStore
import TICDSSQLite

/// Moves cells to other records and bits, and unites those that meet: of two, the one with the greater stamp remains.
///
/// The result does not depend on the order, so devices that learn of a renaming at different times end with the same cells.
struct CellMove {
  let connection: Connection
  private let names: NameTable
  private let authors: AuthorTable
  var objects: ObjectTable
  let parked: ParkedTable
  let links: LinkTable
  let places: PlaceTable
  private let derived: DerivedMove
  /// The records that may show something else.
  private(set) var touched: [RecordID] = []
  /// Relationships that were won by having been cleared, which nothing that is kept aside tells.
  private(set) var cleared: [RegisterID] = []
  /// Rows of objects that turned out to be one with another that has a row.
  private(set) var surplus: PendingSurplus
  /// What a row may still show though the deletion of the other of two objects has erased it, or a link that either had.
  var erased: [RegisterID] {
    erasedBits.sorted { $0.key < $1.key }.flatMap { id, bits in
      bits.sorted().map { RegisterID(object: id, bit: $0) }
    }
  }
  private var erasedBits: [RecordID: Set<PropertyBit>] = [:]

  /// What a register holds, as it was before anything was moved.
  private let former: ((RecordID, PropertyBit) throws -> Register.Content?)?

  /// - Parameters:
  ///   - surplus: rows that are to go since earlier moves.
  ///   - former: what a register holds that may be in a row, read before anything is moved. Without it, of two registers with one stamp that become
  ///     one the row's remains.
  init(
    _ connection: Connection, _ names: NameTable, surplus: PendingSurplus = PendingSurplus(),
    former: ((RecordID, PropertyBit) throws -> Register.Content?)? = nil
  ) throws {
    self.connection = connection
    self.surplus = surplus
    self.former = former
    self.names = names
    authors = try AuthorTable(connection: connection)
    objects = try ObjectTable(connection: connection, authors: authors)
    parked = try ParkedTable(connection: connection)
    links = try LinkTable(connection: connection, authors: authors)
    places = try PlaceTable(connection: connection, authors: authors)
    derived = DerivedMove(connection)
  }

  /// Writes what is in memory.
  func finish() throws { try objects.flush() }

  /// A register with its stamp and what is kept aside of it.
  private struct Held {
    /// Of which register it was before anything was moved.
    let bit: PropertyBit
    var stamp: Stamp
    var value: Register.Content?
    var target: RecordID?

    /// Whether only a row tells what it holds.
    var isInRow: Bool { value == nil && target == nil }

    /// Whether another remains of the two: the later one, of two with one stamp the one that is kept aside, whose row does not tell what it
    /// holds, or the one with the greater value.
    func precedes(_ other: Held) -> Bool {
      if stamp != other.stamp { return stamp < other.stamp }
      if isInRow != other.isInRow { return isInRow }
      guard let value, let otherValue = other.value else { return false }
      return value.precedes(otherValue)
    }
  }

  // MARK: Bits

  /// Puts an object below another root, with other bits. If there is one with its sync ID, both become one.
  mutating func move(_ id: RecordID, to root: EntityNumber, _ bits: [PropertyBit: PropertyBit]) throws {
    try rename(bits, of: id)
    try objects.flush()
    let syncID = try objects[id].syncID.stored
    let same = try connection.first(
      "SELECT id FROM TICDS_OBJECT WHERE syncid = ? AND root = ?", syncID, .integer(Int64(root.rawValue)))
    if case .integer(let other)? = same, other != id.rawValue {
      try unite(id, into: RecordID(rawValue: other))
    } else {
      try connection.run(
        "UPDATE TICDS_OBJECT SET root = ? WHERE id = ?", .integer(Int64(root.rawValue)), .integer(id.rawValue)
      )
    }
    // What was read bears the former root.
    objects = try ObjectTable(connection: connection, authors: authors)
  }

  /// Changes the bits of an object's registers, links, places and contributions.
  mutating func rename(_ bits: [PropertyBit: PropertyBit], of id: RecordID) throws {
    guard bits.contains(where: { $0.key != $0.value }) else { return }
    touched.append(id)
    try objects.spill()
    let slot = try objects.slot(id)
    var held: [PropertyBit: Held] = [:]
    for (bit, register) in try registers(of: objects[slot]) {
      let present = bits[bit] ?? bit
      try note(register, from: bit, at: present, of: id, &held)
    }
    surplus.rename(bits, of: id)
    try write(held, to: slot, shownBy: objects[slot])
    // All of them go first, for one may get the bit of another.
    let moved = try links.cells(of: id).filter { bits[$0.bit, default: $0.bit] != $0.bit }
    for cell in moved { try links.remove(cell) }
    for cell in moved {
      try add(cell, at: LinkTable.Cell(source: id, bit: bits[cell.bit] ?? cell.bit, target: cell.target))
    }
    let placed = try places.cells(with: id).filter {
      $0.pair.source == id && bits[$0.pair.bit, default: $0.pair.bit] != $0.pair.bit
    }
    for cell in placed { try places.remove(cell.pair) }
    for cell in placed {
      var pair = cell.pair
      pair.bit = bits[pair.bit] ?? pair.bit
      try add(cell, at: pair)
    }
    if let erased = erasedBits[id] { erasedBits[id] = Set(erased.map { bits[$0] ?? $0 }) }
    try renameContributions(bits, of: id)
    try derived.rename(bits, of: id)
  }

  private mutating func note(
    _ register: Held, from bit: PropertyBit, at present: PropertyBit, of id: RecordID,
    _ held: inout [PropertyBit: Held]
  ) throws {
    guard let other = held[present] else {
      held[present] = register
      return
    }
    if register.stamp > other.stamp {
      held[present] = register
    } else if register.stamp == other.stamp {
      guard let content = try self.content(of: register, id),
        let otherContent = try self.content(of: other, id)
      else {
        if bit == present { held[present] = register }
        return
      }
      if otherContent.precedes(content) { held[present] = register }
    }
  }

  /// What a register held; `nil` if only a row tells, which cannot be read.
  private func content(of held: Held, _ id: RecordID) throws -> Register.Content? {
    if let value = held.value { return value }
    if let target = held.target { return .target(try objects[target].syncID) }
    return try former?(id, held.bit)
  }

  /// All registers that were written or of which something is kept aside.
  private func registers(of record: ObjectRecord) throws -> [(PropertyBit, Held)] {
    var registers: [PropertyBit: Held] = [:]
    for bit in record.writtenBits { registers[bit] = Held(bit: bit, stamp: record.stamp(of: bit)) }
    for value in try parked.values(of: record.id) {
      registers[value.bit, default: Held(bit: value.bit, stamp: record.stamp(of: value.bit))].value =
        value.content
    }
    for (bit, target) in try parked.targets(of: record.id) {
      registers[bit, default: Held(bit: bit, stamp: record.stamp(of: bit))].target = target
    }
    return registers.sorted { $0.key < $1.key }
  }

  /// - Parameter shown: the record whose row shows what is not kept aside.
  private mutating func write(
    _ held: [PropertyBit: Held], to slot: ObjectTable.Slot, shownBy shown: ObjectRecord
  ) throws {
    let id = objects[slot].id
    let (inserted, deleted) = (objects[slot].inserted, objects[slot].deleted)
    objects[slot].covered = 0
    objects[slot].clocks = []
    objects[slot].isChanged = true
    try parked.removeAll(of: id)
    for (bit, register) in held.sorted(by: { $0.key < $1.key }) {
      if register.stamp > deleted {
        if register.stamp == inserted, bit.isInFirstWord {
          objects[slot].covered |= bit.mask
        } else {
          objects[slot].clocks.append(RegisterClock(bit: bit, stamp: register.stamp))
        }
      }
      if let value = register.value { try parked.park(value, of: id, bit) }
      if let target = register.target { try parked.park(target: target, of: id, bit) }
    }
    // What a row shows has no value aside: a register that was moved there and has none was cleared.
    for (bit, register) in held where register.isInRow && shown.stamp(of: bit) != register.stamp {
      if !surplus.tells(RegisterClock(bit: bit, stamp: register.stamp), of: id) {
        cleared.append(RegisterID(object: id, bit: bit))
      }
    }
  }

  private func renameContributions(_ bits: [PropertyBit: PropertyBit], of id: RecordID) throws {
    // All at once, for two may exchange their bits.
    let statement = try connection.prepare("SELECT DISTINCT bit FROM TICDS_CONTRIBUTION WHERE object = ?")
    try statement.bind(id.rawValue, at: 1)
    var present: [PropertyBit] = []
    while try statement.step() { present.append(PropertyBit(rawValue: Int(clamping: statement.int64(0)))) }
    let moved = present.filter { bits[$0] != nil && bits[$0] != $0 }
    for bit in moved.sorted() {
      // Of two that get one bit, either may hold what the other holds.
      try connection.run(
        "UPDATE OR IGNORE TICDS_CONTRIBUTION SET bit = ? WHERE object = ? AND bit = ?",
        .integer(-1 - Int64((bits[bit] ?? bit).rawValue)), .integer(id.rawValue),
        .integer(Int64(bit.rawValue)))
      try connection.run(
        "DELETE FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ?", .integer(id.rawValue),
        .integer(Int64(bit.rawValue)))
    }
    if moved.isEmpty { return }
    try connection.run(
      """
      INSERT OR IGNORE INTO TICDS_CONTRIBUTION SELECT object, -1 - bit, time, author, value, writer
      FROM TICDS_CONTRIBUTION WHERE object = ? AND bit < 0
      """, .integer(id.rawValue))
    try connection.run("DELETE FROM TICDS_CONTRIBUTION WHERE object = ? AND bit < 0", .integer(id.rawValue))
  }

  // MARK: Records

  /// Makes one object of two that have one sync ID.
  mutating func unite(_ other: RecordID, into id: RecordID) throws {
    try objects.flush()
    touched.append(id)
    let slot = try objects.slot(id)
    let (kept, gone) = (objects[slot], try objects[other])
    let all = try [
      kept.id: Dictionary(uniqueKeysWithValues: registers(of: kept)),
      gone.id: Dictionary(uniqueKeysWithValues: registers(of: gone)),
    ]
    var held = all[kept.id] ?? [:]
    for (bit, register) in all[gone.id] ?? [:] {
      guard let present = held[bit], !present.precedes(register) else {
        held[bit] = register
        continue
      }
    }
    objects[slot].inserted = max(kept.inserted, gone.inserted)
    objects[slot].deleted = max(kept.deleted, gone.deleted)
    let isLater = isInserted(gone, after: kept)
    if !kept.entity.isKnown || gone.entity.isKnown && isLater { objects[slot].entity = gone.entity }
    let isKept = kept.row != nil && (gone.row == nil || !isLater)
    var (shown, hidden) = isKept ? (kept, gone) : (gone, kept)
    // The only row is of an entity of which the object is not any more: it goes when another can be made.
    if shown.row != nil, hidden.row == nil, shown.entity != objects[slot].entity, objects[slot].lives {
      swap(&shown, &hidden)
    }
    objects[slot].row = shown.row
    let deleted = objects[slot].deleted
    let isErased = { (held: Held) in held.stamp <= deleted && held.stamp != .zero }
    if shown.row != nil {
      for (bit, register) in held.sorted(by: { $0.key < $1.key })
      where isErased(register) && shown.isWritten(bit) {
        erasedBits[id, default: []].insert(bit)
      }
    }
    held = held.filter { !isErased($0.value) }
    surplus.unite(other, into: id)
    if let row = hidden.row {
      let others = try registers(held, of: hidden, besides: shown)
      let tied = held.filter { bit, register in
        shown.row != nil && shown.isWritten(bit) && shown.stamp(of: bit) == register.stamp
          && hidden.stamp(of: bit) == register.stamp && all[hidden.id]?[bit]?.isInRow == true
      }.map { RegisterClock(bit: $0, stamp: $1.stamp) }.sorted { $0.bit < $1.bit }
      surplus.append(
        SurplusRow(record: id, entity: hidden.entity, row: row, registers: others, tied: tied))
    }
    // The one was deleted after the other was inserted. Until the row goes, the object is of the entity of which the row is.
    if let row = shown.row, !objects[slot].lives {
      objects[slot].entity = shown.entity
      if shown.lives { surplus.append(SurplusRow(record: id, entity: shown.entity, row: row)) }
    }
    try parked.removeAll(of: other)
    try write(held, to: slot, shownBy: shown)
    for cell in try links.cells(of: other) + links.cells(to: other) {
      try move(
        cell,
        to: LinkTable.Cell(
          source: cell.source == other ? id : cell.source, bit: cell.bit,
          target: cell.target == other ? id : cell.target))
    }
    for cell in try links.cells(of: id) + links.cells(to: id) {
      erasedBits[cell.source, default: []].insert(cell.bit)
    }
    for cell in try places.cells(with: other) {
      var pair = cell.pair
      if pair.source == other { pair.source = id }
      if pair.target == other { pair.target = id }
      try move(cell, to: pair)
    }
    try connection.run(
      "UPDATE TICDS_TARGET SET target = ? WHERE target = ?", .integer(id.rawValue), .integer(other.rawValue))
    try connection.run(
      "UPDATE OR IGNORE TICDS_CONTRIBUTION SET object = ? WHERE object = ?", .integer(id.rawValue),
      .integer(other.rawValue))
    try connection.run("DELETE FROM TICDS_CONTRIBUTION WHERE object = ?", .integer(other.rawValue))
    _ = try ContributionTable(connection: connection, authors: authors).erase(id, through: deleted)
    try derived.unite(other, into: id)
    if let bits = erasedBits.removeValue(forKey: other) { erasedBits[id, default: []].formUnion(bits) }
    try objects.flush()
    try objects.forget(other)
    objects = try ObjectTable(connection: connection, authors: authors)
  }

  /// Whether one insertion decides over another of what entity an object is: the later one, of two with one stamp the one of the entity
  /// that comes last, as in a merge.
  private func isInserted(_ record: ObjectRecord, after other: ObjectRecord) -> Bool {
    record.inserted > other.inserted
      || record.inserted == other.inserted && names[other.entity].precedes(names[record.entity])
  }

  /// The registers of which only the row of one record tells the content, though another row shows the object.
  private func registers(
    _ held: [PropertyBit: Held], of hidden: ObjectRecord, besides shown: ObjectRecord
  ) throws -> [RegisterClock] {
    guard hidden.row != nil else { return [] }
    let entity = names[hidden.entity]
    return try held.filter { bit, register in
      // A relationship that only others know and that leads nowhere has nothing aside either.
      try register.isInRow && hidden.isWritten(bit)
        && (!names.isRelated || entity.property(bit).local != nil)
        && hidden.stamp(of: bit) == register.stamp
        && (shown.row == nil || shown.stamp(of: bit) != register.stamp)
    }.map { RegisterClock(bit: $0, stamp: $1.stamp) }.sorted { $0.bit < $1.bit }
  }

  // MARK: Pairs

  func move(_ cell: LinkTable.Cell, to other: LinkTable.Cell) throws {
    try links.remove(cell)
    try add(cell, at: other)
  }

  private func add(_ cell: LinkTable.Cell, at other: LinkTable.Cell) throws {
    var united = try links.cell(other.source, other.bit, other.target)
    united.added = max(united.added, cell.added)
    united.removed = max(united.removed, cell.removed)
    try links.write(united)
  }

  func move(_ cell: PlaceTable.Cell, to pair: PlaceTable.Pair) throws {
    guard pair != cell.pair else { return }
    try places.remove(cell.pair)
    try add(cell, at: pair)
  }

  private func add(_ cell: PlaceTable.Cell, at pair: PlaceTable.Pair) throws {
    let present = try places.cell(pair)
    if let present, present.stamp > cell.stamp || present.stamp == cell.stamp && !(present.key < cell.key) {
      return
    }
    try places.write(PlaceTable.Cell(pair: pair, key: cell.key, stamp: cell.stamp))
  }
}
