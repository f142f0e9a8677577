import ObjectStore

/// What a merge tells about changes that met something else than their authors knew of.
extension Merge {
  /// A hundred thousand equal warnings help nobody, and memory is bounded.
  private static let limit = 1_000

  func isUnpushed(_ stamp: Stamp) -> Bool { stamp.author == own && stamp.time > pushed }

  /// Of a deletion: what was changed here of the object and not pushed yet.
  func warnOfLocalChanges(to record: ObjectRecord, slot: Int) throws {
    guard report.warnings.count < Self.limit else { return }
    for clock in record.clocks where isUnpushed(clock.stamp) {
      let property = replica.names.entities[record.entity].properties[clock.bit]
      let kind: SyncWarning.Kind =
        property.kind == .attribute
        ? .attributesOfDeletedObjectChangedHere : .relationshipsOfDeletedObjectChangedHere
      warn(
        kind, slot: slot, key: property.name, remote: .deleted,
        local: ChangeSide(
          client: replica.client, stamp: clock.stamp,
          effect: .wrote(try replica.content(of: slot, bit: clock.bit))))
    }
    guard record.hasTraces else { return }
    let cells =
      try replica.links.cells(of: record.id, authors: replica.authors)
      + replica.links.cells(to: record.id, authors: replica.authors)
    for cell in cells {
      let latest = max(cell.added, cell.removed)
      guard isUnpushed(latest) else { continue }
      let source = replica.objects[try replica.objects.slot(id: cell.source, authors: replica.authors)]
      let other = cell.source == record.id ? cell.target : cell.source
      let end = replica.objects[try replica.objects.slot(id: other, authors: replica.authors)].syncID
      warn(
        .relationshipsOfDeletedObjectChangedHere, slot: slot,
        key: replica.names.entities[source.entity].properties[cell.bit].name, remote: .deleted,
        local: ChangeSide(
          client: replica.client, stamp: latest, effect: latest == cell.added ? .added(end) : .removed(end)))
    }
  }

  /// Of a write: that its object is not there.
  func warnOfMissing(_ record: ObjectRecord, slot: Int, register: Win) {
    let isAttribute = if case .target = register.content { false } else { true }
    let key = replica.names.entities[record.entity].properties[register.bit].name
    if isUnpushed(record.deleted) {
      warn(
        isAttribute ? .attributesOfObjectDeletedHereChanged : .relationshipsOfObjectDeletedHereChanged,
        slot: slot, key: key, remote: .wrote(register.content), local: deletion(of: record))
    } else if record.inserted == .zero {
      warn(
        isAttribute ? .objectNotFoundForAttribute : .objectNotFoundForRelationship, slot: slot, key: key,
        remote: .wrote(register.content))
    }
  }

  /// Of a change to a to-many relationship: that an object is not there. A removal does no harm to a missing target.
  func warnOfMissingEnds(_ slot: Int, property: String, target: Int, _ effect: ChangeSide.Effect) {
    let isAddition = if case .added = effect { true } else { false }
    for end in isAddition ? [slot, target] : [slot] where !replica.objects[end].lives {
      let record = replica.objects[end]
      if isUnpushed(record.deleted) {
        warn(
          .relationshipsOfObjectDeletedHereChanged, slot: end, key: property, remote: effect,
          local: deletion(of: record))
      } else if record.inserted == .zero {
        warn(.objectNotFoundForRelationship, slot: end, key: property, remote: effect)
      }
    }
  }

  /// Of a change that does not fit the kind of its property. The set itself tells, so all devices leave it out.
  func warnOfSkipped(_ slot: Int, bit: Int, _ effect: ChangeSide.Effect?) {
    let key = replica.names.entities[replica.objects[slot].entity].properties[bit].name
    warn(.skipped, slot: slot, key: key, remote: effect)
  }

  /// Lists what the merge has kept aside, and warns of relationships of which nothing else tells.
  func reportParked() throws {
    for register in replica.parked.fresh {
      guard report.parked.count < Self.limit else { return }
      let slot = try replica.objects.slot(id: register.object, authors: replica.authors)
      let record = replica.objects[slot]
      let entity = replica.names.entities[record.entity]
      guard entity.properties.indices.contains(register.bit), !entity.isFolded(register.bit) else { continue }
      let written = record.stamp(of: register.bit)
      let side = ChangeSide(
        client: replica.authors.client(of: written.author), stamp: written,
        effect: .wrote(try replica.content(of: slot, bit: register.bit)))
      let reason = try reason(of: register, record, entity)
      let key = entity.properties[register.bit].name
      report.parked.append(
        ParkedChange(
          entity: entity.name, object: record.syncID, key: key, written: side, reason: reason))
      guard reason == .targetMissing || reason == .claimedByAnother,
        report.warnings.count < Self.limit
      else { continue }
      report.warnings.append(
        SyncWarning(
          kind: .parked, entity: entity.name, object: record.syncID, key: key, client: side.client,
          remote: side))
    }
  }

  private func reason(
    of register: ParkedTable.Register, _ record: ObjectRecord, _ entity: NameTable.Entity
  ) throws -> ParkedChange.Reason {
    if record.inserted == .zero { return .objectUnknown }
    if !record.lives { return .objectDeleted }
    let property = entity.properties[register.bit]
    if property.kind == .attribute, property.local != nil,
      try replica.parked.isAwaited(register)
    {
      return .valueMissing
    }
    guard record.row != nil, property.local != nil, property.kind != .attribute,
      let target = try replica.parked.targets(of: record.id).first(where: { $0.bit == register.bit })
    else { return .unknownToModel }
    let end = replica.objects[try replica.objects.slot(id: target.target, authors: replica.authors)]
    return end.lives && end.row != nil ? .claimedByAnother : .targetMissing
  }

  // MARK: Entries

  func warnOfSet(_ kind: SyncWarning.Kind, client: String) {
    append(SyncWarning(kind: kind, entity: "", object: nil, key: nil, client: client))
  }

  func warn(
    _ kind: SyncWarning.Kind, slot: Int, key: String? = nil, remote: ChangeSide.Effect?,
    local: ChangeSide? = nil
  ) {
    let record = replica.objects[slot]
    append(
      SyncWarning(
        kind: kind, entity: replica.names.entities[record.entity].name, object: record.syncID, key: key,
        client: client, remote: remote.map { ChangeSide(client: client, stamp: stamp, effect: $0) },
        local: local))
  }

  private func append(_ warning: SyncWarning) {
    if report.warnings.count < Self.limit { report.warnings.append(warning) }
  }

  private func deletion(of record: ObjectRecord) -> ChangeSide {
    ChangeSide(client: replica.client, stamp: record.deleted, effect: .deleted)
  }
}
