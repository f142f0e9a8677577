import ObjectStore
import Testing

/// An object that two contexts have deleted, where both take that back.
@Suite struct ReappearanceTests {
  private typealias Crate = SparedRelationshipTests.Crate
  private typealias Box = SparedRelationshipTests.Box
  private typealias Lid = SparedRelationshipTests.Lid
  private typealias Label = SparedRelationshipTests.Label

  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext

  /// A store with a crate of two boxes, of which the first has a lid and a label.
  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Crate.self, Box.self, Lid.self, Label.self))
    mine = try fixture.store.newContext()
    theirs = try fixture.store.newContext()
    let crate = try mine.insert(Crate.self)
    crate.boxes = try ["a", "b"].map { name in try mine.insert(Box.self) { $0.name = name } }
    crate.boxes[0].lid = try mine.insert(Lid.self)
    crate.boxes[0].labels = [try mine.insert(Label.self)]
    try mine.save()
  }

  /// Both contexts delete the first box, save, and take that back.
  private func deleteAndUndo(_ policy: MergePolicy, merging: Bool = true, _ contexts: [ManagedObjectContext])
    throws
  {
    for context in contexts {
      context.mergePolicy = policy
      context.mergesChangesAutomatically = merging
      context.undoIsEnabled = true
      context.delete(try #require(try box("a", in: context)))
    }
    for context in contexts { try context.save() }
    for context in contexts { context.undo() }
  }

  private func box(_ name: String, in context: ManagedObjectContext) throws -> Box? {
    try context.fetch(Box.self).first { $0.name == name }
  }

  private func contents(_ context: ManagedObjectContext) throws -> [String] {
    let crate = try #require(try context.fetch(Crate.self).first)
    let lid = try #require(try context.fetch(Lid.self).first)
    let label = try #require(try context.fetch(Label.self).first)
    return crate.boxes.map { box in
      box.name + (box.crate === crate ? "" : " without crate") + (box.lid === lid ? " with lid" : "")
        + (box.labels.contains(label) ? " with label" : "")
    }.sorted() + [lid.box?.name ?? "-"] + label.boxes.map(\.name)
  }

  private func expect(_ wanted: [String]) throws {
    for context in [mine, theirs] { context.mergePendingChanges() }
    for context in [try fixture.store.newContext(), mine, theirs] {
      #expect(try contents(context) == wanted)
      #expect(!context.hasChanges)
    }
    try fixture.check()
  }

  @Test(
    arguments: [
      (MergePolicy.error, true), (.storeWins, true), (.storeWins, false), (.objectWins, true),
      (.objectWins, false), (.rollback, true), (.rollback, false),
    ])
  func `it is there with what it had`(policy: MergePolicy, merging: Bool) throws {
    try deleteAndUndo(policy, merging: merging, [mine, theirs])

    try mine.save()
    try theirs.save()

    try expect(["a with lid with label", "b", "a", "a"])
  }

  @Test(
    arguments: [(MergePolicy.storeWins, "mine"), (.objectWins, "theirs"), (.rollback, "mine")], [true, false])
  func `what both have given it since is settled by the policy`(
    _ settled: (policy: MergePolicy, name: String), merging: Bool
  ) throws {
    try deleteAndUndo(settled.policy, merging: merging, [mine, theirs])
    try box("a", in: mine)?.name = "mine"
    try box("a", in: theirs)?.name = "theirs"
    try mine.save()
    try theirs.save()

    try expect(["b", "\(settled.name) with lid with label", settled.name, settled.name])
  }

  @Test func `an edit of it is a conflict that can be settled`() throws {
    try deleteAndUndo(.error, [mine, theirs])
    try box("a", in: mine)?.name = "mine"
    let edited = try #require(try box("a", in: theirs))
    edited.name = "theirs"
    try mine.save()
    theirs.mergePendingChanges()

    let conflict = try #require(theirs.editConflicts.first)
    #expect(conflict.objectID == edited.objectID)
    #expect(conflict.properties.map(\.name) == ["name"])
    #expect(throws: SaveError.self) { try theirs.save() }
    theirs.refresh(edited, mergeChanges: true)
    try theirs.save()

    try expect(["b", "theirs with lid with label", "theirs", "theirs"])
  }

  @Test func `who was given to another meanwhile stays there`() throws {
    for context in [mine, theirs] {
      context.undoIsEnabled = true
      context.delete(try #require(try context.fetch(Crate.self).first))
    }
    try mine.save()
    try theirs.save()
    mine.undo()
    theirs.undo()
    let other = try mine.insert(Crate.self) { $0.name = "other" }
    try box("b", in: mine)?.crate = other
    try mine.save()
    try theirs.save()

    for context in [try fixture.store.newContext(), mine, theirs] {
      context.mergePendingChanges()
      #expect(try box("a", in: context)?.crate?.name == "")
      #expect(try box("b", in: context)?.crate?.name == "other")
    }
    try fixture.check()
  }

  @Test func `undoing a deletion takes nobody from whom others have given him to`() throws {
    mine.undoIsEnabled = true
    mine.delete(try #require(try mine.fetch(Crate.self).first))
    try mine.save()
    try box("b", in: theirs)?.crate = try theirs.insert(Crate.self) { $0.name = "other" }
    try theirs.save()
    mine.undo()
    try mine.save()

    for context in [try fixture.store.newContext(), mine, theirs] {
      context.mergePendingChanges()
      #expect(try box("a", in: context)?.crate?.name == "")
      #expect(try box("b", in: context)?.crate?.name == "other")
    }
    try fixture.check()
  }

  @Test func `what another program has brought back is met as well`() throws {
    let other = try PersistentStore(model: fixture.store.model, path: fixture.path)
    let elsewhere = try other.newContext()
    try deleteAndUndo(.error, [elsewhere, theirs])
    try elsewhere.save()
    try theirs.save()

    try expect(["a with lid with label", "b", "a", "a"])
  }
}
