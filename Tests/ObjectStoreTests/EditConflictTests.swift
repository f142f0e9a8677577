import ObjectStore
import TICDSSQLite
import Testing

/// Unsaved edits and what others save meanwhile, in a context that merges.
@Suite struct EditConflictTests {
  /// Writes down what it is told of conflicts.
  private final class Listener: SaveParticipant {
    var met: [[EditConflict]] = []
    func context(_ context: ManagedObjectContext, didMeet conflicts: [EditConflict]) { met.append(conflicts) }
    var settled: [SettledEdit] = []
    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {
      settled += changes.settledEdits
    }
  }

  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext
  private let note: Note
  private let listener = Listener()

  init() throws {
    fixture = try TemporaryStore()
    mine = try fixture.store.newContext()
    theirs = try fixture.store.newContext()
    note = try mine.insert(Note.self) { $0.title = "before" }
    try mine.save()
    mine.addParticipant(listener)
  }

  private func saveTheirs(_ change: (Note) throws -> Void) throws {
    try change(try #require(try theirs.existingObject(for: note.objectID) as? Note))
    try theirs.save()
  }

  private func stored() throws -> Note { try #require(try fixture.store.newContext().fetch(Note.self).first) }

  @Test func `without a policy the save of an edit that met a saved one is refused`() throws {
    note.title = "mine"
    try saveTheirs { $0.title = "theirs" }

    let error = #expect(throws: SaveError.self) { try mine.save() }

    guard case .conflict(note.objectID, isDeleted: false)? = error?.problems.first else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(note.title == "mine")
    #expect(try stored().title == "theirs")
    #expect(throws: SaveError.self) { try mine.save() }
  }

  @Test func `an edit that is said to be meant is saved, one that is dropped is gone`() throws {
    note.title = "mine"
    try saveTheirs { $0.title = "theirs" }
    mine.mergePendingChanges()
    #expect(mine.editConflicts.count == 1)

    mine.refresh(note, mergeChanges: true)
    #expect(mine.editConflicts.isEmpty)
    try mine.save()
    #expect(try stored().title == "mine")

    note.title = "again"
    try saveTheirs { $0.title = "theirs again" }
    mine.mergePendingChanges()
    mine.refresh(note)
    #expect(note.title == "theirs again")
    try mine.save()
    #expect(try stored().title == "theirs again")
  }

  @Test(arguments: [
    (MergePolicy.storeWins, "theirs", Int16(5)), (.objectWins, "mine", 5), (.rollback, "theirs", 0),
  ])
  func `a policy decides property by property`(policy: MergePolicy, title: String, stars: Int16) throws {
    mine.mergePolicy = policy
    note.title = "mine"
    note.stars = 5
    try saveTheirs {
      $0.title = "theirs"
      $0.weight = 2
    }

    _ = try mine.fetch(Note.self)
    #expect(note.title == "mine" && note.weight == 2)
    try mine.save()

    for note in [note, try stored()] {
      #expect(note.title == title && note.stars == stars && note.weight == 2)
    }
    #expect(mine.editConflicts.isEmpty && !mine.hasChanges)
  }

  @Test(arguments: [true, false])
  func `a policy decides about relationships to one object too`(merges: Bool) throws {
    mine.mergesChangesAutomatically = merges
    let folders = try ["a", "b"].map { name in try mine.insert(Folder.self) { $0.name = name } }
    try mine.save()
    mine.mergePolicy = .storeWins
    note.folder = folders[0]
    try saveTheirs { $0.folder = try #require(theirs.existingObject(for: folders[1].objectID) as? Folder) }

    try mine.save()

    #expect(note.folder === folders[1] && folders[0].notes.isEmpty && folders[1].notes == [note])
    let fresh = try fixture.store.newContext()
    #expect(try fresh.fetch(Note.self).map { $0.folder?.name } == ["b"])
  }

  @Test func `edits of other properties, and equal ones, are no conflict`() throws {
    note.title = "same"
    note.stars = 1
    try saveTheirs {
      $0.title = "same"
      $0.weight = 3
    }

    try mine.save()

    let stored = try stored()
    #expect(stored.title == "same" && stored.stars == 1 && stored.weight == 3)
    #expect(listener.met.isEmpty)
  }

  @Test func `whoever wants to know is told which properties met which values`() throws {
    var told: [[EditConflict]] = []
    mine.onEditConflict = { told.append($0) }
    note.title = "mine"
    note.stars = 1
    try saveTheirs {
      $0.title = "theirs"
      $0.weight = 1
    }

    mine.mergePendingChanges()

    let conflict = try #require(told.first?.first)
    #expect(told == listener.met && told == [mine.editConflicts] && told.first?.count == 1)
    #expect(conflict.objectID == note.objectID)
    #expect(conflict.properties.map(\.name) == ["title"])
    #expect(conflict.properties.map(\.before) == [.string("before")])
    #expect(conflict.properties.map(\.saved) == [.string("theirs")])
    #expect(conflict.properties.map(\.unsaved) == [.string("mine")])
  }

  @Test func `a conflict stays through further merges, with the value that the edit began from`() throws {
    note.title = "mine"
    try saveTheirs { $0.title = "theirs" }
    mine.mergePendingChanges()
    try saveTheirs { $0.weight = 1 }
    mine.mergePendingChanges()
    try saveTheirs { $0.title = "theirs again" }
    mine.mergePendingChanges()

    let property = try #require(mine.editConflicts.first?.properties.first)
    #expect(property.before == .string("before") && property.saved == .string("theirs again"))
    #expect(throws: SaveError.self) { try mine.save() }
    try saveTheirs { $0.title = "mine" }
    try mine.save()
    #expect(try stored().weight == 1)
  }

  @Test func `rows that were written without a context meet edits too`() throws {
    note.title = "mine"
    let connection = try fixture.store.newConnection()
    let editor = RowEditor(schema: fixture.store.schema, connection: connection)
    let title = try #require(note.entity.index(of: "title"))
    try editor.update(note.entity.index, key: note.objectID.key, [(title, .string("theirs"))])
    fixture.store.announce(ObjectChanges(updated: [note.objectID]))

    #expect(throws: SaveError.self) { try mine.save() }
    #expect(listener.met.count == 1)
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins, .rollback])
  func `what a save meets that was not merged is told too`(policy: MergePolicy) throws {
    mine.mergesChangesAutomatically = false
    mine.mergePolicy = policy
    note.title = "mine"
    note.stars = 1
    try saveTheirs {
      $0.title = "theirs"
      $0.weight = 1
    }

    try mine.save()

    let property = try #require(listener.met.first?.first?.properties.first)
    #expect(listener.met.map { $0.map { $0.properties.map(\.name) } } == [[["title"]]])
    #expect(property.saved == .string("theirs") && property.unsaved == .string("mine"))
    #expect(try stored().title == (policy == .objectWins ? "mine" : "theirs"))
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `a child's edit that met a saved value is told, and the save to the store decides`(policy: MergePolicy)
    throws
  {
    mine.mergePolicy = policy
    let child = mine.makeChild()
    let draft = try #require(child.existingObject(for: note.objectID) as? Note)
    draft.title = "mine"
    try saveTheirs { $0.title = "theirs" }

    try child.save()

    #expect(listener.met.first?.first?.properties.map(\.name) == ["title"])
    #expect(mine.editConflicts.first?.properties.map(\.before) == [.string("before")])
    if policy == .error {
      #expect(throws: SaveError.self) { try mine.save() }
    } else {
      try mine.save()
    }
    #expect(try stored().title == (policy == .objectWins ? "mine" : "theirs"))
  }

  @Test func `a child that does not merge overwrites nothing without a word either`() throws {
    let child = mine.makeChild()
    child.mergesChangesAutomatically = false
    let draft = try #require(child.existingObject(for: note.objectID) as? Note)
    draft.title = "mine"
    try saveTheirs { $0.title = "theirs" }
    mine.mergePendingChanges()

    try child.save()

    #expect(throws: SaveError.self) { try mine.save() }
    #expect(try stored().title == "theirs")
  }

  @Test func `an edit that is meant in a child is no conflict of its parent`() throws {
    let child = mine.makeChild()
    let draft = try #require(child.existingObject(for: note.objectID) as? Note)
    draft.title = "mine"
    try saveTheirs { $0.title = "theirs" }
    child.mergePendingChanges()
    child.refresh(draft, mergeChanges: true)

    try child.save()
    try mine.save()

    #expect(try stored().title == "mine")
  }

  @Test(arguments: [
    (MergePolicy.storeWins, SettledEdit.Outcome.dropped), (.rollback, .dropped), (.objectWins, .kept),
  ])
  func `the save that settles an edit tells which side remains`(
    policy: MergePolicy, outcome: SettledEdit.Outcome
  ) throws {
    mine.mergePolicy = policy
    note.title = "mine"
    try saveTheirs { $0.title = "theirs" }

    try mine.save()

    #expect(listener.settled.map(\.outcome) == [outcome])
    #expect(listener.settled.map(\.property.saved) == [.string("theirs")])
    #expect(listener.settled.map(\.property.unsaved) == [.string("mine")])
    try mine.save()
    #expect(listener.settled.count == 1)
  }

  @Test func `an edit of an object that others deleted is told when the policy lets it go`() throws {
    mine.mergePolicy = .objectWins
    note.title = "mine"
    try saveTheirs { theirs.delete($0) }

    try mine.save()

    #expect(listener.settled.map(\.outcome) == [.deletedElsewhere])
    #expect(listener.settled.map(\.property.unsaved) == [.string("mine")])
  }

  @Test func `a deletion that goes over what others saved tells of that`() throws {
    mine.mergePolicy = .objectWins
    mine.delete(note)
    try saveTheirs { $0.title = "theirs" }

    try mine.save()

    #expect(listener.settled.map(\.outcome) == [.deletedHere])
    #expect(listener.settled.map(\.property.saved) == [.string("theirs")])
  }
}
