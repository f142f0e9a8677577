/// What a save made of an unsaved edit that met what others had saved.
///
/// ``SaveChanges/settledEdits`` lists them, so that a participant can tell a person of each, within the save's transaction.
public struct SettledEdit {
  /// Which side remains.
  public enum Outcome: Sendable, Hashable {
    /// The edit is saved over what others had saved.
    case kept
    /// The edit gave way to what others had saved.
    case dropped
    /// Others had deleted the object; the edit is gone with it.
    case deletedElsewhere
    /// The object is deleted here; what others had saved is gone with it.
    case deletedHere
  }

  /// The object, which has no context any more if it is deleted.
  public let object: ManagedObject
  /// What both sides wrote; `null` for the side that deleted the object.
  public let property: EditConflict.Property
  /// What became of it.
  public let outcome: Outcome
  private let committed: [AttributeValue]

  init(
    _ object: ManagedObject, _ property: EditConflict.Property, _ outcome: Outcome,
    committed: [AttributeValue]
  ) {
    self.object = object
    self.property = property
    self.outcome = outcome
    self.committed = committed
  }

  /// The value of an attribute or to-one relationship that the object had in the store when the edit was settled.
  ///
  /// - Parameter index: Index of the property.
  public func committedValue(at index: Int) -> AttributeValue {
    committed.indices.contains(index) ? committed[index] : .null
  }
}

extension ManagedObjectContext {
  /// Notes for the next commit what became of edits that met others, now that the policy has decided.
  func noteSettled(_ object: ManagedObject, _ properties: [EditConflict.Property]) {
    for property in properties {
      let isKept =
        object.changed.contains(property.index) && object.value(at: property.index) == property.unsaved
      noteSettled(object, property, isKept ? .kept : .dropped)
    }
  }

  func noteSettled(
    _ object: ManagedObject, _ property: EditConflict.Property, _ outcome: SettledEdit.Outcome,
    committed: [AttributeValue]? = nil
  ) {
    // What is met again is met with what the store has by then.
    settledEdits.removeAll { $0.object === object && $0.property.index == property.index }
    settledEdits.append(
      SettledEdit(object, property, outcome, committed: committed ?? object.committedValues))
  }
}

extension ManagedObject {
  /// All values that the object has in the store.
  var committedValues: [AttributeValue] { (0..<entity.valueCount).map { committedValue(at: $0) } }
}
