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
        // What the row showed before goes.
        valuesMayBeFree = true
        guard let tuple = try tuple(positions, values, of: slot),
          let holder = try store.row(local, with: tuple), holder != reader.row(of: cells[slot]),
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
      try store.updateRow(holder, values: [PropertyValue(property: position, value: .null)])
      changes.update(holder)
    }
    return values
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
  ///
  /// Constraints that have attributes in common are one claim, so that of several objects one is always the last: otherwise they could
  /// displace each other in turn.
  private func precedes(
    _ slot: Slot, _ other: Slot, _ constraint: [PropertyBit], _ entity: KnownEntity
  ) throws -> Bool {
    var bits = Set(constraint)
    while let more = entity.uniqueness.first(where: { !bits.isDisjoint(with: $0) && !bits.isSuperset(of: $0) }
    ) {
      bits.formUnion(more)
    }
    func claim(_ slot: Slot) -> Stamp { bits.map { cells[slot].stamp(of: $0) }.max() ?? .zero }
    let (mine, theirs) = (claim(slot), claim(other))
    return mine == theirs ? cells[slot].syncID < cells[other].syncID : mine < theirs
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

  /// Once values may have left their rows: shows those that are kept aside, the latest first.
  func settleValues() throws {
    while valuesMayBeFree {
      valuesMayBeFree = false
      for register in try cells.parked.contested() {
        let slot = try cells.objects.slot(register.object)
        guard cells[slot].row != nil,
          let win = try cells.parked.values(of: register.object).first(where: { $0.bit == register.bit })
        else { continue }
        let wasFree = valuesMayBeFree
        try writeRow(slot, [win])
        // Nothing became free if it is kept aside again.
        if try cells.parked.isContested(register) { valuesMayBeFree = wasFree }
      }
    }
  }
}
