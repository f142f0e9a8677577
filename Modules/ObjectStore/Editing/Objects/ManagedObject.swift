/// An object of a store: a row of a table, or one that will be.
///
/// Subclass it and declare properties with ``Attribute``, ``ToOne`` and ``ToMany``; or use it as it is and read and write by
/// name. Objects are made by ``ManagedObjectContext/insert(_:_:)``, belong to one context and are confined to its isolation
/// domain. In a context there is never more than one object for a row. Its values may be in the store only (a *fault*);
/// they come to memory when they are first read.
open class ManagedObject {
  // An object is confined to its context, and no access to what it stores calls out while it lasts: accesses cannot overlap.
  // Checking that at run time would cost more than the accesses, so these properties are not checked.

  // A fetch makes very many objects, so an object with a context counts no references: the context's model holds on to the
  // entity, and the context to its tables. A context takes itself out of all objects that are left when it goes, and an
  // object without a context holds on to its entity itself.
  private final let entityReference: Unmanaged<EntityDescription>
  @exclusivity(unchecked) private final var table: Unmanaged<KeyTable>?
  @exclusivity(unchecked) final var key: Int64
  // `Z_OPT` of the row that the values came from.
  @exclusivity(unchecked) final var version: Int64 = 0
  // One per slot; nil for a fault, and as long as the values are only in `row`. Not empty, for an empty array has to be let go
  // of when the object dies, and that takes longer than finding that there is none.
  @exclusivity(unchecked) @usableFromInline final var ownValues: ContiguousArray<AttributeValue>?
  // Counted by the slab.
  @exclusivity(unchecked) final var slab: Unmanaged<RowSlab>?
  // Everything else that there is to know of an object with changes or with members.
  @exclusivity(unchecked) final var record: ChangeRecord?
  // Which of the first 64 properties were set.
  @exclusivity(unchecked) @usableFromInline final var changedLow: UInt64 = 0
  @exclusivity(unchecked) private final var slabRow: UInt8 = 0
  @exclusivity(unchecked) @usableFromInline final var state: ObjectState

  /// Called by contexts only.
  public required init(_ instantiation: Instantiation) {
    entityReference = instantiation.entity
    table = instantiation.table
    key = instantiation.key
    state = instantiation.state
    ownValues =
      state.contains(.inserted) ? instantiation.entity._withUnsafeGuaranteedRef { $0.defaults } : nil
    if table == nil { _ = entityReference.retain() }
  }

  deinit {
    slab?._withUnsafeGuaranteedRef { $0.leave() }
    if let table {
      table._withUnsafeGuaranteedRef { $0.remove(key) }
    } else {
      entityReference.release()
    }
  }

  /// The entity.
  public final var entity: EntityDescription { entityReference.takeUnretainedValue() }

  /// Whether an entity is the object's own.
  @inline(__always)
  final func isOf(_ entity: Unmanaged<EntityDescription>) -> Bool {
    entityReference.toOpaque() == entity.toOpaque()
  }

  /// The values as they came from the store; gone when they are saved anew.
  final var row: RowSlab? {
    get { slab?.takeUnretainedValue() }
    set {
      newValue?.enter()
      slab?._withUnsafeGuaranteedRef { $0.leave() }
      slab = newValue.map { .passUnretained($0) }
    }
  }

  /// The row's place in the slab, of which the rows are few enough for a byte.
  final var rowIndex: Int32 {
    @inline(__always) get { Int32(slabRow) }
    @inline(__always) set { slabRow = UInt8(truncatingIfNeeded: newValue) }
  }

  final var contextReference: ManagedObjectContext? {
    get { table?._withUnsafeGuaranteedRef { $0.context } }
    set {
      if table == nil, newValue != nil { entityReference.release() }
      if table != nil, newValue == nil { _ = entityReference.retain() }
      table = newValue.map { .passUnretained($0.tables[entity.rootIndex]) }
    }
  }

  // MARK: - For subclasses

  /// What the class says about its entity as a whole: constraints, abstractness and the like.
  ///
  /// ```swift
  /// override class var entityOptions: EntityOptions? { EntityOptions(Shape.self, isAbstract: true) }
  /// ```
  open class var entityOptions: EntityOptions? { nil }

  /// What is demanded of single properties, beyond what the model says. Add to those of `super` in a subclass.
  open class var valueChecks: [ValueCheck] { [] }

  /// Called once in an object's life, when the user has inserted it: the place for initial values.
  ///
  /// Never called for an object that synchronisation or a ``RowEditor`` brought, that came back by an undo, or that a child
  /// context passes on to its parent: such an object has its values. ``awakeFromFetch()`` is called for those.
  open func awakeFromInsert() {}

  /// Called when values have come from the store, or from the parent of a child context. Do not change relationships here.
  open func awakeFromFetch() {}

  /// Called before each save in which the object is inserted, updated or deleted, ahead of validation.
  ///
  /// May change this object and others, insert and delete; those have their turn in the same save. Such changes are in no
  /// step of undo.
  open func willSave() {}

  /// Called after a save that ``willSave()`` was called for, once it is committed. Not called if the save failed.
  open func didSave() {}

  /// Called when the object is about to be deleted by the user or a delete rule, while its relationships are still there.
  open func prepareForDeletion() {}

  /// Checks a new object beyond what the model says. Throw an error that says what is wrong; the save reports it with others.
  open func validateForInsert() throws {}

  /// Checks a changed object beyond what the model says.
  open func validateForUpdate() throws {}

  /// Checks whether the object may be deleted.
  open func validateForDelete() throws {}

  // Plain objects have no hook, and are not asked.
  final var hasDidSave: Bool { Swift.type(of: self) != ManagedObject.self }

  // MARK: - Identity and state

  /// The context; `nil` once the object is deleted and saved, or its context is gone.
  public final var context: ManagedObjectContext? { resolved.contextReference }

  /// Identifies the object; temporary until it is saved.
  public final var objectID: ObjectID {
    if let united { return united.objectID }
    return ObjectID(entity: entity, key: key, store: contextReference?.identity(forKey: key) ?? .none)
  }

  /// Whether the values are in the store and not in memory.
  public final var isFault: Bool { resolved.state.contains(.fault) }
  /// Whether the object is new and not saved yet.
  public final var isInserted: Bool { resolved.state.contains(.inserted) }
  /// Whether there are changes to an object that was saved before.
  public final var isUpdated: Bool {
    !resolved.state.isDisjoint(with: [.updated, .touched]) && !isInserted && !isDeleted
  }
  /// Whether the object will be gone with the next save.
  public final var isDeleted: Bool { resolved.state.contains(.deleted) }
  /// Whether the object is inserted, updated or deleted.
  public final var hasChanges: Bool {
    !resolved.state.isDisjoint(with: [.inserted, .updated, .deleted, .touched])
  }
  /// Whether the object has no row any more: it was deleted here or elsewhere. Its properties then keep their last values.
  public final var isGone: Bool { state.contains(.gone) && (united?.isGone ?? true) }
}

extension ManagedObject: Hashable {
  /// Objects are equal if they are the same: in one context there is one object for a row.
  ///
  /// An exception is a new object that a ``MergePolicy`` united with one that was in use: compare ``objectID`` where that may be.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension StoreIdentity {
  static let none = StoreIdentity(uuid: "")
}
