import ObjectStore
import TICDSSQLite

/// Records what a context saves, in the same transaction as the data.
///
/// New objects of synchronised entities get their sync ID when they are inserted; those with a natural key
/// (``SyncModelKey/naturalKey``) get it when they are first saved. Confined to its context. Objects of other entities are left
/// alone. Changes that a ``Replica`` merges do not pass through a context and are not recorded.
final class SaveRecorder: SaveParticipant {
  /// Identifiers are unique below one root.
  private struct Identity: Hashable {
    var syncID: SyncID
    var root: EntityNumber
  }

  private struct Join {
    var isRecorded: Bool
    var isReversed: Bool
    /// By entity index: the relationship's bit.
    var bits: [Int: PropertyBit]
  }

  private let log: ChangeLog
  private weak var context: ManagedObjectContext?
  private let now: @Sendable () -> UInt64
  private var newIdentifiers: NewIdentifiers
  /// Of the save that is being written.
  private var keyNames: [EntityNumber: [String]] = [:]
  /// By entity index in the model; `nil` for entities that are not synchronised.
  private let entities: [RecordedEntity?]
  private let joins: [Join]
  private let orders: [OrderedEnd: RecordedOrder]
  /// The time of the last save, and the version that the file has after it if nobody else commits.
  private var logged: (time: LogicalTime, version: UInt32)?
  /// The same of the save that is being written.
  private var pending: (time: LogicalTime, version: UInt32)?

  /// Prepares to record the saves of a context, and makes the bookkeeping if the store has none.
  ///
  /// - Parameters:
  ///   - context: whose saves to record.
  ///   - now: the wall clock, in milliseconds since 1970.
  ///   - random: where sync IDs come from.
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if the bookkeeping is damaged or from a newer version.
  init(
    context: ManagedObjectContext, now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws {
    self.context = context
    self.now = now
    newIdentifiers = NewIdentifiers(random: random)
    let connection = context.connection
    let model = context.model
    let storage = context.store.schema
    let schema = model.syncSchema
    let synchronized = schema.entities.compactMap { model.entity(named: $0.name) }
    try Bookkeeping.prepare(connection, schema: schema) {
      RowNumber(rawValue: try storage.table(of: synchronized[$0.rawValue]).lastKey(connection))
    }
    let names = try NameTable.open(connection: connection, schema: schema)
    log = try ChangeLog(connection: connection)
    // A small save that is recorded writes twice as many pages as one that is not: so the file is brought up to date after as many saves.
    try connection.execute(script: "PRAGMA wal_autocheckpoint = 2000")
    let entities = model.entities.map { RecordedEntity($0, names) }
    self.entities = entities
    joins = storage.joins.map { join in
      Self.join(join, model: model, names: names, entities: entities)
    }
    orders = RecordedOrder.all(in: model, names: names)
  }

  private static func join(
    _ join: JoinTable, model: ManagedObjectModel, names: NameTable, entities: [RecordedEntity?]
  ) -> Join {
    // The canonical end may be either side of the table.
    let source = model.entities[join.sourceEntity]
    let property = source.properties[join.sourceProperty]
    func bits(of name: String) -> [Int: PropertyBit] {
      var bits: [Int: PropertyBit] = [:]
      for entity in model.entities {
        if let known = entities[entity.index], let index = entity.index(of: name) {
          bits[entity.index] = known.bits[index]
        }
      }
      return bits
    }
    let forward = bits(of: property.name).filter { model.entities[$0.key].isKind(of: source) }
    if !forward.isEmpty { return Join(isRecorded: true, isReversed: false, bits: forward) }
    let target = model.entities[join.targetEntity]
    let backward = property.asRelationship?.inverse.map { bits(of: $0) } ?? [:]
    let owned = backward.filter { model.entities[$0.key].isKind(of: target) }
    return Join(isRecorded: !owned.isEmpty, isReversed: true, bits: owned)
  }

  // MARK: Sync IDs

  /// Assigns a new object its sync ID, unless a natural key will.
  func contextDidInsert(_ object: ManagedObject) {
    guard let entity = entities[object.entity.index], object.value(at: entity.syncID).isNull else { return }
    guard entity.naturalKey.isEmpty else { return }
    object.setValue(.string(randomID()), at: entity.syncID)
  }

  /// What this device and others contributed to a counter, or to a greatest or smallest value, all counts.
  func context(
    _ context: ManagedObjectContext, combines property: EditConflict.Property, of object: ManagedObject
  ) -> AttributeValue? {
    guard let folds = entities[object.entity.index]?.folds, let fold = folds[property.index] else {
      return nil
    }
    let shown = property.before.isNull ? fold.initial : property.before
    guard let value = fold.contribution(of: property.unsaved, shown: shown, isFirst: property.before.isNull)
    else {
      return property.saved
    }
    return fold.value(base: property.saved, [Contribution(origin: .zero, value: value)])
  }

  /// Sets the sync IDs that depend on natural keys, and any that are still missing, and sees to it that no two objects have
  /// one: the transaction has begun, so nobody else can bring one any more.
  func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws {
    var taken: Set<Identity> = []
    keyNames = [:]
    newIdentifiers.beginTaking()
    for object in context.insertedObjects {
      guard let entity = entities[object.entity.index] else { continue }
      guard case .string(let text) = object.value(at: entity.syncID) else {
        try identify(object, entity, &taken, in: context)
        continue
      }
      if let isFree = newIdentifiers.take(text, below: entity.root) {
        if !isFree { object.setValue(.string(randomID()), at: entity.syncID) }
        continue
      }
      // One that the application chose, copied together with its object, or that a deletion had which was undone.
      let syncID = SyncID(text)
      let saved = try context.savedObject(with: .string(text), at: entity.syncID, besides: object)
      // What an undo brings back others may have brought back already.
      let isRevived =
        try !object.objectID.isTemporary
        && saved.map { try isFromElsewhere($0.object, syncID, entity, connection) } ?? false
      if let saved, saved.object.entity === object.entity,
        isRevived || !entity.naturalKey.isEmpty && key(of: saved.object) == key(of: object)
      {
        context.unite(object, with: saved, keepsSaved: isRevived)
      } else if saved != nil || !taken.insert(Identity(syncID: syncID, root: entity.root)).inserted {
        object.setValue(.string(randomID()), at: entity.syncID)
      }
    }
  }

  /// Whether a row shows an object as another device has inserted it, rather than one that was given the identifier here.
  private func isFromElsewhere(
    _ object: ManagedObject, _ syncID: SyncID, _ entity: RecordedEntity, _ connection: Connection
  ) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM TICDS_OBJECT o JOIN TICDS_AUTHOR a ON a.id = o.inserter
      WHERE o.syncid = ? AND o.root = ? AND o.row = ?
        AND a.author IS NOT (SELECT value FROM TICDS_STATE WHERE name = 'author')
      """, syncID.stored, .integer(Int64(entity.root.rawValue)), .integer(object.objectID.key)) != nil
  }

  private func identify(
    _ object: ManagedObject, _ entity: RecordedEntity, _ taken: inout Set<Identity>,
    in context: ManagedObjectContext
  ) throws {
    let names = try entity.naturalKey.isEmpty ? [] : keyNames(of: entity, in: context)
    // The key of an object that was renamed since may be in use again; it is then another object, and the same everywhere.
    for generation in 0..<Self.generationLimit where !names.isEmpty {
      var isFree = false
      for (index, name) in names.enumerated() {
        let natural = SyncID(naturalKey: key(of: object), of: name, generation: generation)
        let saved = try context.savedObject(with: .string(natural.string), at: entity.syncID, besides: object)
        if let saved, saved.object.entity === object.entity, key(of: saved.object) == key(of: object) {
          return context.unite(object, with: saved)
        }
        if index == 0 { isFree = saved == nil }
      }
      let natural = SyncID(naturalKey: key(of: object), of: names[0], generation: generation)
      if isFree, taken.insert(Identity(syncID: natural, root: entity.root)).inserted {
        return object.setValue(.string(natural.string), at: entity.syncID)
      }
    }
    object.setValue(.string(randomID()), at: entity.syncID)
  }

  private static let generationLimit: UInt8 = 8

  /// Of what identifiers of natural keys are made, or were as long as less was known of the entity's names; the preferred name first.
  ///
  /// Read anew for each save: a merge may have told an earlier name.
  private func keyNames(of entity: RecordedEntity, in context: ManagedObjectContext) throws -> [String] {
    if let known = keyNames[entity.number] { return known }
    var names: [String] = []
    for scope in entity.keyScopes {
      let path = try context.connection.first(
        "SELECT path FROM TICDS_ENTITY WHERE id = ?", .integer(Int64(scope.rawValue)))
      guard case .blob(let bytes)? = path else { continue }
      for name in try NamePath(stored: bytes, in: context.connection).namesByAge where !names.contains(name) {
        names.append(name)
      }
    }
    keyNames[entity.number] = names
    return names
  }

  private func key(of object: ManagedObject) -> NaturalKey {
    NaturalKey((entities[object.entity.index]?.naturalKey ?? []).map { object.value(at: $0) })
  }

  private func randomID() -> String { newIdentifiers.make(milliseconds: now()) }

  /// Milliseconds by which the time of an identifier may differ from that of the save, to stand for it.
  private static let identifierTolerance: UInt64 = 10_000

  private var identifiersTellTheTime: Bool {
    guard let since = newIdentifiers.since else { return false }
    let now = now()
    return now >= since && now - since <= Self.identifierTolerance
  }

  // MARK: The log

  /// Logs what the save wrote.
  func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws {
    pending = nil
    if !changes.settledEdits.isEmpty, let context {
      try SettledEditRecorder(changes, of: context).record(at: stamp(connection))
    }
    try logRows(of: changes, on: connection)
    try logLinks(of: changes, on: connection)
    for change in changes.orders {
      let end = OrderedEnd(entity: Int(change.entity), property: Int(change.property))
      guard let order = orders[end] else { continue }
      try log.appendOrder(
        entity: order.entity,
        owner: ChangeLog.Row(
          entity: entities[Int(change.entity)]?.number ?? .unknown,
          row: RowNumber(rawValue: change.primaryKey)),
        bit: order.bit, isInverse: order.isInverse, time: stamp(connection))
    }
    // A save that logs nothing commits too.
    let version = connection.dataVersion
    if pending == nil, let logged, logged.version == version { pending = (logged.time, version &+ 1) }
  }

  /// Notes the time that was logged, now that it is in the file.
  func contextDidSave(_ context: ManagedObjectContext) {
    if let pending { logged = pending }
    newIdentifiers.removeAll()
  }

  /// The time of the save that is being written.
  private func stamp(_ connection: Connection) throws -> LogicalTime {
    if let pending { return pending.time }
    let next: LogicalTime
    let version = connection.dataVersion
    if let logged, logged.version == version {
      // Nobody has committed since, so nothing in the file is later than what was logged then.
      var clock = HybridLogicalClock(last: logged.time)
      next = clock.next(now: now())
    } else {
      next = try ChangeLog.nextTime(connection, now: now())
    }
    // The transaction holds the write lock, so the next commit is its own, and counts up by one.
    pending = (next, version &+ 1)
    return next
  }

  private func logRows(of changes: SaveChanges, on connection: Connection) throws {
    var run: LogRun?
    func add(_ next: LogRun) throws {
      if run?.extend(with: next) == true { return }
      if let run { try log.append(run, time: stamp(connection)) }
      run = next
    }
    let identifiersTell = identifiersTellTheTime
    let targets = TargetChanges(changes, entities)
    var succeeding: [(entity: EntityNumber, row: RowNumber)] = []
    var written = (entity: Int32(-1), properties: PropertyMask(), words: [UInt64]())
    for (index, row) in changes.rows.enumerated() {
      guard let entity = entities[Int(row.entity)] else { continue }
      let number = RowNumber(rawValue: row.primaryKey)
      switch row.kind {
      case .inserted:
        // A new object has a new key, and its identifier tells the time. An identifier that is not new may be known to somebody; a key that
        // is not new, of an object whose deletion was undone, lies among those of which all insertions are accounted for.
        if identifiersTell, case .string(let syncID) = changes.value(of: entity.syncID, at: index),
          newIdentifiers.contains(syncID), changes.object(at: index).objectID.isTemporary
        {
          continue
        }
        if !targets.deletedIdentifiers.isEmpty,
          case .string(let syncID) = changes.value(of: entity.syncID, at: index),
          targets.deletedIdentifiers.contains(SyncID(syncID))
        {
          // An object that takes over the identifier of one that goes with this save comes after that.
          succeeding.append((entity.number, number))
          continue
        }
        try add(LogRun(kind: .insert, entity: entity.number, row: number))
      case .deleted:
        guard case .string(let syncID) = changes.value(of: entity.syncID, at: index) else { continue }
        try log.appendDeletion(
          entity: entity.number, row: number, syncID: SyncID(syncID), time: stamp(connection))
      case .updated:
        let properties = targets.properties(of: row, at: index, entity)
        // Many rows of one save have mostly had the same properties written.
        if written.entity != row.entity || written.properties != properties.written {
          written = (row.entity, properties.written, entity.registers(properties.written))
        }
        for (kind, words) in [
          (ChangeLog.Kind.update, written.words), (.clear, entity.registers(properties.cleared)),
          (.restore, entity.registers(properties.restored)),
        ] {
          for (word, mask) in words.enumerated() where mask != 0 {
            try add(LogRun(kind: kind, entity: entity.number, word: word, mask: mask, row: number))
          }
        }
      }
    }
    if let run { try log.append(run, time: stamp(connection)) }
    if succeeding.isEmpty { return }
    let later = try stamp(connection).next
    for (entity, row) in succeeding { try log.appendInsertion(entity: entity, row: row, time: later) }
    pending?.time = later
  }

  private func logLinks(of changes: SaveChanges, on connection: Connection) throws {
    for link in changes.links {
      let join = joins[Int(link.join)]
      let ends = ((link.sourceEntity, link.sourceKey), (link.targetEntity, link.targetKey))
      let ((source, sourceKey), (member, target)) = join.isReversed ? (ends.1, ends.0) : ends
      guard join.isRecorded, let entity = entities[Int(source)], let bit = join.bits[Int(source)] else {
        continue
      }
      try log.appendLink(
        entity: entity.number, row: RowNumber(rawValue: sourceKey), bit: bit,
        target: ChangeLog.Row(
          entity: entities[Int(member)]?.number ?? .unknown, row: RowNumber(rawValue: target)),
        added: link.isAdded, time: stamp(connection))
    }
  }
}
