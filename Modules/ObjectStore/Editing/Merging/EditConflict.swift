/// An unsaved edit that met a change which others have saved: both sides changed the same properties of one object.
///
/// A context that merges keeps the unsaved edit, so nothing that a person types is replaced under the hands. What becomes of it
/// is decided by the next save, as the context's ``MergePolicy`` says; until then it is listed in
/// ``ManagedObjectContext/editConflicts``.
public struct EditConflict: Sendable, Hashable {
  /// One property that both sides changed to different values.
  public struct Property: Sendable, Hashable {
    /// The name.
    public let name: String
    /// Its index in the object's entity.
    public let index: Int
    /// What the store had when the edit was made.
    public let before: AttributeValue
    /// What the store has now.
    public let saved: AttributeValue
    /// The unsaved value of this context.
    public let unsaved: AttributeValue
  }

  /// The object.
  public let objectID: ObjectID
  /// Attributes and to-one relationships, by index.
  public let properties: [Property]
}

/// The edits that met merged changes, of one context.
struct EditConflicts {
  private struct Entry {
    let object: ManagedObject
    // By property index: what the store had before others changed it for the first time.
    var before: [Int: AttributeValue]
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func note(_ object: ManagedObject, _ properties: [EditConflict.Property]) {
    var entry = entries[ObjectIdentifier(object)] ?? Entry(object: object, before: [:])
    for property in properties where entry.before[property.index] == nil {
      entry.before[property.index] = property.before
    }
    entries[ObjectIdentifier(object)] = entry
  }

  mutating func forget(_ object: ManagedObject) {
    if !entries.isEmpty { entries[ObjectIdentifier(object)] = nil }
  }

  mutating func removeAll() { entries = [:] }

  /// What a property had before others changed it for the first time; `nil` if they did not.
  func before(of object: ManagedObject, at index: Int) -> AttributeValue? {
    entries.isEmpty ? nil : entries[ObjectIdentifier(object)]?.before[index]
  }

  /// Those that there still are: the edit has not been taken back, nor does it say what the store says. In the order of keys.
  func current() -> [(object: ManagedObject, conflict: EditConflict)] {
    entries.values.compactMap { entry in
      let object = entry.object
      guard object.state.contains(.updated), !object.isDeleted, !object.isGone else { return nil }
      let properties = entry.before.keys.sorted().compactMap { index -> EditConflict.Property? in
        guard object.changed.contains(index), let before = entry.before[index] else { return nil }
        return EditConflict.Property(object, at: index, before: before)
      }
      return properties.isEmpty
        ? nil : (object, EditConflict(objectID: object.objectID, properties: properties))
    }
    .sorted {
      ($0.object.entity.index, $0.object.key) < ($1.object.entity.index, $1.object.key)
    }
  }
}

extension EditConflict.Property {
  /// `nil` if both sides have the same.
  init?(_ object: ManagedObject, at index: Int, before: AttributeValue) {
    let (saved, unsaved) = (object.committedValue(at: index), object.value(at: index))
    if saved == unsaved { return nil }
    self.init(
      name: object.entity.properties[index].name, index: index, before: before, saved: saved, unsaved: unsaved
    )
  }
}

/// The unsaved edits of an object, taken before it is given what others have saved.
struct EditedValues {
  private let values: [(index: Int, before: AttributeValue, unsaved: AttributeValue)]

  init(of object: ManagedObject) {
    var values: [(Int, AttributeValue, AttributeValue)] = []
    object.changed.forEach { index in
      // What is derived is computed anew by each save.
      guard index < object.entity.slotCount, object.entity.attribute(at: index)?.derivation == nil else {
        return
      }
      values.append((index, object.committedValue(at: index), object.value(at: index)))
    }
    self.values = values
  }

  /// All of them, if others have deleted the object.
  func lost(with object: ManagedObject) -> [EditConflict.Property] {
    values.filter { $0.before != $0.unsaved }.map { index, before, unsaved in
      EditConflict.Property(
        name: object.entity.properties[index].name, index: index, before: before, saved: .null,
        unsaved: unsaved)
    }
  }

  /// Those of which the store has another value than before now, and another one than was set here.
  ///
  /// - Parameter combines: Whether the object is given, where participants know it, one value for what both sides did. Both may
  ///   have done the same then, as when both counted up by one.
  func met(by object: ManagedObject, in context: ManagedObjectContext, combines: Bool = true)
    -> [EditConflict.Property]
  {
    if object.isGone { return [] }
    return values.compactMap { index, before, unsaved in
      let saved = object.committedValue(at: index)
      if saved == before { return nil }
      let property = EditConflict.Property(
        name: object.entity.properties[index].name, index: index, before: before, saved: saved,
        unsaved: unsaved)
      if context.wasClearedElsewhere(property, of: object) { return nil }
      if context.wasCleared(property, of: object) {
        context.takeOver(property, of: object)
        return nil
      }
      if combines, unsaved != before, let value = context.combined(property, of: object) {
        context.withoutUndo { object.setValue(value, at: index) }
        return nil
      }
      return saved == unsaved ? nil : property
    }
  }
}

extension ManagedObjectContext {
  /// Unsaved edits that met changes which others have saved. The next save decides about them, as ``mergePolicy`` says.
  ///
  /// A relationship that lost its target because that was deleted, or given to another object, was written by nobody, here or by the others. So it
  /// leads where it was made to lead.
  ///
  /// Under ``MergePolicy/error`` it throws. To settle one by hand, `refresh(object)` drops the edits of an object, and
  /// `refresh(object, mergeChanges: true)` says that they are meant: the next save then writes them over what was merged.
  public var editConflicts: [EditConflict] { edits.isEmpty ? [] : edits.current().map(\.conflict) }

  /// Takes the store's values for an object with unsaved changes, and says which of these met other values.
  func mergeSaved(_ object: ManagedObject) -> EditConflict? {
    guard object.state.contains(.updated), !object.isDeleted, !object.isInserted, !object.isGone else {
      refresh(object, mergeChanges: true)
      return nil
    }
    let edited = EditedValues(of: object)
    // Not `refresh`, which would settle an earlier conflict.
    reload(object, mergeChanges: true)
    let met = edited.met(by: object, in: self)
    if met.isEmpty { return nil }
    edits.note(object, met)
    return EditConflict(objectID: object.objectID, properties: met)
  }

  /// Whether nobody has written an unsaved value: a relationship lost its target, which was deleted or given to another object, or leads to one
  /// again that came back.
  fileprivate func wasCleared(_ property: EditConflict.Property, of object: ManagedObject) -> Bool {
    if undoHistory?.restored.contains(object, at: property.index) == true { return true }
    guard property.unsaved.isNull, case .reference(let entity, let key) = property.before,
      model.entities.indices.contains(Int(entity)),
      let relationship = object.entity.relationship(at: property.index),
      let target = tables[model.entities[Int(entity)].rootIndex][key]
    else { return false }
    if target.isDeleted { return true }
    guard !relationship.inverseIsToMany, let inverse = target.entity.inverseIndex(of: relationship),
      let holder = target.target(at: inverse)
    else { return false }
    return holder !== object
  }

  /// Whether the store has no target any more because others have deleted it, or have given it another one in a one-to-one relationship.
  fileprivate func wasClearedElsewhere(_ property: EditConflict.Property, of object: ManagedObject) -> Bool {
    guard property.saved.isNull, parent == nil, case .reference(let entity, let key) = property.before,
      let target = self.object(entity: Int(entity), key: key)
    else { return false }
    if !hasRow(target) { return true }
    guard let relationship = object.entity.relationship(at: property.index), !relationship.inverseIsToMany,
      let inverse = target.entity.inverseIndex(of: relationship),
      let key = storedReference(of: target, at: inverse)
    else { return false }
    return key != object.key
  }

  /// Lets a relationship lead where the store has it, unless that is deleted here, too.
  fileprivate func takeOver(_ property: EditConflict.Property, of object: ManagedObject) {
    if case .reference(let entity, let key) = property.saved,
      self.object(entity: Int(entity), key: key)?.isDeleted == true
    {
      return
    }
    // Nothing is left of the edit if the object is as in the store.
    guard object.changed.contains(property.index) else { return }
    // Not `setTarget`, which would put it at the end of an ordered relationship.
    object.values[property.index] = property.saved
    object.changed.remove(property.index)
    if let slot = object.entity.orderSlots[property.index], slot < object.values.count {
      object.values[slot] = object.committedValue(at: slot)
    }
  }

  fileprivate func combined(_ property: EditConflict.Property, of object: ManagedObject) -> AttributeValue? {
    guard property.index < object.entity.attributeCount else { return nil }
    let root = root
    root.beginAdopting()
    return root.participants.lazy.compactMap { $0.context(self, combines: property, of: object) }.first
  }

  /// Reports unsaved edits that met merged changes.
  func tell(of conflicts: [EditConflict]) {
    if conflicts.isEmpty { return }
    let root = root
    root.beginAdopting()
    for participant in root.participants { participant.context(self, didMeet: conflicts) }
    onEditConflict?(conflicts)
  }

  /// Settles the edits that met merged changes as the policy says.
  ///
  /// - Throws: ``SaveError`` if it says that the save is to be refused.
  func settleEdits() throws(SaveError) {
    if edits.isEmpty { return }
    let current = edits.current()
    if mergePolicy == .error {
      let kept = current.filter { object, conflict in
        let isSettled = settleImmutable(object, conflict)
        if isSettled { noteSettled(object, conflict.properties) }
        return !isSettled
      }
      if !kept.isEmpty { throw SaveError(kept.map { .conflict($0.object.objectID, isDeleted: false) }) }
    } else {
      for (object, conflict) in current {
        defer { noteSettled(object, conflict.properties) }
        if settleImmutable(object, conflict) { continue }
        switch mergePolicy {
        case .storeWins: for property in conflict.properties { takeBack(object, at: property.index) }
        case .rollback: refresh(object)
        case .objectWins, .error: break
        }
      }
    }
    edits.removeAll()
    pairSettledObjects()
    settleUnchanged()
  }

  /// What is immutable has the store's value, whatever the policy. Whether nothing else is left of the conflict.
  private func settleImmutable(_ object: ManagedObject, _ conflict: EditConflict) -> Bool {
    var isSettled = true
    for property in conflict.properties {
      if !property.saved.isNull, isImmutable(property.index, in: object.entity) {
        takeBack(object, at: property.index)
      } else {
        isSettled = false
      }
    }
    return isSettled
  }
}
