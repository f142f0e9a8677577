import ChangeTracking
import ObjectStore

/// Edits of a drawn model, by name.
extension SimulatedClient {
  func editDrawn(using random: inout SeededRandomSource) throws {
    let context = random.oneIn(2) ? (second ?? context) : context
    context.mergePendingChanges()
    if features.has(.batches), random.oneIn(8) {
      return try DrawnBatches(client: self, context: context).run(using: &random)
    }
    if features.has(.contextUndo), context.undoIsEnabled, random.oneIn(5) {
      return try undo(in: context, using: &random)
    }
    if features.has(.childContexts), random.oneIn(4) {
      let child = context.makeChild()
      try change(child, using: &random)
      let hasSaved = save(child)
      passOnUnsaved(hasSaved: hasSaved)
      guard hasSaved else { return rollBack(context) }
      // Two saves of a child now and then, or an edit of the parent between.
      if random.oneIn(3) { try change(context, using: &random) }
    } else {
      try change(context, using: &random)
    }
    // What is not saved meets what is merged, and is saved with the next edits.
    if features.has(.unsavedEdits), random.oneIn(4) { return trace("leaves edits unsaved") }
    if random.oneIn(12) {
      trace("rolls back")
      rollBack(context)
    } else {
      _ = save(context)
    }
  }

  private func change(_ context: ManagedObjectContext, using random: inout SeededRandomSource) throws {
    let editor = DrawnEditor(client: self, context: context)
    for _ in 0..<Int.random(in: 1...4, using: &random) { try editor.editOnce(using: &random) }
  }

  /// Saves, or takes the edits back if the rules of the model refuse them.
  func save(_ context: ManagedObjectContext) -> Bool {
    checkUnsaved(in: context)
    let settled = editsThatMetMerges(in: context)
    do {
      try context.save()
      untold.formUnion(settled)
      trace("saves")
      return true
    } catch let error as SaveError {
      trace("is refused: \(error)")
      refusals += 1
    } catch {
      findings.append("\(name) cannot save: \(error)")
    }
    rollBack(context)
    return false
  }

  private func undo(in context: ManagedObjectContext, using random: inout SeededRandomSource) throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if random.oneIn(3) { context.redo() } else { context.undo() }
    }
    trace("undoes")
    _ = save(context)
  }

  // MARK: Past the recorder

  func editDrawnElsewhere(using random: inout SeededRandomSource) throws {
    let program = OtherProgram(client: self)
    if features.has(.otherPrograms), random.oneIn(2) { return try program.insert(using: &random) }
    if features.has(.otherProgramsChange), random.oneIn(2) { return try program.change(using: &random) }
    if features.has(.reusedKeys), random.oneIn(2) { return try program.reuseKey(using: &random) }
    trace("edits without a recorder")
    let elsewhere = try store.newContext()
    elsewhere.usesStoreParticipants = features.has(.unrecorded)
    let editor = DrawnEditor(client: self, context: elsewhere)
    if features.has(.unrecorded) {
      for _ in 0..<Int.random(in: 1...3, using: &random) { try editor.editOnce(using: &random) }
    } else {
      for _ in 0..<Int.random(in: 1...2, using: &random) { try editor.insertAlone(using: &random) }
    }
    _ = save(elsewhere)
  }
}
