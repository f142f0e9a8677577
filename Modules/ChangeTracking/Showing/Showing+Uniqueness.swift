import ObjectStore

/// Values that must be unique: of several objects that have them the one that wrote them last shows them, the others keep them
/// aside until they are free.
extension Showing {
  /// What of some values a row may show; the rest is kept aside. Other objects that show such values, and wrote them earlier, give
  /// way.
  func claim(_ values: [PropertyValue], of slot: Slot) throws -> [PropertyValue] {
    let entity = cells.entity(of: slot)
    guard entity.hasUniqueValues, let local = entity.local else { return values }
    var values = values
    var won: [(holder: RowReference, other: Slot, bit: PropertyBit)] = []
    // What gives way for one constraint may free another, so nobody is displaced before it is known what the row shows.
    var isSettled = false
    while !isSettled {
      isSettled = true
      won = []
      for constraint in entity.uniqueness {
        let properties = try constraint.map { try entity.property($0) }
        let positions = properties.compactMap(\.local)
        guard positions.contains(where: { position in values.contains { $0.property == position } }) else {
          continue
        }
        guard let tuple = try tuple(positions, values, of: slot),
          let holder = try store.checkedRow(local, with: tuple), holder != reader.row(of: cells[slot]),
          let other = try reader.object(shownBy: holder.row, below: cells.names.root(of: entity))
        else { continue }
        if try precedes(slot, other, constraint, entity) {
          values = try giveWay(slot, properties[0], values)
          isSettled = false
          break
        }
        won.append((holder, other, constraint[0]))
      }
    }
    for (holder, other, bit) in won {
      // A holder may stand in the way of several constraints that begin with one attribute.
      guard let position = try cells.property(bit, of: other).local,
        case .value(let shown)? = try store.readRow(holder, [position])?.contents.first, !shown.isNull,
        let content = try reader.content(of: cells[other], bit)
      else { continue }
      try keepAside(content, of: other, bit)
      try noteFreedValues(of: holder, writing: [PropertyValue(property: position, value: .null)])
      try rows.update(holder, values: [PropertyValue(property: position, value: .null)])
    }
    if let row = reader.row(of: cells[slot]) { try noteFreedValues(of: row, writing: values) }
    return values
  }

  /// Notes which values a row is about to give free.
  ///
  /// - Parameter values: what is written; `nil` if the row goes.
  func noteFreedValues(of row: RowReference, writing values: [PropertyValue]?) throws {
    let entity = cells.names[row.entity]
    for constraint in entity.uniqueness {
      let positions = try constraint.compactMap { try entity.property($0).local }
      let isConcerned = values.map { values in values.contains { positions.contains($0.property) } } ?? true
      guard isConcerned, let shown = try store.readRow(row, positions)?.contents else { continue }
      if let values, !zip(positions, shown).contains(where: { Self.changes($0, from: $1, values) }) {
        continue
      }
      if case .value(let value)? = shown.first, !value.isNull {
        freedValues.values.insert(
          FreedValues.Value(
            root: entity.root, bit: constraint[0], bytes: Register.Content.value(value).parkedBytes))
      }
      // Of several attributes of a constraint another may be the one that stood in the way.
      if values != nil, constraint.count > 1,
        let slot = try reader.object(shownBy: row.row, below: cells.names.root(of: entity))
      {
        freedValues.objects.insert(cells[slot].id)
      }
    }
  }

  /// Notes that an object claims anew what it keeps aside, for it has written another attribute of the claim, perhaps as it was.
  func noteRenewedClaims(of slot: Slot, _ wins: [Win]) throws {
    guard cells[slot].hasTraces, cells.entity(of: slot).hasUniqueValues,
      try wins.contains(where: { try cells.property($0.bit, of: slot).isUnique }),
      try !cells.parked.contested(of: cells[slot].id).isEmpty
    else { return }
    freedValues.objects.insert(cells[slot].id)
  }

  private static func changes(
    _ position: LocalProperty, from shown: StoredContent, _ values: [PropertyValue]
  ) -> Bool {
    guard let written = values.last(where: { $0.property == position }) else { return false }
    guard case .value(let value) = shown else { return true }
    return ExactValue(value) != ExactValue(written.value)
  }

  /// The values of a constraint as the row will show them; `nil` if one is missing.
  private func tuple(_ positions: [LocalProperty], _ values: [PropertyValue], of slot: Slot) throws
    -> [PropertyValue]?
  {
    let shown = try reader.row(of: cells[slot]).flatMap { try store.readRow($0, positions)?.contents }
    var tuple: [PropertyValue] = []
    for (index, position) in positions.enumerated() {
      if let value = values.last(where: { $0.property == position }) {
        tuple.append(value)
      } else if case .value(let value)? = shown?[index] {
        tuple.append(PropertyValue(property: position, value: value))
      }
    }
    return tuple.count == positions.count && !tuple.contains { $0.value.isNull } ? tuple : nil
  }

  /// Whether an object wrote the values of a constraint before another did.
  private func precedes(
    _ slot: Slot, _ other: Slot, _ constraint: [PropertyBit], _ entity: KnownEntity
  ) throws -> Bool {
    let bits = entity.claimedBits(of: constraint)
    return claim(of: slot, on: bits) < claim(of: other, on: bits)
  }

  /// What decides between claims: the greater one shows. Copies of one store can make equal stamps.
  func claim(of slot: Slot, on bits: Set<PropertyBit>) -> (Stamp, SyncID) {
    (bits.map { cells[slot].stamp(of: $0) }.max() ?? .zero, cells[slot].syncID)
  }

  private func giveWay(_ slot: Slot, _ property: KnownProperty, _ values: [PropertyValue]) throws
    -> [PropertyValue]
  {
    var values = values
    if let written = values.last(where: { $0.property == property.local }) {
      try keepAside(.value(written.value), of: slot, property.bit)
    } else if let content = try reader.content(of: cells[slot], property.bit) {
      try keepAside(content, of: slot, property.bit)
    }
    values.removeAll { $0.property == property.local }
    if let position = property.local { values.append(PropertyValue(property: position, value: .null)) }
    return values
  }

  private func keepAside(_ content: Register.Content, of slot: Slot, _ bit: PropertyBit) throws {
    cells[slot].hasTraces = true
    try cells.parked.park(content, of: cells[slot].id, bit, isContested: true)
  }

  // MARK: What was kept aside

  /// Once values may have left their rows: shows those that are kept aside, of several claims to one the latest.
  func settleValues() throws {
    var queue = ClaimQueue()
    var known: Set<FreedValues.Value> = []
    try addFreed(to: &queue, after: nil, &known)
    while let claim = queue.next() {
      try showContested(claim.object, claim.bit)
      try addFreed(to: &queue, after: claim, &known)
    }
  }

  /// Adds the claims to what has become free.
  ///
  /// - Parameters:
  ///   - last: what has been looked at; what precedes it is settled.
  ///   - known: values whose claims were added before. Who keeps one aside since then has given way to somebody who shows it.
  private func addFreed(
    to queue: inout ClaimQueue, after last: ClaimQueue.Claim?, _ known: inout Set<FreedValues.Value>
  ) throws {
    let freed = freedValues
    freedValues = FreedValues()
    let values = try freed.mayBeAny ? freed.values.union(contestedThatNobodyShows()) : freed.values
    for value in values where known.insert(value).inserted {
      try addClaims(to: value, &queue, after: last)
    }
    for object in freed.objects {
      for bit in try cells.parked.contested(of: object) {
        if let claim = try claim(of: object, bit), last?.precedes(claim) ?? true { queue.insert(claim) }
      }
    }
  }

  /// Adds the latest of the claims to one value; all that there are, where a claim is to several attributes together.
  private func addClaims(
    to value: FreedValues.Value, _ queue: inout ClaimQueue, after last: ClaimQueue.Claim?
  ) throws {
    var latest: ClaimQueue.Claim?
    for object in try cells.parked.contested(value.bit, value.bytes) {
      guard let claim = try claim(of: object, value.bit), last?.precedes(claim) ?? true else { continue }
      let slot = try cells.objects.slot(object)
      guard cells[slot].root == value.root else { continue }
      if cells.entity(of: slot).uniqueness.allSatisfy({ $0 == [value.bit] || !$0.contains(value.bit) }) {
        if latest.map(claim.precedes) ?? true { latest = claim }
      } else {
        queue.insert(claim)
      }
    }
    if let latest { queue.insert(latest) }
  }

  /// What an object claims by an attribute; `nil` if it has no row, or its entity no such constraint.
  private func claim(of object: RecordID, _ bit: PropertyBit) throws -> ClaimQueue.Claim? {
    let slot = try cells.objects.slot(object)
    let entity = cells.entity(of: slot)
    guard cells[slot].row != nil, let index = entity.uniqueness.firstIndex(where: { $0.first == bit })
    else { return nil }
    let (stamp, syncID) = claim(of: slot, on: entity.claimedBits(of: entity.uniqueness[index]))
    return ClaimQueue.Claim(stamp: stamp, syncID: syncID, object: object, bit: bit, constraint: index)
  }

  /// Settles claims to values that must be unique only since the local model has got a new version. Only while the log is empty.
  func settleRepeatedValues() throws {
    // A row is compared with one other that shows its values, and there may be more.
    var repeating = Int.max
    while case let left = try settleRepeatedValuesOnce(), (1..<repeating).contains(left) { repeating = left }
    try settleValues()
    try store.completeConstraints()
  }

  /// - Returns: how many rows showed the values of others.
  private func settleRepeatedValuesOnce() throws -> Int {
    var repeating = 0
    for local in store.schema.localEntities {
      let entity = cells.names[local]
      for constraint in entity.uniqueness {
        let positions = try constraint.compactMap { try entity.property($0).local }
        let rows = try store.rowsRepeatingValues(local, of: positions)
        repeating += rows.count
        for row in rows {
          guard let slot = try reader.object(shownBy: row.row, below: cells.names.root(of: entity)),
            let content = try reader.content(of: cells[slot], constraint[0])
          else { continue }
          try writeRow(slot, [Win(bit: constraint[0], content: content)])
        }
      }
    }
    return repeating
  }

  private func contestedThatNobodyShows() throws -> Set<FreedValues.Value> {
    var values: Set<FreedValues.Value> = []
    for (bit, content) in try cells.parked.contestedValues() {
      guard case .value(let value) = content else { continue }
      let bytes = content.parkedBytes
      let objects = try cells.parked.contested(bit, bytes)
      for (root, objects) in Dictionary(grouping: objects, by: { try? cells.objects[$0].root }) {
        guard let root, let first = objects.first else { continue }
        let entity = cells.entity(of: try cells.objects.slot(first))
        if entity.uniqueness.contains([bit]),
          entity.uniqueness.allSatisfy({ $0 == [bit] || !$0.contains(bit) }),
          let local = entity.local, let position = try entity.property(bit).local,
          try store.checkedRow(local, with: [PropertyValue(property: position, value: value)]) != nil
        {
          continue
        }
        values.insert(FreedValues.Value(root: root, bit: bit, bytes: bytes))
      }
    }
    return values
  }

  func showContested(_ object: RecordID, _ bit: PropertyBit) throws {
    let slot = try cells.objects.slot(object)
    guard cells[slot].row != nil,
      let content = try cells.parked.value(of: RegisterID(object: object, bit: bit))
    else { return }
    try writeRow(slot, [Win(bit: bit, content: content)])
  }
}
