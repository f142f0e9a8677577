import ObjectStore
import OpenSSL
import SQLite

/// Records what a context saves, in the same transaction as the data.
///
/// Add a recorder to every context whose changes are to reach other devices:
///
/// ```swift
/// let context = try store.newContext()
/// context.addParticipant(try SaveRecorder(context: context))
/// ```
///
/// New objects of synchronised entities get their sync ID when they are inserted; those with a natural key
/// (``SyncModelKey/naturalKey``) get it when they are first saved. A recorder is confined to its context. Objects of
/// other entities are left alone. Changes that a ``Replica`` merges do not pass through a context and are not recorded.
public final class SaveRecorder: SaveParticipant {
  // A class, for every row of a save looks its entity up, and a structure of arrays is dear to copy.
  private final class Entity {
    let number: EntityNumber
    /// Index of the attribute that holds the sync ID.
    let syncID: Int
    /// By property index: `nil` if the property does not travel.
    let bits: [PropertyBit?]
    let naturalKey: [Int]
    let root: String
    let lookup: String

    init(
      number: EntityNumber, syncID: Int, bits: [PropertyBit?], naturalKey: [Int], root: String, lookup: String
    ) {
      self.number = number
      self.syncID = syncID
      self.bits = bits
      self.naturalKey = naturalKey
      self.root = root
      self.lookup = lookup
    }
  }

  private struct Join {
    var isRecorded: Bool
    var isReversed: Bool
    /// By entity index: the relationship's bit.
    var bits: [Int: PropertyBit]
  }

  private let log: ChangeLog
  private let now: @Sendable () -> UInt64
  private var newIdentifiers: NewIdentifiers
  /// Whether objects may have been inserted that get their sync ID when they are saved.
  private var mayLackIdentifiers = true
  /// By entity index in the model; `nil` for entities that are not synchronised.
  private let entities: [Entity?]
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
  public init(
    context: ManagedObjectContext, now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws {
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
    let entities: [Entity?] = model.entities.map { entity in
      guard let number = names.existingNumber(of: entity.name), names[number].local != nil,
        let syncID = entity.index(of: SyncModelKey.syncID),
        case .attribute(let column, _) = storage.table(of: entity).storage[syncID]
      else { return nil }
      let bits = Dictionary(uniqueKeysWithValues: names[number].localProperties.map { ($0.name, $0.bit) })
      return Entity(
        number: number, syncID: syncID, bits: entity.properties.map { bits[$0.name] },
        naturalKey: entity.naturalKey, root: entity.root.name,
        lookup: "SELECT 1 FROM \(storage.table(of: entity).name) WHERE \(column) = ?")
    }
    self.entities = entities
    joins = storage.joins.map { join in
      Self.join(join, model: model, names: names, entities: entities)
    }
    orders = RecordedOrder.all(in: model, names: names)
  }

  private static func join(
    _ join: JoinTable, model: ManagedObjectModel, names: NameTable, entities: [Entity?]
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

  /// Gives a new object its sync ID, unless a natural key will.
  public func contextDidInsert(_ object: ManagedObject) {
    guard let entity = entities[object.entity.index], object.value(at: entity.syncID).isNull else { return }
    guard entity.naturalKey.isEmpty else {
      mayLackIdentifiers = true
      return
    }
    object.setValue(.string(randomID()), at: entity.syncID)
  }

  /// Gives the sync IDs that depend on natural keys, and any that are still missing.
  public func contextWillSave(_ context: ManagedObjectContext) throws {
    guard mayLackIdentifiers else { return }
    var taken: Set<String> = []
    for object in context.insertedObjects {
      guard let entity = entities[object.entity.index], object.value(at: entity.syncID).isNull else {
        continue
      }
      var identifier = randomID()
      if !entity.naturalKey.isEmpty {
        let natural = SyncID(naturalKey: entity.naturalKey.map { object.value(at: $0) }, of: entity.root)
          .string
        // The key of an object that was renamed since may be in use again; it is then another object.
        let isTaken =
          try taken.contains(natural) || context.connection.first(entity.lookup, .text(natural)) != nil
        if !isTaken { identifier = natural }
      }
      taken.insert(identifier)
      object.setValue(.string(identifier), at: entity.syncID)
    }
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
  public func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws {
    pending = nil
    try logRows(of: changes, on: connection)
    try logLinks(of: changes, on: connection)
    for change in changes.orders {
      let end = OrderedEnd(entity: Int(change.entity), property: Int(change.property))
      guard let order = orders[end] else { continue }
      try log.appendOrder(
        entity: order.entity, row: RowNumber(rawValue: change.primaryKey), bit: order.bit,
        isInverse: order.isInverse,
        time: stamp(connection))
    }
    // A save that logs nothing commits too.
    let version = connection.dataVersion
    if pending == nil, let logged, logged.version == version { pending = (logged.time, version &+ 1) }
  }

  /// Notes the time that was logged, now that it is in the file.
  public func contextDidSave(_ context: ManagedObjectContext) {
    if let pending { logged = pending }
    newIdentifiers.removeAll()
    mayLackIdentifiers = false
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
    var written = (entity: Int32(-1), properties: PropertyMask(), words: [UInt64]())
    for (index, row) in changes.rows.enumerated() {
      guard let entity = entities[Int(row.entity)] else { continue }
      let number = RowNumber(rawValue: row.primaryKey)
      switch row.kind {
      case .inserted:
        // A new object has a new key, and its identifier tells the time. An identifier that is not new may be known to somebody.
        if identifiersTell, case .string(let syncID) = changes.value(of: entity.syncID, at: index),
          newIdentifiers.contains(syncID)
        {
          continue
        }
        try add(LogRun(kind: .insert, entity: entity.number, row: number))
      case .deleted:
        guard case .string(let syncID) = changes.value(of: entity.syncID, at: index) else { continue }
        try log.appendDeletion(
          entity: entity.number, row: number, syncID: SyncID(syncID), time: stamp(connection))
      case .updated:
        // Many rows of one save have mostly had the same properties written.
        if written.entity != row.entity || written.properties != row.changedProperties {
          written = (row.entity, row.changedProperties, Self.registers(row.changedProperties, of: entity))
        }
        for (word, mask) in written.words.enumerated() where mask != 0 {
          try add(LogRun(kind: .update, entity: entity.number, word: word, mask: mask, row: number))
        }
      }
    }
    if let run { try log.append(run, time: stamp(connection)) }
  }

  private func logLinks(of changes: SaveChanges, on connection: Connection) throws {
    for link in changes.links {
      let join = joins[Int(link.join)]
      let (source, sourceKey, target) =
        join.isReversed
        ? (link.targetEntity, link.targetKey, link.sourceKey)
        : (link.sourceEntity, link.sourceKey, link.targetKey)
      guard join.isRecorded, let entity = entities[Int(source)], let bit = join.bits[Int(source)] else {
        continue
      }
      try log.appendLink(
        entity: entity.number, row: RowNumber(rawValue: sourceKey), bit: bit,
        target: RowNumber(rawValue: target), added: link.isAdded,
        time: stamp(connection))
    }
  }

  /// The registers of properties, as words of 64 bits.
  private static func registers(_ properties: PropertyMask, of entity: Entity) -> [UInt64] {
    var words: [UInt64] = []
    properties.forEach { property in
      guard let bit = entity.bits[property] else { return }
      while words.count <= bit.word { words.append(0) }
      words[bit.word] |= bit.mask
    }
    return words
  }
}

extension SyncID {
  /// The identifier of an object with a natural key: a UUID made from a hash (RFC 9562, version 8), the same everywhere.
  init(naturalKey values: [AttributeValue], of root: String) {
    var bytes: [UInt8] = []
    bytes.appendText(root)
    ValueColumn.append(values, to: &bytes)
    let digest = SHA256.hash(bytes).bytes
    let high = digest[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = digest[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self = .uuid(high & 0xffff_ffff_ffff_0fff | 0x8000, low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }

  /// Whether another device may have made the same identifier by itself.
  var isNatural: Bool {
    if case .uuid(let high, _) = self { high & 0xf000 == 0x8000 } else { true }
  }
}
