import Foundation
import TICDSSQLite

/// A scratch pad of objects over one store: fetch, change, save.
///
/// A context and its objects are confined to the isolation domain that made them; neither is `Sendable`, so the compiler
/// refuses to share them. What crosses is an ``ObjectID``. Every context has a database connection of its own. It holds on
/// to objects with changes; all others live as long as somebody uses them. Objects do not hold on to their context: when it goes,
/// they keep the values that are in memory, and a debug build stops where more is read or anything is set.
public final class ManagedObjectContext {
  /// The context whose unsaved state this one works on; `nil` if it works on the store. See ``makeChild()``.
  public let parent: ManagedObjectContext?
  /// The store.
  public let store: PersistentStore
  /// The connection. Do not write with it outside of ``SaveParticipant/contextWillCommit(_:on:)``.
  public let connection: Connection
  /// Who takes part in saves, in this order: those of the store, as far as they have been asked for, then those of this context.
  public internal(set) var participants: [any SaveParticipant] = []
  var ownParticipants: [any SaveParticipant] = []
  var adopted = AdoptedRegistrations()
  /// Whether saves of other contexts, and of other programs, are taken up when this context fetches or saves. On by default.
  public var mergesChangesAutomatically = true

  /// The clock of attributes that are derived from the time of a save.
  public var now: () -> Date = Date.init

  /// What a save does with objects that were changed in the store since they were fetched. An error unless set.
  public var mergePolicy = MergePolicy.error
  /// Called when merging finds that others have saved properties which have unsaved edits here; see ``editConflicts``.
  public var onEditConflict: (([EditConflict]) -> Void)?
  var edits = EditConflicts()
  // What became of edits that met others, until a commit tells participants.
  var settledEdits: [SettledEdit] = []

  /// The most steps that can be undone, if ``undoIsEnabled``; `nil` for all since it was turned on.
  public var undoLimit: Int? { didSet { undoHistory?.limit = undoLimit } }
  @exclusivity(unchecked) var undoHistory: UndoHistory?

  @exclusivity(unchecked) var inserted: [ManagedObject] = []
  var insertedIndex = InsertedIndex()
  // Whether some in `inserted` have been deleted again.
  var insertedHasHoles = false
  @exclusivity(unchecked) var updated: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  var touched: [ManagedObject] = []
  // Targets of to-one relationships that were fetched ahead; nothing else holds on to them until they are used.
  var prefetched: [ManagedObject] = []
  // Misuse that could not be thrown where it happened, because properties do not throw.
  var refusals: [ContextError] = []
  // The first failure to read that happened where nothing could be thrown.
  var readFailure: SQLiteError?
  // Keys count down from -1.
  @exclusivity(unchecked) var nextTemporary: Int64 = -1
  // Confined to the context, and no access to them calls out while it lasts, so accesses cannot overlap.
  let tables: [KeyTable]
  @exclusivity(unchecked) var plans: [FetchPlan?]
  var writers: [RowWriter?]
  var unpaired: [UnpairedReferences?]
  var paths = PathCache()
  // One for each connection.
  let packer: RowPacker
  let saveClock: SaveClock
  let mailbox = ChangeMailbox()
  private(set) lazy var derivedAttributes = DerivedAttributes(model)
  private(set) lazy var untriggeredValues =
    model.hasDerivedAttributes ? UntriggeredValues(schema: store.schema, connection: connection) : nil
  var liveResults: [WeakLiveResults] = []
  var hasStaleLiveResults = false
  var isUpdatingLiveResults = false
  // SQLite's counter of changes to the file, as of the last time the context looked at everything that changed.
  var dataVersion: UInt32 = 0
  /// Whether each entity has one-to-one relationships, by its index: most have none.
  private(set) lazy var arePaired: [Bool] = model.entities.map { entity in
    entity.properties.contains { property in
      property.asRelationship.map { !$0.isToMany && $0.inverse != nil && !$0.inverseIsToMany } ?? false
    }
  }
  /// Whether other programs have committed something that objects with unsaved changes lack.
  var hasForeignCommits = false
  /// Whether other programs, or contexts, have committed something that this context was not to merge by itself.
  var missesForeignCommits = false
  @exclusivity(unchecked) private var scopes: [InstantiationScope?]
  private let temporaryIdentity: StoreIdentity
  var children: [WeakContext] = []

  private init(
    store: PersistentStore, connection: Connection, packer: RowPacker, saveClock: SaveClock,
    parent: ManagedObjectContext?, temporary: StoreIdentity
  ) {
    self.saveClock = saveClock
    self.store = store
    self.connection = connection
    self.packer = packer
    self.parent = parent
    let count = store.model.entities.count
    tables = (0..<count).map { _ in KeyTable() }
    plans = Array(repeating: nil, count: count)
    writers = Array(repeating: nil, count: count)
    unpaired = Array(repeating: nil, count: count)
    scopes = Array(repeating: nil, count: count)
    temporaryIdentity = temporary
    for table in tables { table.context = self }
  }

  convenience init(childOf parent: ManagedObjectContext) {
    self.init(
      store: parent.store, connection: parent.connection, packer: parent.packer,
      saveClock: parent.saveClock, parent: parent, temporary: parent.temporaryIdentity)
  }

  /// - Parameter other: A context in the same isolation whose connection is shared, instead of one of its own.
  convenience init(store: PersistentStore, besides other: ManagedObjectContext? = nil) throws(StoreError) {
    let connection = if let other { other.connection } else { try store.newConnection() }
    self.init(
      store: store, connection: connection, packer: other?.packer ?? RowPacker(),
      saveClock: other?.saveClock ?? SaveClock(), parent: nil, temporary: StoreIdentity(uuid: ""))
    do {
      if other == nil {
        try TextMatching.addFunctions(to: connection)
        let clock = saveClock
        if store.model.hasDerivedAttributes {
          try TriggerFunctions.add(to: connection) { clock.time ?? Date().timeIntervalSinceReferenceDate }
        }
        try connection.addRowFunction(RowPacker.name, packer)
      }
    } catch {
      throw StoreError(.database(error), path: store.path)
    }
    let mailbox = self.mailbox
    let identifier = ObjectIdentifier(mailbox)
    store.listeners.withLock { $0.contexts[identifier] = mailbox }
  }

  deinit {
    let identifier = ObjectIdentifier(mailbox)
    store.listeners.withLock { _ = $0.contexts.removeValue(forKey: identifier) }
    // The invariant of `ManagedObject.table`: no object that dies from here on calls back.
    let objects = registeredObjects
    for object in objects { object.contextReference = nil }
    // Relationships are let go too, for they may form cycles.
    for object in objects { object.toManys = [] }
  }

  /// The store's model.
  public var model: ManagedObjectModel { store.model }

  /// Adds a participant to all saves from now on. The context holds on to it.
  ///
  /// Only what is saved to the store has participants: a child passes them on to its parent.
  public func addParticipant(_ participant: any SaveParticipant) {
    if let parent { return parent.addParticipant(participant) }
    ownParticipants.append(participant)
    participants.append(participant)
  }

  /// Removes a participant.
  public func removeParticipant(_ participant: any SaveParticipant) {
    if let parent { return parent.removeParticipant(participant) }
    ownParticipants.removeAll { $0 === participant }
    participants = adopted.participants.compactMap(\.participant) + ownParticipants
  }

  /// Whether the participants of the store, see ``PersistentStore/addParticipants(as:_:)``, take part in the saves of this context.
  ///
  /// Turn it off, best before the first change, for a context of which the saves are to stay here. A child has it from its parent.
  public var usesStoreParticipants: Bool {
    get { root.adoptsStoreParticipants }
    set {
      let root = root
      root.adoptsStoreParticipants = newValue
      root.adopted.generation = -1
      if newValue { return }
      root.adopted.participants = []
      root.participants = root.ownParticipants
    }
  }
  private var adoptsStoreParticipants = true

  // MARK: - Changes

  /// Objects that are new and not saved yet.
  public var insertedObjects: [ManagedObject] { inserted.filter { $0.isInserted } }
  /// Saved objects with changes.
  public var updatedObjects: [ManagedObject] {
    updated.filter { $0.state.contains(.updated) && !$0.isDeleted }
      + touched.filter { $0.isUpdated && !$0.state.contains(.updated) }
  }
  /// Objects that will be gone with the next save.
  public var deletedObjects: [ManagedObject] { deleted }
  /// Whether there is anything to save.
  public var hasChanges: Bool {
    !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty || !touched.isEmpty
  }

  // MARK: - Objects by key

  /// The object of an identifier, as a fault if it is not in memory; whether it has a row is not looked up.
  ///
  /// `nil` if the identifier is of another store, or a temporary one of another context.
  public func object(for identifier: ObjectID) -> ManagedObject? {
    if identifier.isTemporary {
      guard identifier.store === temporaryIdentity else { return nil }
      return object(entity: identifier.entity.index, key: identifier.key)
    }
    guard identifier.store.uuid == store.uuid, let entity = model.entity(named: identifier.entity.name) else {
      return nil
    }
    return object(entity: entity.index, key: identifier.key)
  }

  /// The object of an identifier if there is one: in the store, or new in this context. Its values are in memory then.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func existingObject(for identifier: ObjectID) throws -> ManagedObject? {
    guard let object = object(for: identifier) else { return nil }
    let isThere = isAlive(object)
    if let readFailure, !isThere { throw StoreError(.database(readFailure), path: store.path) }
    return isThere ? object : nil
  }

  /// The object that a reference leads to, as a fault if it is not in memory; `nil` if there is no such entity, or it is a new object
  /// of another context.
  ///
  /// - Parameters:
  ///   - index: Index of the entity in the model, as in ``AttributeValue/reference(entity:key:)``.
  ///   - key: The row's key, or the temporary one of an object that is not saved yet.
  public func object(entityIndex index: Int, key: Int64) -> ManagedObject? { object(entity: index, key: key) }

  func object(entity index: Int, key: Int64) -> ManagedObject? {
    guard model.entities.indices.contains(index) else { return nil }
    let entity = model.entities[index]
    if let known = tables[entity.rootIndex][key] { return known }
    // A new object is known only to the context that made it, and to its children.
    if key <= 0, parent?.object(entity: index, key: key) == nil { return nil }
    return make(entity, key: key, state: .fault)
  }

  func make(_ entity: EntityDescription, key: Int64, state: ObjectState) -> ManagedObject {
    let scope: InstantiationScope
    if let known = scopes[entity.index] {
      scope = known
    } else {
      scope = model.instantiationScope(for: entity)
      scopes[entity.index] = scope
    }
    let table = tables[entity.rootIndex]
    let object = scope.make(
      model.objectClass(of: entity), Instantiation(entity: entity, table: table, key: key, state: state))
    table.insert(object, for: key)
    return object
  }

  /// All objects in memory, held before any of them is touched: an object that is let go may end others.
  var registeredObjects: [ManagedObject] { tables.flatMap(\.all) }

  func identity(forKey key: Int64) -> StoreIdentity { key < 0 ? temporaryIdentity : store.identity }

  // MARK: - Refusals

  func refuse(_ error: ContextError) { refusals.append(error) }

  /// Whether an object may stand on the other side of a relationship; if not, the next save reports it.
  func admits(
    _ target: ManagedObject?, in relationship: RelationshipDescription, of object: ManagedObject
  ) -> Bool {
    guard let target else { return true }
    if target.contextReference !== self {
      refuse(.foreignObject(entity: object.entity.name, property: relationship.name))
      return false
    }
    if target.entity.index != relationship.destinationIndex,
      !target.entity.isKind(of: model.entities[relationship.destinationIndex])
    {
      refuse(.wrongEntity(entity: object.entity.name, property: relationship.name, found: target.entity.name))
      return false
    }
    return true
  }
}
