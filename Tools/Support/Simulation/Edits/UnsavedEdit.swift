import ObjectStore

/// Attributes that the user has set and not saved: a merge meanwhile must not replace them silently.
struct UnsavedEdit {
  let object: ManagedObject
  var values: [String: AttributeValue] = [:]
}

extension SimulatedClient {
  /// Notes what the user has set. Undo and child contexts have rules of their own, so runs with these are left out.
  func noteUnsaved(_ name: String, of object: ManagedObject, in context: ManagedObjectContext) {
    guard features.has(.unsavedEdits), !features.has(.contextUndo), context === self.context else { return }
    unsaved[ObjectIdentifier(object), default: UnsavedEdit(object: object)].values[name] = object[name]
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
}
