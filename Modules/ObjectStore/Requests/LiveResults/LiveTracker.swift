/// Knows which objects may have changed since live results were last brought up to date.
struct LiveTracker {
  /// What there is to look at.
  struct Dirty {
    /// Objects that may have come, gone or changed, each once.
    private(set) var objects: [ManagedObject] = []
    /// Those of them of which something is known to have changed.
    private(set) var updated: Set<ObjectIdentifier> = []
    /// Objects that others have changed, by the entity at the top; they may not be in memory.
    fileprivate(set) var merged: [EntityDescription: [ObjectID]] = [:]
    /// Whether anything else may have changed too.
    fileprivate(set) var isUnknown = false
    private var seen: Set<ObjectIdentifier> = []

    var isEmpty: Bool { objects.isEmpty && merged.isEmpty && !isUnknown }

    fileprivate mutating func add(_ object: ManagedObject, isUpdated: Bool) {
      let identifier = ObjectIdentifier(object)
      guard seen.insert(identifier).inserted else { return }
      objects.append(object)
      if isUpdated { updated.insert(identifier) }
    }

    /// Adds an object that others have changed.
    mutating func addMerged(_ object: ManagedObject) {
      add(object, isUpdated: true)
      updated.insert(ObjectIdentifier(object))
    }
  }

  /// What an object with unsaved changes was like.
  private struct Snapshot: Equatable {
    let values: ContiguousArray<AttributeValue>
    let memberChanges: [Int]

    init(_ object: ManagedObject) {
      values = object.values
      memberChanges = object.toManys.flatMap { [$0?.added.count ?? 0, $0?.removed.count ?? 0] }
    }
  }

  /// Whether somebody has committed who does not tell what.
  var hasUnknownChanges = false
  private var merged: [EntityDescription: [ObjectID]] = [:]
  private var gone: [ManagedObject] = []
  private var pending: [(object: ManagedObject, snapshot: Snapshot)] = []
  private var saving: [(object: ManagedObject, snapshot: Snapshot)] = []

  private static func pending(_ context: ManagedObjectContext) -> [(ManagedObject, Snapshot)] {
    var seen: Set<ObjectIdentifier> = []
    var objects: [(ManagedObject, Snapshot)] = []
    for object in [context.inserted, context.updated, context.deleted, context.touched].joined()
    where object.hasChanges && seen.insert(ObjectIdentifier(object)).inserted {
      objects.append((object, Snapshot(object)))
    }
    return objects
  }

  /// Remembers which objects have unsaved changes.
  mutating func remember(_ context: ManagedObjectContext) {
    pending = Self.pending(context)
  }

  /// Notes what is about to be saved, for afterwards nothing tells it.
  mutating func noteSaving(_ context: ManagedObjectContext) {
    saving = Self.pending(context)
  }

  /// Notes what others have committed, before the context lets go of what they deleted.
  mutating func noteMerged(_ changes: ObjectChanges, _ context: ManagedObjectContext) {
    for identifier in changes.inserted + changes.updated + changes.deleted {
      guard identifier.store.uuid == context.store.uuid,
        let entity = context.model.entity(named: identifier.entity.name)
      else { continue }
      merged[context.model.entities[entity.rootIndex], default: []].append(identifier)
    }
    for identifier in changes.deleted {
      if let entity = context.model.entity(named: identifier.entity.name),
        let object = context.tables[entity.rootIndex][identifier.key]
      {
        gone.append(object)
      }
    }
  }

  /// Returns everything that may have changed since the last time.
  mutating func take(_ context: ManagedObjectContext) -> Dirty {
    var dirty = Dirty()
    dirty.isUnknown = hasUnknownChanges
    dirty.merged = merged
    var before: [ObjectIdentifier: Snapshot] = [:]
    for (object, snapshot) in pending { before[ObjectIdentifier(object)] = snapshot }
    let now = Self.pending(context)
    for (object, snapshot) in now + saving {
      dirty.add(object, isUpdated: before[ObjectIdentifier(object)] != snapshot)
    }
    // Those that have no changes any more were saved, or their changes were dropped.
    for (object, snapshot) in pending { dirty.add(object, isUpdated: Snapshot(object) != snapshot) }
    for object in gone { dirty.add(object, isUpdated: true) }
    pending = now
    saving = []
    merged = [:]
    gone = []
    hasUnknownChanges = false
    return dirty
  }
}
