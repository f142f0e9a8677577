import ChangeTracking
import ObjectStore

/// Attributes that the user has set and not saved: a merge meanwhile must not replace them silently. What the user sets in a child
/// replaces, with the child's save, what was set before.
struct UnsavedEdit {
  let object: ManagedObject
  var values: [String: AttributeValue] = [:]
}

/// A property of an object that an unsaved edit and a merge have changed.
struct SettledConflict: Hashable {
  let object: String
  let key: String
}

extension SimulatedClient {
  /// Notes what the user has set, in the first context or a child of it. Undo has rules of its own, so runs with it are left out. A counter
  /// goes on from what a merge brings.
  func noteUnsaved(_ name: String, of object: ManagedObject, in context: ManagedObjectContext) {
    let merge = object.entity.property(named: name)?.userInfo[SyncModelKey.merge].map { MergeKind($0) }
    guard features.has(.unsavedEdits), !features.has(.contextUndo), merge?.isFolded != true else { return }
    if context === self.context {
      unsaved[ObjectIdentifier(object), default: UnsavedEdit(object: object)].values[name] = object[name]
    } else if context.parent === self.context {
      // The child's save does not write what its parent shows already.
      let isChange = self.context.object(for: object.objectID).map { $0[name] != object[name] } ?? true
      unsavedInChild[ObjectIdentifier(object), default: UnsavedEdit(object: object)].values[name] =
        isChange ? object[name] : nil
    }
  }

  /// Takes what was set in a child for what is set in the first context, if the child has saved.
  func passOnUnsaved(hasSaved: Bool) {
    defer { unsavedInChild = [:] }
    guard hasSaved else { return }
    for edit in unsavedInChild.values {
      guard let original = context.object(for: edit.object.objectID) else { continue }
      unsaved[ObjectIdentifier(original), default: UnsavedEdit(object: original)].values.merge(edit.values) {
        $1
      }
    }
  }

  /// Looks, before a save, whether the objects still have what the user gave them.
  func checkUnsaved(in context: ManagedObjectContext) {
    guard context === self.context else { return }
    for edit in unsaved.values where !edit.object.isDeleted && edit.object.hasChanges {
      for (name, value) in edit.values where edit.object[name] != value {
        findings.append("\(self.name): an unsaved edit of \(edit.object.entity.name).\(name) is lost")
      }
    }
    unsaved = [:]
  }

  /// Takes back what is not saved.
  func rollBack(_ context: ManagedObjectContext) {
    if context === self.context { unsaved = [:] }
    context.rollback()
  }

  // MARK: Reports

  /// The unsaved edits about which the next save decides, if only other devices can have written what they met.
  func editsThatMetMerges(in context: ManagedObjectContext) -> Set<SettledConflict> {
    let others: [Simulation.Family] = [
      .severalContexts, .unrecorded, .otherProgramsChange, .contextUndo, .copies, .crashes, .farBehind,
      .addedAttributes, .renaming, .reparenting, .merges,
    ]
    guard features.has(.unsavedEdits), context === self.context, !others.contains(where: features.has) else {
      return []
    }
    context.mergePendingChanges()
    var conflicts: Set<SettledConflict> = []
    for conflict in context.editConflicts {
      guard let object = context.object(for: conflict.objectID) else { continue }
      // What is merged of one relationship or unique value may change what another object shows.
      for property in conflict.properties
      where object.entity.attribute(at: property.index) != nil
        && !store.model.constrainedAttributes(of: object.entity).contains(property.name)
      {
        conflicts.insert(SettledConflict(object: Self.identifier(object), key: property.name))
      }
    }
    return conflicts
  }

  /// Looks whether a report tells what became of them.
  func checkTold(in report: ApplyReport) {
    let told = report.conflicts.map { SettledConflict(object: $0.id.object.string, key: $0.id.key) }
    for conflict in untold.subtracting(told) {
      findings.append("\(name): what became of an edit of \(conflict.object) \(conflict.key) is not told")
    }
    untold = []
  }
}
