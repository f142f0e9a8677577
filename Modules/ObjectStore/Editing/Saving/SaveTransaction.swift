import TICDSSQLite

/// One save: writes the rows, and afterwards makes the objects agree with them. Nothing of the context changes before.
struct SaveTransaction {
  private let context: ManagedObjectContext
  private let connection: Connection
  private let schema: StoreSchema
  private let records: Bool
  // Objects of which a row is written, with the key and the mask that are written.
  private var inserted: [(object: ManagedObject, key: Int64)] = []
  private var updated: [(object: ManagedObject, mask: PropertyMask)] = []
  private var deleted: [ManagedObject] = []
  // Objects of which no row is written, and others became or ceased to be members.
  private var related: [ManagedObject] = []
  // Objects that others have made lead to what is deleted, and that lead there no more.
  private var released: [ObjectID] = []
  // By distance of the temporary key from the first; 0 for objects that are gone.
  private var newKeys: [Int64] = []
  private var firstTemporary = Int64.min
  private(set) var changes = SaveChanges()

  init(_ context: ManagedObjectContext) {
    self.context = context
    connection = context.connection
    schema = context.store.schema
    records = !context.participants.isEmpty
  }

  // MARK: - Writing

  mutating func write() throws {
    loadOrders()
    try assignKeys()
    changes.newKeys = newKeys
    changes.firstTemporary = firstTemporary
    try writeOrders()
    let removed = try deleteRows()
    try writeInsertions()
    try writeUpdates()
    try finishDeletions(removed)
    var check = ReferenceCheck(
      schema: schema, connection: connection, identity: context.store.identity)
    for (object, _) in inserted { try check.check(object) }
    for (object, mask) in updated { try check.check(object, mask.contains) }
    var links = LinkWriter(
      schema: schema, connection: connection, records: records, check: check, key: storedKey)
    for object in context.touched + context.deleted where !object.isGone { try links.write(object) }
    if !links.check.problems.isEmpty { throw SaveError(links.check.problems) }
    try checkPairs()
    changes.links = links.changes
    changes.orders += links.orders
    try computeUntriggeredValues()
  }

  private func computeUntriggeredValues() throws {
    guard let values = context.untriggeredValues else { return }
    let others = context.touched.filter {
      $0.state.isDisjoint(with: [.inserted, .updated, .deleted, .gone])
    }
    try values.compute(
      for: inserted + (updated.map(\.object) + others).map { ($0, $0.key) })
  }

  /// Takes away what others have made lead to what is deleted.
  mutating func releaseReferences() throws {
    var references = LateReferences(schema: schema, connection: connection, identity: context.store.identity)
    for object in deleted { try references.clear(object) }
    if !references.problems.isEmpty { throw SaveError(references.problems) }
    released = references.released
  }

  /// Looks whether others have written sides of pairs that do not agree with those of this save.
  private func checkPairs() throws {
    let isPaired = context.arePaired
    guard isPaired.contains(true) else { return }
    var pairs = PairCheck(schema: schema, connection: connection, identity: context.store.identity)
    for (object, key) in inserted where isPaired[object.entity.index] {
      try pairs.check(object.entity, key: key)
    }
    for (object, mask) in updated where isPaired[object.entity.index] {
      try pairs.check(object.entity, key: object.key, mask.contains)
    }
    if !pairs.problems.isEmpty { throw SaveError(pairs.problems) }
  }

  /// Reserves keys, as many per table as there are new objects, the way Core Data does: by its counters.
  private mutating func assignKeys() throws {
    let objects = context.inserted
    if objects.isEmpty { return }
    // An object whose deletion was undone has its key.
    var counts: [Int: Int64] = [:]
    for object in objects where object.key < 0 {
      counts[object.entity.rootIndex, default: 0] += 1
      firstTemporary = max(firstTemporary, object.key)
    }
    var next: [Int: Int64] = [:]
    for (root, count) in counts {
      next[root] = try KeyCounter.reserve(count, number: schema.tables[root].rootNumber, on: connection)
    }
    if !counts.isEmpty {
      newKeys = Array(repeating: 0, count: Int(firstTemporary - context.nextTemporary))
    }
    inserted.reserveCapacity(objects.count)
    // Others have brought them back too.
    var reappeared: [SaveError.Problem] = []
    for object in objects {
      if object.key > 0 {
        if try exists(object) { reappeared.append(.conflict(object.objectID, isDeleted: false)) }
        inserted.append((object, object.key))
        continue
      }
      let key = next[object.entity.rootIndex] ?? 1
      next[object.entity.rootIndex] = key + 1
      newKeys[Int(firstTemporary - object.key)] = key
      inserted.append((object, key))
    }
    if !reappeared.isEmpty { throw SaveError(reappeared) }
  }

  private func storedKey(_ object: ManagedObject) -> Int64 { storedKey(object.key) }

  private func storedKey(_ key: Int64) -> Int64 {
    if key > 0 { return key }
    let distance = Int(firstTemporary &- key)
    return newKeys.indices.contains(distance) ? newKeys[distance] : 0
  }

  /// Replaces references to new objects by their permanent keys.
  private func resolved(_ object: ManagedObject) -> ContiguousArray<AttributeValue> {
    var values = object.values
    for index in object.entity.attributeCount..<object.entity.slotCount {
      if case .reference(let entity, let key) = values[index], key < 0 {
        let stored = storedKey(key)
        values[index] = stored == 0 ? .null : .reference(entity: entity, key: stored)
      }
    }
    return values
  }

  private func writer(_ entity: EntityDescription) throws -> RowWriter {
    if let known = context.writers[entity.index] { return known }
    let writer = try RowWriter(entity: entity, schema: schema, connection: connection)
    context.writers[entity.index] = writer
    return writer
  }

  /// Has the members at hand whose order is to be written, as they stand now: others may have moved some. Once rows of new objects are there,
  /// reading members would make other objects of them.
  private func loadOrders() {
    let version = connection.dataVersion
    for object in context.touched where !object.isDeleted && !object.isGone {
      for (position, state) in object.toManys.enumerated() {
        guard let state, state.isReordered else { continue }
        if state.version != version, !object.isInserted { state.reload(keepingOrder: true) }
        if state.isLoaded { continue }
        context.load(state, of: object, at: position + object.entity.slotCount)
      }
    }
  }

  /// Assigns the members of ordered one-to-many relationships their places.
  private mutating func writeOrders() throws {
    for object in context.touched where !object.isDeleted && !object.isGone {
      for (position, state) in object.toManys.enumerated() {
        let index = position + object.entity.slotCount
        guard let state, state.isReordered, let relationship = object.entity.relationship(at: index),
          !relationship.isManyToMany, relationship.isOrdered
        else { continue }
        MemberPlaces.assign(state.members.objects.map { $0 }, of: relationship)
        if records {
          changes.orders.append(
            OrderChange(
              entity: Int32(object.entity.index), primaryKey: storedKey(object), property: Int32(index)))
        }
      }
    }
  }

  private mutating func writeInsertions() throws {
    if records { changes.rows.reserveCapacity(inserted.count) }
    var writer: RowWriter?
    for (object, key) in inserted {
      let values = object.entity.slotCount == object.entity.attributeCount ? object.values : resolved(object)
      if writer?.entity !== object.entity { writer = try self.writer(object.entity) }
      try writer?.insert(key: key, values: values)
      if records { record(.inserted, object, key: key, mask: Self.mask(ofValues: values, in: object.entity)) }
    }
  }

  private static func mask(
    ofValues values: ContiguousArray<AttributeValue>, in entity: EntityDescription
  ) -> PropertyMask {
    var mask = PropertyMask()
    for index in 0..<entity.slotCount where !values[index].isNull { mask.insert(index) }
    return mask
  }

  private mutating func writeUpdates() throws {
    var conflicts: [SaveError.Problem] = []
    for object in context.updated
    where object.state.contains(.updated) && !object.isDeleted && !object.isInserted {
      var mask = object.changed
      object.changed.forEach { index in
        let isTransient =
          index < object.entity.properties.count && object.entity.checks.areTransient[index]
        if isTransient || object.values[index] == object.committedValue(at: index) { mask.remove(index) }
      }
      for (_, slot) in object.entity.orderSlots where object.values[slot] != object.committedValue(at: slot) {
        mask.insert(slot)
      }
      if mask.isEmpty { continue }
      let values = object.entity.slotCount == object.entity.attributeCount ? object.values : resolved(object)
      if try writer(object.entity).update(
        key: object.key, version: object.version, values: values, mask: mask)
      {
        updated.append((object, mask))
        if records {
          for (_, slot) in object.entity.orderSlots { mask.remove(slot) }
          record(.updated, object, key: object.key, mask: mask)
        }
      } else {
        conflicts.append(.conflict(object.objectID, isDeleted: try !exists(object)))
      }
    }
    if !conflicts.isEmpty { throw SaveError(conflicts) }
  }

  /// Rows go first, so that new ones may take over values that must be unique. Gives those that were there to go.
  private mutating func deleteRows() throws -> [ManagedObject] {
    var conflicts: [SaveError.Problem] = []
    var removed: [ManagedObject] = []
    for object in context.deleted {
      if try writer(object.entity).delete(key: object.key, version: object.version) {
        removed.append(object)
      } else if try exists(object) {
        conflicts.append(.conflict(object.objectID, isDeleted: false))
        continue
      }
      // Without a row it was deleted elsewhere too: that is what was wanted.
      deleted.append(object)
    }
    if !conflicts.isEmpty { throw SaveError(conflicts) }
    return removed
  }

  private mutating func finishDeletions(_ removed: [ManagedObject]) throws {
    if records {
      for object in removed { record(.deleted, object, key: object.key, mask: PropertyMask()) }
    }
    // Once all rows are written, so that clearing does not change the version of one that is still to be.
    for object in deleted {
      try context.unpairedReferences(to: object.entity).clear(object.key, on: connection)
    }
  }

  private mutating func record(
    _ kind: RowChange.Kind, _ object: ManagedObject, key: Int64, mask: PropertyMask
  ) {
    changes.rows.append(
      RowChange(kind: kind, entity: Int32(object.entity.index), primaryKey: key, changedProperties: mask))
    changes.objects.append(object)
  }

  private func exists(_ object: ManagedObject) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM \(quote(schema.table(of: object.entity).name)) WHERE Z_PK = ?", .integer(object.key))
      != nil
  }

  /// Returns what a failure of SQLite means for somebody who saves.
  func meaning(of error: SQLiteError) -> any Error {
    if error.code == .constraint { return SaveError([.notUnique(error.message)]) }
    return StoreError(.database(error), path: context.store.path)
  }

  // MARK: - After the commit

  /// Makes the objects agree with their rows. Gives the objects that were saved.
  mutating func finish() -> [ManagedObject] {
    var saved: [ManagedObject] = []
    saved.reserveCapacity(inserted.count + updated.count + deleted.count)
    if !context.touched.isEmpty {
      // Some are among the updated without a row being written, for their values were set to what they had been.
      let written = Set(updated.map { ObjectIdentifier($0.object) })
      related = context.touched.filter {
        $0.state.isDisjoint(with: [.inserted, .deleted, .gone]) && !written.contains(ObjectIdentifier($0))
      }
    }
    for object in related where object.hasDidSave && object.hasChangedMembersOnly { saved.append(object) }
    for (object, key) in inserted {
      let root = object.entity.rootIndex
      if object.entity.slotCount > object.entity.attributeCount { object.values = resolved(object) }
      context.tables[root].remove(object.key)
      object.key = key
      context.tables[root].insert(object, for: key)
      object.version = 1
      object.state.remove(.inserted)
      object.changed = PropertyMask()
      if object.hasDidSave { saved.append(object) }
    }
    for (object, _) in updated { object.version &+= 1 }
    for object in context.updated where !object.isDeleted {
      if object.hasDidSave { saved.append(object) }
      if object.entity.slotCount > object.entity.attributeCount { object.values = resolved(object) }
      object.state.remove(.updated)
      object.committed = []
      object.row = nil
      object.changed = PropertyMask()
    }
    for object in context.touched {
      object.state.remove(.touched)
      for state in object.toManys { state?.commit() }
    }
    for object in deleted {
      context.tables[object.entity.rootIndex].remove(object.key)
      object.state = [.gone]
      object.contextReference = nil
      object.toManys = []
      if object.hasDidSave { saved.append(object) }
    }
    if !inserted.isEmpty { context.passOnKeys(storedKey) }
    context.inserted.removeAll(keepingCapacity: inserted.count < 1_000)
    context.insertedIndex = InsertedIndex()
    context.updated.removeAll(keepingCapacity: updated.count < 1_000)
    context.deleted = []
    context.touched = []
    for identifier in released { context.object(for: identifier).map { context.refresh($0) } }
    return saved
  }

  /// What was saved, for other contexts.
  func objectChanges() -> ObjectChanges {
    let identity = context.store.identity
    func identifier(_ object: ManagedObject) -> ObjectID {
      ObjectID(entity: object.entity, key: object.key, store: identity)
    }
    let others = related.filter { !$0.isGone }
    return ObjectChanges(
      inserted: inserted.map { identifier($0.object) },
      updated: (updated.map(\.object) + others).map { identifier($0) } + released,
      deleted: deleted.map { identifier($0) })
  }
}
