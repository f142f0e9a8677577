import Locking
import ObjectStore
import TICDSSQLite
import Testing

/// Participants that belong to a store, and what a participant may do inside of a save's transaction.
@Suite struct StoreParticipantTests {
  /// What the participants of all contexts were told.
  private struct Told {
    var made = 0
    var inserted: [String] = []
    var rows: [RowChange.Kind] = []
  }

  private final class Recorder: SaveParticipant {
    let told: Locked<Told>
    init(_ told: Locked<Told>) { self.told = told }

    func contextDidInsert(_ object: ManagedObject) {
      let name = object.entity.name
      told.withLock { $0.inserted.append(name) }
    }

    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {
      let kinds = changes.rows.map(\.kind)
      told.withLock { $0.rows += kinds }
    }
  }

  private let fixture: TemporaryStore
  private let told = Locked(Told())

  init() throws { fixture = try TemporaryStore() }

  @discardableResult private func record() -> ParticipantRegistration {
    fixture.store.addParticipants { [told] _ in
      told.withLock { $0.made += 1 }
      return Recorder(told)
    }
  }

  private func taken() -> Told {
    told.withLock { told in
      let taken = told
      told = Told()
      return taken
    }
  }

  @Test func `contexts that exist and contexts to come have a participant of their own`() async throws {
    let early = try fixture.store.newContext()
    try early.insert(Note.self)
    record()
    try early.insert(Tag.self)
    try early.save()
    #expect(taken().inserted == ["Note", "Tag"])

    let late = try fixture.store.newContext()
    _ = try late.fetch(Note.self)
    #expect(taken().made == 0)
    try late.insert(Note.self)
    let atOnce = taken()
    #expect(atOnce.made == 1 && atOnce.inserted == ["Note"])
    try late.save()
    #expect(taken().rows == [.inserted])

    try await fixture.store.performBackground { context in
      for note in try context.fetch(Note.self) { note.stars = 2 }
      try context.save()
    }
    #expect(taken().rows == [.updated, .updated])
  }

  @Test func `a child's changes are recorded once, when they reach the store`() throws {
    record()
    let parent = try fixture.store.newContext()
    let child = parent.makeChild().makeChild()
    try child.insert(Note.self)
    try child.save()
    #expect(taken().made == 0)
    try child.parent?.save()
    #expect(taken().inserted == ["Note"])
    try parent.save()
    let saved = taken()
    #expect(saved.rows == [.inserted] && saved.made == 0 && saved.inserted.isEmpty)
  }

  @Test func `batches are recorded row by row, also those of a context that saves nothing itself`() throws {
    let context = try fixture.store.newContext()
    record()
    try context.insertRows(Note.self, from: 1...3) { row, number in row[\.title] = String(number) }
    #expect(taken().rows == [.inserted, .inserted, .inserted])
    try context.updateRows(FetchRequest<Note>(), .set(\.stars, to: 1))
    #expect(taken().rows == [.updated, .updated, .updated])
    try context.makeChild().deleteRows(FetchRequest<Note>())
    #expect(taken().rows == [.deleted, .deleted, .deleted])
  }

  @Test func `what a context that has opted out saves stays unrecorded, its children and batches included`()
    throws
  {
    record()
    let context = try fixture.store.newContext()
    try context.insert(Note.self)
    context.usesStoreParticipants = false
    let child = context.makeChild()
    #expect(!child.usesStoreParticipants && context.participants.isEmpty)
    try child.insert(Note.self)
    try child.save()
    try context.save()
    try context.insertRows(Note.self, from: 1...3) { _, _ in }
    #expect(taken().rows.isEmpty)

    context.usesStoreParticipants = true
    try context.insert(Note.self)
    try context.save()
    #expect(taken().rows == [.inserted])
  }

  @Test func `participants that were removed take part no more`() throws {
    let registration = record()
    let context = try fixture.store.newContext()
    try context.insert(Note.self)
    try context.save()
    #expect(taken().rows == [.inserted])

    fixture.store.removeParticipants(registration)
    try context.insert(Note.self)
    try context.save()
    #expect(taken().rows.isEmpty && context.participants.isEmpty)
  }

  @Test func `a participant that cannot be made refuses the save, and is asked for again`() throws {
    struct Refused: Error {}
    let mayBeMade = Locked(false)
    fixture.store.addParticipants { [told] _ in
      if !mayBeMade.withLock({ $0 }) { throw Refused() }
      return Recorder(told)
    }
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self)
    #expect(throws: Refused.self) { try context.save() }
    #expect(note.isInserted)

    mayBeMade.withLock { $0 = true }
    try context.save()
    let saved = taken()
    #expect(saved.inserted == ["Note"] && saved.rows == [.inserted])
  }

  // MARK: - Inside of the transaction

  /// Names tags, each differently, by what the store has when nobody else can write any more.
  private final class Numbering: SaveParticipant {
    var wasInTransaction = false

    func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws {
      wasInTransaction = connection.isInTransaction
      guard case .integer(var count)? = try connection.first("SELECT count(*) FROM ZTAG") else { return }
      for case let tag as Tag in context.insertedObjects where tag.name.isEmpty {
        count += 1
        tag.name = "tag \(count)"
      }
    }

    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {}
  }

  @Test func `values that depend on the store are set inside of the transaction, before rows are written`()
    throws
  {
    let numbering = Numbering()
    let contexts = try (0..<3).map { _ in try fixture.store.newContext() }
    for context in contexts {
      context.addParticipant(numbering)
      context.mergesChangesAutomatically = false
      for _ in 0..<2 { try context.insert(Tag.self) }
    }

    for context in contexts { try context.save() }

    #expect(numbering.wasInTransaction)
    let names = try fixture.store.newContext().fetch(FetchRequest<Tag>().sorted(by: \.name)).map(\.name)
    #expect(names == (1...6).map { "tag \($0)" })
  }

  @Test func `what a participant sets there is validated, and nothing is written if it may not be`() throws {
    final class Spoiling: SaveParticipant {
      func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws {
        for object in context.insertedObjects { object["title"] = .integer(1) }
      }
      func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {}
    }
    let context = try fixture.store.newContext()
    context.addParticipant(Spoiling())
    let note = try context.insert(Note.self)

    #expect(throws: SaveError.self) { try context.save() }

    #expect(note.isInserted && !context.connection.isInTransaction)
    #expect(try context.connection.first("SELECT count(*) FROM ZNOTE") == .integer(0))
  }

  @Test func `objects that a participant inserts and deletes there are part of the save`() throws {
    final class Replacing: SaveParticipant {
      func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws {
        for case let note as Note in context.insertedObjects where note.title == "replace" {
          try context.insert(Folder.self) { $0.name = "made there" }
          context.delete(note)
        }
      }
      func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {}
    }
    let context = try fixture.store.newContext()
    context.addParticipant(Replacing())
    try context.insert(Note.self) { $0.title = "replace" }
    try context.insert(Note.self) { $0.title = "keep" }

    try context.save()

    let stored = try fixture.store.newContext()
    #expect(try stored.fetch(Note.self).map(\.title) == ["keep"])
    #expect(try stored.fetch(Folder.self).map(\.name) == ["made there"])
  }

  @Test func `it is called again when a policy settles a conflict`() throws {
    final class Counting: SaveParticipant {
      var calls = 0
      func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) { calls += 1 }
      func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {}
    }
    let context = try fixture.store.newContext()
    try context.insert(Tag.self) { $0.name = "red" }
    try context.save()
    let counting = Counting()
    context.addParticipant(counting)
    context.mergePolicy = .objectWins
    let tag = try context.insert(Tag.self) { $0.name = "red" }

    try context.save()

    #expect(counting.calls == 2 && tag.objectID.key == 1)
  }
}
