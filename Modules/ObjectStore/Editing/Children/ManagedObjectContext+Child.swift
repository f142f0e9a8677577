extension ManagedObjectContext {
  /// A context for changes that are to be kept or dropped as a whole, such as those of a form: it sees the unsaved changes of
  /// this context, and its ``save()`` makes its changes unsaved changes of this context.
  ///
  /// A child has the objects of its own for the rows and the new objects of this context, with the same identifiers; those of
  /// new objects become permanent everywhere when the context without a parent saves. It belongs to the isolation domain of its
  /// parent and shares its connection: neither can be sent anywhere, so both stay where they were made.
  ///
  /// Hooks and validation run in the child; participants are told when the changes reach the store. A child has an undo
  /// of its own, and its save is one step of the parent's. Changes that the parent makes afterwards are taken up when the
  /// child fetches or saves, unless ``mergesChangesAutomatically`` is off; where both changed a property, the child's save
  /// wins. A child of a child is one more such layer.
  public func makeChild() -> ManagedObjectContext {
    children.removeAll { $0.context == nil }
    let child = ManagedObjectContext(childOf: self)
    children.append(WeakContext(context: child))
    return child
  }

  struct WeakContext {
    weak var context: ManagedObjectContext?
  }

  /// The context that works on the store.
  var root: ManagedObjectContext { parent?.root ?? self }

  /// Temporary keys are unique in all contexts of a family, so that an object has the same in each of them.
  func takeTemporaryKey() -> Int64 {
    let root = root
    defer { root.nextTemporary -= 1 }
    return root.nextTemporary
  }

  // MARK: - What the parent has

  /// The parent's object for one of this child's; `nil` if there is none or it is to be deleted.
  func original(of object: ManagedObject) -> ManagedObject? {
    guard let parent, let original = parent.object(entity: object.entity.index, key: object.key),
      original.entity === object.entity, parent.isAlive(original)
    else { return nil }
    return original
  }

  /// The child's object for one of its parent's.
  func mirror(_ original: ManagedObject) -> ManagedObject {
    if let known = tables[original.entity.rootIndex][original.key] {
      if known.isGone {
        // The parent took back that it was to be deleted.
        known.state = [.fault]
        known.values = []
        known.toManys = []
      }
      if known.isFault { known.fire() }
      return known
    }
    let object = make(original.entity, key: original.key, state: .fault)
    object.fire()
    return object
  }

  /// This context's object for one of the context that works on the store.
  func mirrorOfRoot(_ object: ManagedObject) -> ManagedObject {
    guard let parent else { return object }
    return mirror(parent.mirrorOfRoot(object))
  }

  /// Brings the values of a fault from the parent; `false` if the parent has no such object.
  func fulfilFromParent(_ object: ManagedObject) -> Bool {
    defer { if readFailure == nil { readFailure = parent?.readFailure } }
    guard let original = original(of: object) else { return false }
    object.committed = []
    if let row = original.row, original.values.isEmpty {
      // Rows are never changed, so that two contexts may have the same.
      object.values = []
      object.row = row
      object.rowIndex = original.rowIndex
    } else {
      object.row = nil
      object.values = original.values
      if object.state.contains(.updated) { object.committed = original.values }
    }
    object.version = original.version
    object.state.remove(.fault)
    return true
  }

  func storedMembersOfParent(_ object: ManagedObject, at index: Int) -> [ManagedObject] {
    original(of: object)?.members(at: index).map { mirror($0) } ?? []
  }

  /// Takes up what the parent has become.
  func mergeFromParent() {
    guard let parent else { return }
    if parent.mergesChangesAutomatically { parent.mergeAnnounced() }
    var met: [EditConflict] = []
    for object in registeredObjects where !object.isGone && !object.isFault {
      // What the parent deleted while it was changed here is left to be reported by the save.
      if object.hasChanges, original(of: object) == nil { continue }
      if let conflict = mergeSaved(object) { met.append(conflict) }
    }
    forgetUnchangedMembers()
    tell(of: met)
  }

  // MARK: - New keys

  /// Assigns objects of children the keys that objects of this context have got.
  func passOnKeys(_ permanent: (Int64) -> Int64) {
    for child in children.compactMap(\.context) {
      for object in child.registeredObjects {
        let key = object.key < 0 ? permanent(object.key) : 0
        if key > 0 {
          child.tables[object.entity.rootIndex].remove(object.key)
          object.key = key
          child.tables[object.entity.rootIndex].insert(object, for: key)
        }
        if object.entity.slotCount > object.entity.attributeCount {
          object.values = object.values.withPermanentKeys(permanent)
          object.committed = object.committed.withPermanentKeys(permanent)
        }
      }
      child.passOnKeys(permanent)
    }
  }
}

extension ContiguousArray<AttributeValue> {
  fileprivate func withPermanentKeys(_ permanent: (Int64) -> Int64) -> Self {
    var values = self
    for index in indices {
      if case .reference(let entity, let key) = values[index], key < 0 {
        // Zero is for an object that is not saved yet: it keeps its temporary key.
        let stored = permanent(key)
        if stored > 0 { values[index] = .reference(entity: entity, key: stored) }
      }
    }
    return values
  }
}
