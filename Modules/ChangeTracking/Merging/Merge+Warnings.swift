import ObjectStore

/// What a merge tells about changes that met something else than their authors knew of.
extension Merge {
  /// A hundred thousand equal warnings help nobody, and memory is bounded.
  private static let limit = 1_000

  /// Of a deletion: what was changed here of the object without knowing of it.
  func warnOfLocalChanges(to record: ObjectRecord, _ slot: ObjectTable.Slot) throws {
    guard report.warnings.count < Self.limit else { return }
    for clock in record.clocks where local.isUnaware(clock.stamp, of: stamp) {
      let property = try cells.entity(of: record).property(clock.bit)
      guard let content = try reader.content(of: record, clock.bit) else { continue }
      let kind: SyncWarning.Kind =
        property.isAttribute
        ? .attributesOfDeletedObjectChangedHere : .relationshipsOfDeletedObjectChangedHere
      warn(
        kind, slot, key: property.name, remote: .deleted,
        local: ChangeSide(client: local.client, stamp: clock.stamp, effect: .wrote(content)))
    }
    guard record.hasTraces else { return }
    for cell in try ownLinks.cells(with: record.id, by: local.author, in: cells.links) {
      let latest = max(cell.added, cell.removed)
      guard local.isUnaware(latest, of: stamp) else { continue }
      let source = try cells.objects[cell.source]
      let other = cell.source == record.id ? cell.target : cell.source
      let end = try cells.objects[other].syncID
      warn(
        .relationshipsOfDeletedObjectChangedHere, slot,
        key: try cells.entity(of: source).property(cell.bit).name, remote: .deleted,
        local: ChangeSide(
          client: local.client, stamp: latest, effect: latest == cell.added ? .added(end) : .removed(end)))
    }
  }

  /// Of a write: that its object is not there.
  func warnOfMissing(_ record: ObjectRecord, _ slot: ObjectTable.Slot, _ register: Win) throws {
    let isAttribute = if case .target = register.content { false } else { true }
    let key = try cells.entity(of: record).property(register.bit).name
    if local.isUnpushed(record.deleted) {
      warn(
        isAttribute ? .attributesOfObjectDeletedHereChanged : .relationshipsOfObjectDeletedHereChanged,
        slot, key: key, remote: .wrote(register.content), local: deletion(of: record))
    } else if record.inserted == .zero {
      warn(
        isAttribute ? .objectNotFoundForAttribute : .objectNotFoundForRelationship, slot, key: key,
        remote: .wrote(register.content))
    }
  }

  /// Of a change to a to-many relationship: that an object is not there. A removal does no harm to a missing target.
  func warnOfMissingEnds(
    _ slot: ObjectTable.Slot, property: String, target: ObjectTable.Slot, _ effect: ChangeSide.Effect
  ) throws {
    let isAddition = if case .added = effect { true } else { false }
    for end in isAddition ? [slot, target] : [slot] where !cells[end].lives {
      let record = cells[end]
      if local.isUnpushed(record.deleted) {
        warn(
          .relationshipsOfObjectDeletedHereChanged, end, key: property, remote: effect,
          local: deletion(of: record))
      } else if record.inserted == .zero {
        warn(.objectNotFoundForRelationship, end, key: property, remote: effect)
      }
    }
  }

  /// Of a change that does not fit the kind of its property. The set itself tells, so all devices leave it out.
  func warnOfSkipped(_ slot: ObjectTable.Slot, _ bit: PropertyBit, _ effect: ChangeSide.Effect?) throws {
    let key = try cells.property(bit, of: slot).name
    warn(.skipped, slot, key: key, remote: effect)
  }

  /// Lists what the merge has kept aside, and warns of relationships, and of values that the local model cannot hold, of which
  /// nothing else tells.
  ///
  /// - Parameter registers: those that were kept aside, some of which may show by now.
  func reportParked(_ registers: Set<RegisterID>) throws {
    for register in registers.sorted() where try cells.parked.contains(register) {
      guard report.parked.count < Self.limit else { return }
      let record = try cells.objects[register.object]
      let entity = cells.entity(of: record)
      let property = try entity.property(register.bit)
      guard !property.isFolded, let content = try reader.content(of: record, register.bit) else { continue }
      let written = record.stamp(of: register.bit)
      let side = ChangeSide(
        client: cells.authors.client(of: written.author), stamp: written, effect: .wrote(content))
      let reason = try reason(of: register, record, property)
      let key = property.name
      report.parked.append(
        ParkedChange(
          entity: entity.name, object: record.syncID, key: key, written: side, reason: reason))
      let kind: SyncWarning.Kind
      switch reason {
      case .targetMissing, .claimedByAnother: kind = .parked
      case .unknownToModel where reader.isUnholdable(content, property, in: entity): kind = .unknownToModel
      default: continue
      }
      guard report.warnings.count < Self.limit else { continue }
      report.warnings.append(
        SyncWarning(
          kind: kind, entity: entity.name, object: record.syncID, key: key, client: side.client,
          remote: side))
    }
  }

  private func reason(of register: RegisterID, _ record: ObjectRecord, _ property: KnownProperty) throws
    -> ParkedChange.Reason
  {
    if record.inserted == .zero { return .objectUnknown }
    if !record.lives { return .objectDeleted }
    if property.isAttribute, property.local != nil, try cells.parked.isAwaited(register) {
      return .valueMissing
    }
    guard record.row != nil, property.local != nil, !property.isAttribute,
      let target = try cells.parked.target(of: register)
    else { return .unknownToModel }
    let end = try cells.objects[target]
    return end.lives && end.row != nil ? .claimedByAnother : .targetMissing
  }

  // MARK: Entries

  func warn(
    _ kind: SyncWarning.Kind, _ slot: ObjectTable.Slot, key: String? = nil, remote: ChangeSide.Effect?,
    local side: ChangeSide? = nil
  ) {
    let record = cells[slot]
    let warning = SyncWarning(
      kind: kind, entity: cells.names[record.entity].name, object: record.syncID, key: key,
      client: client, remote: remote.map { ChangeSide(client: client, stamp: stamp, effect: $0) },
      local: side)
    if kind.isOfMissingObject {
      if missing.count < Self.limit { missing.append(MissingObject(warning: warning, object: record.id)) }
    } else {
      append(warning)
    }
  }

  private func append(_ warning: SyncWarning) {
    if report.warnings.count < Self.limit { report.warnings.append(warning) }
  }

  /// Warns of the objects that are still missing when all is merged.
  func reportMissing() throws {
    for missing in try stillMissing() { append(missing.warning) }
  }

  private func deletion(of record: ObjectRecord) -> ChangeSide {
    ChangeSide(client: local.client, stamp: record.deleted, effect: .deleted)
  }
}
