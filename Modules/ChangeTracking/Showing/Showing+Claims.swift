import ObjectStore

/// One-to-one relationships: of several claims to one target the latest shows. In one that is its own inverse, two objects
/// show each other if both were told so last.
extension Showing {
  /// The object other than one whose row shows an exclusive relationship to a target.
  func holder(of target: RowNumber, other slot: Slot, _ property: KnownProperty) throws -> Slot? {
    for entity in cells.names.entities where entity.root == cells[slot].root {
      guard let local = entity.local else { continue }
      let same = try entity.property(property.bit)
      guard let position = same.local, same.declaration == property.declaration else { continue }
      for source in try store.sources(local, position, to: target) where source != cells[slot].row {
        if let holder = try reader.object(shownBy: source, below: cells.names.root(of: entity)) {
          return holder
        }
      }
    }
    return nil
  }

  /// Lets a claim that a row shows, or that is kept aside, give way to a later one, or the other way round.
  func settleClaim(_ slot: Slot, _ bit: PropertyBit) throws {
    let property = try cells.property(bit, of: slot)
    if property.isAttribute { return try showContested(cells[slot].id, bit) }
    guard let row = reader.row(of: cells[slot]), let position = property.local,
      let shown = try store.readRow(row, [position])?.contents.first
    else { return }
    if case .target(let target?)? = try reader.content(shown, of: property) {
      if let target = try cells.target(target, of: property) { try settle(slot, bit, target: target) }
    } else if let target = try cells.parked.target(of: RegisterID(object: cells[slot].id, bit: bit)) {
      try settle(slot, bit, target: cells.objects.slot(target))
    }
  }

  /// Once an object has left a target that others claim too: shows the latest of the claims that are kept aside.
  func settleClaims() throws {
    struct Claim: Hashable {
      var target: RecordID
      var bit: PropertyBit
      var declaration: EntityNumber
    }
    let targets = freed
    freed = []
    var best: [Claim: (slot: Slot, claim: (Stamp, SyncID))] = [:]
    var counts: [Claim: Int] = [:]
    for freed in targets {
      for register in try cells.parked.sources(of: freed.target) where register.bit == freed.bit {
        let slot = try cells.objects.slot(register.object)
        let property = try cells.property(register.bit, of: slot)
        guard property.isExclusive, cells[slot].row != nil else { continue }
        let target = Claim(target: freed.target, bit: register.bit, declaration: property.declaration)
        let claim = claim(of: slot, on: [register.bit])
        if best[target].map({ claim > $0.claim }) ?? true { best[target] = (slot, claim) }
        counts[target, default: 0] += 1
      }
    }
    for (claim, winner) in best {
      // The others go on waiting for whoever shows the target now.
      if counts[claim, default: 0] > 1 {
        try cells.contests.write(
          ContestTable.Target(bit: claim.bit, target: claim.target), holder: cells[winner.slot].id)
      }
      try settle(winner.slot, claim.bit, target: cells.objects.slot(claim.target))
    }
  }

  // MARK: Partners

  /// Whether the register of a target says what one's own says.
  func isPartner(_ target: Slot, of slot: Slot, _ property: KnownProperty) throws -> Bool {
    guard try cells.property(property.bit, of: target).isPartner else { return false }
    return try reader.content(of: cells[target], property.bit) == .target(cells[slot].syncID)
  }

  /// Before a register changes: the present partner does not show the object any more, though its register still does.
  func partPartners(of slot: Slot, _ property: KnownProperty) throws {
    guard let row = reader.row(of: cells[slot]), let position = property.local,
      case .target(let shown?)? = try store.readRow(row, [position])?.contents.first,
      let destination = cells.names.destination(of: property),
      let partner = try reader.object(shownBy: shown, below: destination), partner != slot
    else { return }
    let back = try cells.property(property.bit, of: partner)
    if back.isPartner { try hideTarget(of: partner, back, target: slot) }
  }

  /// Before an object goes.
  func partPartners(of slot: Slot) throws {
    for property in cells.entity(of: slot).localProperties where property.isPartner {
      try partPartners(of: slot, property)
    }
  }
}
