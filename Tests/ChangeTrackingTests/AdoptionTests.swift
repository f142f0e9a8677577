import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

@Suite struct AdoptionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.file("\(name).sqlite") }

  /// A database from before synchronisation, with relationships of all kinds.
  private func olderStore(_ name: String, people: Int = 3) throws -> String {
    let path = path(name)
    let store = try PlainStore(path: path)
    try store.connection.transaction {
      for index in 1...people {
        try store.connection.run("INSERT INTO person (name) VALUES (?)", .text("person \(index)"))
      }
      try store.connection.execute(
        script: """
          UPDATE person SET boss = 1, partner = 2 WHERE id = 3;
          INSERT INTO team (title) VALUES ('red');
          INSERT INTO membership (team, person) VALUES (1, 2), (1, 3);
          """)
    }
    return path
  }

  /// What a device shows without its sync IDs, which are random.
  private func shown(_ device: PlainDevice) throws -> [String] {
    let rows = try device.store.connection.prepare(
      """
      SELECT p.name, b.name, q.name, (SELECT group_concat(title) FROM team JOIN membership m ON m.team = team.id
        WHERE m.person = p.id) FROM person p LEFT JOIN person b ON b.id = p.boss
      LEFT JOIN person q ON q.id = p.partner ORDER BY p.name
      """)
    var lines: [String] = []
    while try rows.step() { lines.append((0..<4).map { rows.text($0) }.joined(separator: " | ")) }
    return lines
  }

  @Test func `objects that are older than the bookkeeping reach other devices, with their relationships`()
    throws
  {
    let here = try PlainDevice("here", path: try olderStore("old"))
    let there = try PlainDevice("there")

    try there.receive(try here.push())

    #expect(try shown(there) == shown(here))
    #expect(try there.store.contents() == here.store.contents())
    #expect(try shown(there).last == "person 3 | person 1 | person 2 | red")
  }

  @Test func `adoption is said once`() throws {
    let here = try PlainDevice("here", path: try olderStore("old"))
    #expect(try here.push().count == 1)
    #expect(try here.push().isEmpty)
    try here.replica.adoptExistingObjects()
    #expect(try here.push().isEmpty)
  }

  @Test func `two devices that begin with copies of one file with identifiers have no doubles`() throws {
    let path = try olderStore("first")
    let store = try PlainStore(path: path)
    try store.connection.execute(script: "UPDATE person SET syncid = 'p' || id; UPDATE team SET syncid = 't'")
    try FileManager.default.copyItem(atPath: path, toPath: self.path("second"))
    let here = try PlainDevice("here", path: path)
    let there = try PlainDevice("there", path: self.path("second"))
    let before = try here.store.contents()

    let mine = try here.push()
    try here.receive(try there.push())
    try there.receive(mine)

    #expect(try here.store.contents() == before)
    #expect(try there.store.contents() == before)
  }

  @Test func `natural keys let two devices meet that never shared a file`() throws {
    let here = try PlainDevice("here", path: try olderStore("first", people: 3))
    let there = try PlainDevice("there", path: try olderStore("second", people: 3))

    let mine = try here.push()
    try here.receive(try there.push())
    try there.receive(mine)

    #expect(try here.store.contents() == there.store.contents())
    let teams = try here.store.contents().filter { $0.hasPrefix("Team") }
    #expect(teams.count == 1, "the team is known by its title")
    #expect(try here.store.contents().count == 7)
  }

  @Test func `a copy without history gives way to what was changed and deleted since`() throws {
    let path = try olderStore("first")
    let store = try PlainStore(path: path)
    try store.connection.execute(script: "UPDATE person SET syncid = 'p' || id; UPDATE team SET syncid = 't'")
    try FileManager.default.copyItem(atPath: path, toPath: self.path("second"))
    let here = try PlainDevice("here", path: path)
    try here.push()
    try here.edit { edit in
      try edit.set("Person", "p1", "name", .string("renamed"))
      try edit.delete("Person", "p2")
    }
    try here.push()
    // The other device begins years later, with the copy.
    let there = try PlainDevice("there", path: self.path("second"), clock: TestClock(1_900_000_000_000))
    let theirs = try there.push()

    try there.receive(here.pushed)
    try here.receive(theirs)

    #expect(try here.store.contents() == there.store.contents())
    #expect(try shown(there).map { $0.prefix(8) } == ["person 3", "renamed "])
  }

  @Test func `an adoption that was interrupted continues`() throws {
    struct Interruption: Error {}
    let path = try olderStore("old", people: 2_500)
    let here = try PlainDevice("here", path: path, setLimit: 400)
    var sets = 0
    here.replica.sealing = { plain, _, _ in
      sets += 1
      if sets == 3 { throw Interruption() }
      return plain
    }
    #expect(throws: Interruption.self) { try here.replica.freeze() }

    let again = try PlainDevice("here", path: path, setLimit: 400)
    let pushed = try again.push()

    #expect(
      pushed.flatMap(\.set.changes).count { if case .insert = $0.action { true } else { false } } == 2_501)
    #expect(Set(pushed.flatMap(\.set.changes).map(\.object)).count == 2_501)
    let there = try PlainDevice("there")
    try there.receive(pushed)
    #expect(try there.store.contents() == again.store.contents())
  }

  @Test func `rows that another program adds are adopted when the next set is made`() throws {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p") }
    try there.receive(try here.push())

    try here.store.connection.execute(script: "INSERT INTO person (name, boss) VALUES ('added', 1)")
    try there.receive(try here.push())

    #expect(try there.store.contents() == here.store.contents())
    #expect(try shown(there).contains { $0.hasPrefix("added") })
  }

  @Test func `what a recorder logged about a row without an identifier is not lost`() throws {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p") }
    try there.receive(try here.push())

    // A relationship to a row that has no identifier yet.
    try here.store.connection.execute(script: "INSERT INTO person (name) VALUES ('added')")
    try here.edit { edit in
      try here.store.connection.execute(script: "UPDATE person SET boss = 2 WHERE id = 1")
      try edit.touch("Person", "p", "boss")
    }
    try there.receive(try here.push())

    #expect(try there.store.contents() == here.store.contents())
    #expect(try shown(there).contains { $0.hasPrefix(" | added") })
  }

  @Test func `a row with the natural key of an object that was deleted is a new object`() throws {
    let here = try PlainDevice("here", path: try olderStore("old"))
    let there = try PlainDevice("there")
    try there.receive(try here.push())
    let team = try #require(
      try there.store.identity(of: RowNumber(rawValue: 1), below: "Team")?.syncID)
    try there.edit { try $0.delete("Team", team) }
    try here.receive(try there.push())
    #expect(try here.row("Team", team) == nil)

    try here.store.connection.execute(script: "INSERT INTO team (title) VALUES ('red')")
    try there.receive(try here.push())

    #expect(try there.row("Team", team) != nil)
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a row with a natural key that is in use is another object`() throws {
    let here = try PlainDevice("here", path: try olderStore("old"))
    try here.push()
    try here.store.connection.execute(script: "INSERT INTO team (title) VALUES ('red')")
    try here.push()
    #expect(try here.store.contents().filter { $0.hasPrefix("Team") }.count == 2)
  }

  @Test func `two rows with one natural key that are older than the bookkeeping are two objects`() throws {
    let path = try olderStore("old")
    try PlainStore(path: path).connection.execute(script: "INSERT INTO team (title) VALUES ('red')")
    let (here, there) = (try PlainDevice("here", path: path), try PlainDevice("there"))

    try there.receive(try here.push())

    #expect(try there.store.contents().filter { $0.hasPrefix("Team") }.count == 2)
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `objects of a context without a recorder are adopted`() throws {
    let store = try PersistentStore(model: ManagedObjectModel(RecordedNote.self), path: path("managed"))
    let recorded = try store.newContext()
    store.recordChanges()
    try recorded.insert(RecordedNote.self).title = "recorded"
    try recorded.save()
    let silent = try store.newContext()
    silent.usesStoreParticipants = false
    try silent.insert(RecordedNote.self).title = "silent"
    try silent.save()
    let replica = try store.newReplica(.init(client: "here"))

    try replica.freeze()

    let changes = try replica.outbox().flatMap { try CompactCodec.decode($0.bytes).syncChanges }
    let titles = changes.compactMap { $0.key == "title" ? $0.value : nil }
    #expect(titles == [.string("recorded"), .string("silent")])
    silent.mergePendingChanges()
    for note in try silent.fetch(FetchRequest<RecordedNote>()) { #expect(note.ticdsSyncID != nil) }
  }

  @Test func `an object that was duplicated with its identifier becomes another object`() throws {
    let model = try ManagedObjectModel(RecordedNote.self)
    let store = try PersistentStore(model: model, path: path("duplicates"))
    let context = try store.newContext()
    for title in ["original", "copy"] {
      let note = try context.insert(RecordedNote.self)
      note.title = title
      note.ticdsSyncID = "note"
    }
    try context.save()

    _ = try store.newReplica(.init(client: "here")).freeze()

    context.mergePendingChanges()
    let notes = try store.newContext().fetch(FetchRequest<RecordedNote>())
    #expect(Set(notes.map(\.ticdsSyncID)).count == 2)
    #expect(notes.contains { $0.ticdsSyncID == "note" })
  }
}
