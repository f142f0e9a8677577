import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Counts what it is told.
private final class Witness: SaveParticipant {
  var rows: [RowChange.Kind: Int] = [:]
  var titles: [AttributeValue] = []

  func contextDidInsert(_ object: ManagedObject) {
    if let note = object as? Note { note.draft = "seen" }
  }

  func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws {
    for (index, row) in changes.rows.enumerated() {
      rows[row.kind, default: 0] += 1
      let entity = changes.object(at: index).entity
      if let title = entity.index(of: "title") { titles.append(changes.value(of: title, at: index)) }
    }
  }
}

@Suite struct BatchRequestTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext
  private let witness = Witness()
  private let notes = FetchRequest<Note>().sorted(by: \.title)

  init() throws {
    fixture = try TemporaryStore()
    context = try fixture.store.newContext()
  }

  /// With a participant, batches are done with objects; what comes of them is to be the same.
  private func watch(_ isWatched: Bool) { if isWatched { context.addParticipant(witness) } }

  private func check() throws {
    try fixture.check()
    #expect(
      try context.connection.first(
        "SELECT (SELECT ifnull(max(Z_PK), 0) FROM ZNOTE) <= Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'")
        == .integer(1))
  }

  @Test(arguments: [false, true])
  func `rows that lead to an object that was deleted are refused, and nothing is written`(isWatched: Bool)
    throws
  {
    watch(isWatched)
    let folder = try context.insert(Folder.self) { $0.name = "f" }
    let note = try context.insert(Note.self) { $0.title = "there" }
    try context.save()
    let gone = folder.objectID
    let other = try fixture.store.newContext()
    let theirs = try #require(other.object(for: gone))
    other.delete(theirs)
    try other.save()

    #expect(throws: (any Error).self) {
      try context.insertRows(Note.self, from: ["a", "b"]) { row, title in
        row[\.title] = title
        if title == "b" { row[\.folder] = gone }
      }
    }
    #expect(throws: (any Error).self) {
      try context.insertRows(Note.self, from: ["a"], onConflict: .update) { row, title in
        row[\.title] = title
        row[\.folder] = gone
      }
    }
    #expect(throws: (any Error).self) { try context.updateRows(notes, .set(\.folder, to: gone)) }

    #expect(try other.fetch(notes).map(\.title) == ["there"])
    #expect(try other.fetch(Note.self, where: \.folder != nil).isEmpty)
    withExtendedLifetime((note, folder)) {}
  }

  @Test(arguments: [false, true]) func `rows are inserted from a sequence`(isWatched: Bool) throws {
    watch(isWatched)
    let folder = try context.insert(Folder.self) { $0.name = "f" }
    try context.save()
    witness.rows = [:]

    let changes = try context.insertRows(Note.self, from: 1...2_500) { row, number in
      row[\.title] = String(number)
      if number.isMultiple(of: 2) { row[\.folder] = folder.objectID }
    }

    #expect(changes.inserted.count == 2_500)
    #expect(try context.count(FetchRequest<Note>()) == 2_500)
    #expect(folder.notes.count == 1_250)
    let last = try #require(context.object(for: changes.inserted[2_499]) as? Note)
    #expect(last.title == "2500" && last.stars == 0 && last.folder === folder)
    #expect(witness.rows == (isWatched ? [.inserted: 2_500] : [:]))
    let next = try context.insert(Note.self)
    try context.save()
    #expect(next.objectID.key == 2_501)
    try check()
  }

  @Test(arguments: [false, true]) func `rows are updated to values and to what was computed`(
    isWatched: Bool
  ) throws {
    watch(isWatched)
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let work = try context.insert(Folder.self) { $0.name = "Work" }
    try context.insertRows(Note.self, from: 1...4) { row, number in
      row[\.title] = "note \(number)"
      row[\.stars] = Int16(number)
    }
    try context.save()
    for note in try context.fetch(Note.self) { note.folder = note.stars < 3 ? home : work }
    try context.save()
    let held = try context.fetch(notes)
    witness.rows = [:]
    witness.titles = []

    let changes = try context.updateRows(
      FetchRequest<Note>().where(\.stars > 1), .set(\.stars, to: \.stars * 10), .set(\.weight, to: 0.5),
      .set(\.title, to: .property(\.folder?.name, default: "")), .set(\.folder, to: home.objectID))

    #expect(changes.updated.count == 3)
    #expect(held.map(\.stars) == [1, 20, 30, 40])
    #expect(held.map(\.title) == ["note 1", "Home", "Work", "Work"])
    #expect(held.map(\.weight) == [nil, 0.5, 0.5, 0.5])
    #expect(home.notes.count == 4 && work.notes.isEmpty)
    #expect(witness.rows == (isWatched ? [.updated: 3] : [:]))
    #expect(witness.titles == (isWatched ? [.string("Home"), .string("Work"), .string("Work")] : []))
    try check()
  }

  @Test(arguments: [false, true]) func `a value that cannot be refuses the whole update`(isWatched: Bool)
    throws
  {
    watch(isWatched)
    try context.insertRows(Note.self, from: [1, 4_000] as [Int16]) { row, stars in row[\.stars] = stars }

    #expect(throws: ContextError.invalidBatchValue(entity: "Note", property: "stars")) {
      try context.updateRows(FetchRequest<Note>(), .set(\.stars, to: \.stars * 10))
    }
    #expect(throws: ContextError.invalidBatchValue(entity: "Note", property: "title")) {
      try context.updateRows(FetchRequest<Note>(), .set("title", to: .integer(1)))
    }
    #expect(throws: (any Error).self) {
      try context.insertRows(entity: "Tag", from: ["a", "b", "a"]) { row, name in row["name"] = .string(name)
      }
    }

    #expect(try context.fetch(FetchRequest<Note>().sorted(by: \.stars)).map(\.stars) == [1, 4_000])
    #expect(try context.count(FetchRequest<Tag>()) == 0)
    try check()
  }

  @Test(arguments: [false, true]) func `rows are deleted with those that rules take with them`(
    isWatched: Bool
  ) throws {
    watch(isWatched)
    let root = try context.insert(Folder.self) { $0.name = "root" }
    let child = try context.insert(Folder.self) { $0.name = "child" }
    child.parent = root
    let tag = try context.insert(Tag.self) { $0.name = "tag" }
    for index in 0..<4 {
      try context.insert(Note.self) {
        $0.folder = [root, child, nil, nil][index]
        $0.tags = [tag]
      }
    }
    try context.save()
    witness.rows = [:]

    let changes = try context.deleteRows(FetchRequest<Folder>().where(\.name == "root"))

    #expect(changes.deleted.count == 4)
    #expect(root.isGone && child.isGone)
    #expect(try context.count(FetchRequest<Note>()) == 2)
    #expect(tag.notes.count == 2)
    #expect(witness.rows[.deleted] == (isWatched ? 4 : nil))
    try check()
  }

  @Test func `unsaved changes are neither looked at nor saved, and other contexts are told`() throws {
    try context.insertRows(Note.self, from: ["a", "b"]) { row, title in row[\.title] = title }
    let other = try fixture.store.newContext()
    let theirs = try other.fetch(notes)
    let mine = try context.fetch(notes)
    mine[0].title = "x"

    try context.updateRows(FetchRequest<Note>().where(\.title == "a"), .set(\.stars, to: 5))

    #expect(mine[0].title == "x" && mine[0].stars == 5 && mine[0].hasChanges)
    other.mergePendingChanges()
    #expect(theirs[0].stars == 5 && theirs[0].title == "a")
    try context.save()
    try other.deleteRows(notes.limit(1))
    context.mergePendingChanges()
    #expect(mine.map(\.isGone) == [false, true])
  }

  @Test(arguments: 0..<60) func `deleting in the store is what a plain implementation says it is`(
    seed: Int
  ) throws {
    var run = try GraphPropertyTests.Run(seed: UInt64(seed) &+ 20_000)
    for _ in 0..<50 {
      try run.step()
      try run.compare()
    }
    try run.reopen()
    let entity = run.model.entities[Int.random(in: 0..<run.model.entities.count, using: &run.random)]
    let condition = RandomCondition.random(entity, in: run.model, depth: 2, using: &run.random)
    let doomed = run.graph.nodes.keys.filter { node in
      run.graph.nodes[node]?.entity.isKind(of: entity) == true && run.graph.holds(condition, for: node)
    }

    let changes = try run.context.deleteRows(
      FetchRequest<ManagedObject>(entity: entity.name).where(condition.predicate))

    let before = run.graph.nodes.count
    for node in doomed { run.graph.delete(node) }
    #expect(changes.deleted.count == before - run.graph.nodes.count)
    try run.compare()
    try run.checkKeys()
    try run.fixture.check()
  }
}
