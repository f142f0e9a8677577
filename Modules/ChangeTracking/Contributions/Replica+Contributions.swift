import ObjectStore

/// A property of one object that shows what was contributed to it.
struct FoldedRegister: Hashable {
  /// The record of the object.
  var object: Int64
  var bit: Int
}

/// Counters, and properties that show the greatest or smallest value.
///
/// What the row shows is folded from the contributions and a *base*: the register that was written before the model declared
/// the merge, or by a device whose model does not. The base is kept in `TICDS_VALUE`, never in the row.
extension Replica {
  // MARK: What the user wrote

  /// Turns a written value into a contribution, if it says something that the cells do not.
  ///
  /// - Parameter isNew: Whether the user has inserted the object: what he saw before was the initial value, even if the
  ///   cells hold what outlasted a deletion.
  func freezeContribution(
    of written: AttributeValue, toNew isNew: Bool, slot: Int, bit: Int, at stamp: Stamp, property: Int,
    index: Int, into builder: inout ChangeSetBuilder
  ) throws {
    let record = objects[slot]
    let (fold, base, contributions) = try parts(slot, bit: bit)
    unfolded.insert(FoldedRegister(object: record.id, bit: bit))
    objects[slot].hasTraces = true
    let shown =
      isNew ? fold.initial : try holdable(fold.value(base: base, contributions), slot: slot, bit: bit)
    guard
      let value = fold.contribution(
        of: written, shown: shown, isFirst: isNew || (base.isNull && contributions.isEmpty)),
      try add(Contribution(origin: stamp, value: value), slot: slot, bit: bit, writer: stamp.author)
    else { return }
    builder.append(
      .contribute(property: property, value: value, origin: nil), to: record.syncID, entity: index,
      at: stamp.time)
  }

  /// Keeps what a row shows that nobody recorded as the base, unless one was kept before. Gives the base.
  func keepBase(_ content: Register.Content, of slot: Int, bit: Int, isUnwritten: Bool) throws
    -> Register.Content
  {
    unfolded.insert(FoldedRegister(object: objects[slot].id, bit: bit))
    if isUnwritten, objects[slot].stamp(of: bit) > objects[slot].deleted {
      return try self.content(of: slot, bit: bit)
    }
    if content.isAbsent {
      try parked.removeValue(of: objects[slot].id, bit: bit)
    } else {
      try park([Win(bit: bit, content: content)], of: slot)
    }
    return content
  }

  // MARK: Merging

  /// Adds a contribution to the cells; `false` if it is there already or can never show.
  func add(_ contribution: Contribution, slot: Int, bit: Int, writer: AuthorID) throws -> Bool {
    guard contribution.origin > objects[slot].deleted else { return false }
    objects[slot].hasTraces = true
    let object = objects[slot].id
    let fold = fold(slot, bit: bit)
    // The stamp of a former self may be the first that is heard of him.
    _ = try authors.number(of: contribution.origin.author, client: "")
    if fold.kind == .greatest || fold.kind == .smallest {
      let present = try contributions.contributions(to: object, bit: bit, authors: authors)
      if present.contains(where: { fold.isDominated(contribution, by: $0) }) { return false }
      for other in present where fold.isDominated(other, by: contribution) {
        try contributions.remove(.init(object: object, bit: bit, contribution: other), authors: authors)
      }
    }
    unfolded.insert(FoldedRegister(object: object, bit: bit))
    return try contributions.insert(
      .init(object: object, bit: bit, contribution: contribution), writer: writer, authors: authors)
  }

  /// Erases what was contributed to an object before it was deleted.
  func eraseContributions(to slot: Int, at deletion: Stamp) throws {
    let record = objects[slot]
    guard try contributions.erase(record.id, through: deletion, authors: authors) else { return }
    noteFolds(of: slot)
  }

  /// Notes that the folded properties of an object may show something else.
  func noteFolds(of slot: Int) {
    guard let merging = names.entities[objects[slot].entity].merging else { return }
    for bit in merging.foldedBits {
      unfolded.insert(FoldedRegister(object: objects[slot].id, bit: bit))
    }
  }

  // MARK: What is shown

  /// Brings the rows of noted properties up to date.
  func showFolds(changes: inout ChangedRows) throws {
    let registers = unfolded
    unfolded = []
    for register in registers {
      let slot = try objects.slot(id: register.object, authors: authors)
      let entity = names.entities[objects[slot].entity]
      guard entity.properties.indices.contains(register.bit), entity.isFolded(register.bit),
        let row = objects[slot].row, let local = entity.local,
        let position = entity.properties[register.bit].local
      else { continue }
      let (fold, base, contributions) = try parts(slot, bit: register.bit)
      let value = try holdable(fold.value(base: base, contributions), slot: slot, bit: register.bit)
      let present = try store.readRow(entity: local, row: row, properties: [position])?.contents.first
      if present == nil || present == .value(value) { continue }
      try store.updateRow(entity: local, row: row, values: [PropertyValue(property: position, value: value)])
      changes.update(RowReference(entity: local, row: row))
    }
  }

  private func fold(_ slot: Int, bit: Int) -> Fold {
    let property = names.entities[objects[slot].entity].properties[bit]
    return Fold(kind: property.merge, initial: property.initialValue)
  }

  private func parts(_ slot: Int, bit: Int) throws -> (Fold, base: AttributeValue, [Contribution]) {
    var base = AttributeValue.null
    if case .value(let value) = try content(of: slot, bit: bit) { base = value }
    let contributions = try contributions.contributions(to: objects[slot].id, bit: bit, authors: authors)
    return (fold(slot, bit: bit), base, contributions)
  }

  /// The value as the row can hold it: a sum too great for an attribute of few bits stops at its bounds.
  private func holdable(_ value: AttributeValue, slot: Int, bit: Int) throws -> AttributeValue {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let position = entity.properties[bit].local else { return value }
    func fits(_ value: AttributeValue) -> Bool {
      store.canHold(value, entity: local, property: position)
    }
    if fits(value) { return value }
    guard case .integer(let sum) = value else { return .null }
    let bounds = [Int64(Int32.max), Int64(Int16.max)].map { AttributeValue.integer(sum < 0 ? ~$0 : $0) }
    return bounds.first(where: fits) ?? .null
  }

  // MARK: Declared later

  /// Prepares cells for merges that the model declares since it was last opened: what rows show becomes the base.
  ///
  /// Only while the log is empty, for what is in it was written under the former merge.
  func adoptMergeKinds(changes: inout ChangedRows) throws {
    try objects.flush(authors: authors)
    for number in names.entities.indices {
      for bit in names.entities[number].properties.indices {
        let property = names.entities[number].properties[bit]
        guard property.local != nil else { continue }
        guard property.merging?.isUnadopted == true else { continue }
        let declared = property.declaredMerge
        let objects = try objects.shown(entity: number)
        if declared.isFolded, !property.merge.isFolded { try keepBases(of: objects, bit: bit) }
        try names.adoptMerge(of: bit, in: number)
        if declared.isFolded {
          for id in objects { unfolded.insert(FoldedRegister(object: id, bit: bit)) }
        } else {
          try showBases(of: objects, bit: bit, or: property.initialValue, changes: &changes)
        }
      }
    }
  }

  private func keepBases(of objects: [Int64], bit: Int) throws {
    for id in objects {
      let slot = try self.objects.slot(id: id, authors: authors)
      guard self.objects[slot].stamp(of: bit) > self.objects[slot].deleted else { continue }
      try park([Win(bit: bit, content: content(of: slot, bit: bit))], of: slot)
    }
  }

  /// For a property that is merged by folding no more: what was contributed is not shown.
  private func showBases(
    of objects: [Int64], bit: Int, or initial: AttributeValue, changes: inout ChangedRows
  ) throws {
    for id in objects {
      let base = try parked.values(of: id).first { $0.bit == bit }?.content
      try writeRow(
        self.objects.slot(id: id, authors: authors), [Win(bit: bit, content: base ?? .value(initial))],
        changes: &changes)
    }
  }
}
