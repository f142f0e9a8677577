import ByteFixtures
import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Insertions are not logged: new keys tell that objects are new, and their sync IDs tell since when.
@Suite struct InsertionTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(RecordedNote.self, Poll.self, Playlist.self, Track.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  private func logEntries(_ device: ManagedDevice) throws -> SQLiteValue? {
    try device.context.connection.first("SELECT count(*) FROM TICDS_LOG")
  }

  private func insertions(in sets: [ReceivedSet]) -> [(object: SyncID, time: LogicalTime)] {
    sets.flatMap(\.set.changes).compactMap { change in
      if case .insert = change.action { (change.object, change.time) } else { nil }
    }
  }

  private func titles(_ device: ManagedDevice) throws -> [String] {
    device.context.mergePendingChanges()
    return try device.context.fetch(RecordedNote.self).map { "\($0.title) \($0.stars)" }.sorted()
  }

  @Test
  func `an identifier made by a clock that was ahead does not make later insertions younger than they are`()
    throws
  {
    here.clock.advance(3_600_000)
    try here.edit { try $0.insert(RecordedNote.self).title = "ahead" }
    here.clock.set(here.clock.milliseconds - 3_600_000)
    let second = try here.edit { try $0.insert(RecordedNote.self) { $0.title = "second" } }
    let inserted = here.clock.milliseconds
    here.clock.advance(10_000)
    try here.context.store.newConnection().backup(to: here.folder.file("copy.sqlite"))
    try here.edit { _ in second.title = "edited" }
    let sets = try here.push()

    // A copy from before the edit says the same insertions, however late.
    let copy = try ManagedDevice("copy", model, path: here.folder.file("copy.sqlite"), clock: here.clock)
    here.clock.advance(60_000)
    let copied = try copy.push()
    for device in [there, copy] { try device.receive(sets) }
    try there.receive(copied)

    #expect(insertions(in: sets).map(\.time.milliseconds) == [inserted, inserted])
    #expect(try titles(there) == ["ahead 0", "edited 0"])
  }

  @Test
  func `an insertion takes no room in the log, is pending, and reaches others with the time it happened at`()
    throws
  {
    try here.edit { try $0.insert(RecordedNote.self).title = "first" }
    let before = here.clock.milliseconds
    try here.edit { try $0.insert(RecordedNote.self).title = "second" }

    #expect(try logEntries(here) == .integer(0))
    #expect(try here.replica.status().pendingObjects == 2)
    let sets = try here.push()
    #expect(insertions(in: sets).map(\.time.milliseconds) == [before, here.clock.milliseconds])
    #expect(try here.replica.status().pendingObjects == 0)
    #expect(try here.push().isEmpty)
    try there.receive(sets)
    #expect(try titles(there) == ["first 0", "second 0"])
  }

  @Test(arguments: [1, 10_000])
  func `an object that waits long for its save is inserted at the time of the save`(setLimit: Int) throws {
    let here = try ManagedDevice("here", model, setLimit: setLimit)
    try here.edit { try $0.insert(RecordedNote.self).title = "other" }
    try here.push()
    try here.context.insert(RecordedNote.self).title = "draft"
    here.clock.advance(60_000)
    try here.context.save()

    #expect(insertions(in: try here.push()).map(\.time.milliseconds) == [here.clock.milliseconds])
  }

  @Test func `what is said of an object after the clock went back is said after its insertion`() throws {
    let here = try ManagedDevice("here", model, setLimit: 1)
    let note = try here.edit { try $0.insert(RecordedNote.self) }
    here.clock.set(here.clock.milliseconds - 500_000)
    try here.edit { _ in note.title = "changed" }

    let sets = try here.push()
    guard case .insert? = sets.first?.set.changes.first?.action else {
      return #expect(Bool(false), "\(sets.map(\.set.changes))")
    }
    #expect(insertions(in: sets).count == 1)
  }

  @Test func `a save after one that logged nothing follows what came between`() throws {
    let note = try here.edit { try $0.insert(RecordedNote.self) }
    try here.push()
    try here.edit { _ in note.stars = 1 }
    let future = LogicalTime(milliseconds: here.clock.milliseconds + 1_000_000)
    let received = ChangeSet(
      author: AuthorID(bits: 5), client: "other", sequence: 1, previous: nil, model: "",
      entities: [EntityNames(name: "RecordedNote", root: "RecordedNote", properties: [])],
      changes: [Change(entity: 0, object: "elsewhere", time: future, action: .insert([]))])
    try here.receive([
      ReceivedSet(set: received, hash: ContentHash(of: try CompactCodec.encode(received)))
    ])
    _ = try here.push()
    try here.edit { _ = try $0.insert(RecordedNote.self) }
    try here.edit { _ in note.stars = 2 }

    #expect(try here.push().flatMap(\.set.changes).allSatisfy { $0.time > future })
  }

  @Test
  func `rows that are older than the bookkeeping come first, and what is inserted since has its own time`()
    throws
  {
    let path = here.folder.file("older")
    do {
      let context = try PersistentStore(model: model, path: path).newContext()
      let note = try context.insert(RecordedNote.self)
      note.ticdsSyncID = "older"
      try context.save()
    }
    let device = try ManagedDevice("older", model, path: path)
    try device.edit { try $0.insert(RecordedNote.self).title = "new" }

    let said = insertions(in: try device.push())
    #expect(said.map(\.time).sorted() == [Adoption.earliest, .init(milliseconds: device.clock.milliseconds)])
    #expect(said.first { $0.object == "older" }?.time == Adoption.earliest)
  }

  @Test func `a row that another program gave the identifier of another becomes an object of its own`()
    throws
  {
    let identifier = try here.edit { try $0.insert(RecordedNote.self) }.ticdsSyncID
    try ManagedDevice.exchange(here, there)
    let silent = try here.context.store.newContext()
    silent.usesStoreParticipants = false
    let copy = try silent.insert(RecordedNote.self)
    copy.title = "copy"
    copy.ticdsSyncID = identifier
    try silent.save()

    try ManagedDevice.exchange(here, there)

    #expect(try titles(there) == [" 0", "copy 0"])
    #expect(try titles(here) == [" 0", "copy 0"])
  }

  @Test func `objects that came from others are not taken for insertions`() throws {
    try there.edit { try $0.insert(RecordedNote.self).title = "theirs" }
    try here.receive(there.push())

    #expect(try here.replica.status().pendingObjects == 0)
    #expect(try here.push().isEmpty)
  }

  @Test func `an object that came and went between two sets is said to be deleted, and nothing else`() throws
  {
    let note = try here.edit { try $0.insert(RecordedNote.self) }
    try here.edit { $0.delete(note) }

    let said = try here.push().flatMap(\.set.changes)
    #expect(said.map(\.action) == [.delete])
    try there.receive(try here.push())
    #expect(try titles(there).isEmpty)
  }

  @Test(arguments: [false, true])
  func `what a copy deletes before it was said stays deleted, whoever says it later`(isCopyFirst: Bool) throws
  {
    let copy = here.folder.file("copy")
    let note = try here.edit { context in try context.insert(RecordedNote.self) { $0.title = "passing" } }
    let identifier = note.ticdsSyncID
    _ = try here.replica.snapshot(to: copy)
    // The copy's clock went back meanwhile.
    let other = try ManagedDevice("copy", model, path: copy, clock: TestClock(1_600_000_000_000))
    try other.edit { context in
      let copied = try context.fetch(FetchRequest<RecordedNote>()).first { $0.ticdsSyncID == identifier }
      context.delete(try #require(copied))
    }
    let (insertion, deletion) = (try here.push(), try other.push())
    for sets in isCopyFirst ? [deletion, insertion] : [insertion, deletion] { try there.receive(sets) }
    try here.receive(deletion)
    try other.receive(insertion)

    for device in [here, there, other] { #expect(try titles(device).isEmpty) }
  }

  @Test func `an object that is inserted again with its identifier lives on`() throws {
    let note = try here.edit { context in try context.insert(RecordedNote.self) { $0.title = "old" } }
    let identifier = note.ticdsSyncID
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(note) }
    try here.edit { context in
      let again = try context.insert(RecordedNote.self)
      again.ticdsSyncID = identifier
      again.title = "new"
    }

    try ManagedDevice.exchange(here, there)

    #expect(try titles(here) == ["new 0"])
    #expect(try titles(there) == ["new 0"])
  }

  @Test func `what is inserted after the clock went back follows everything that was said before`() throws {
    try here.edit { try $0.insert(RecordedNote.self).title = "early" }
    let first = try here.push()
    let device = try ManagedDevice("here", model, path: here.path, clock: TestClock(1_600_000_000_000))
    let note = try device.edit { context in try context.insert(RecordedNote.self) { $0.title = "late" } }
    try device.edit { _ in note.stars = 2 }
    let second = try device.push()

    let last = try #require(insertions(in: first).map(\.time).max())
    #expect(second.flatMap(\.set.changes).allSatisfy { $0.time > last })
    try there.receive(first + second)
    #expect(try titles(there) == ["early 0", "late 2"])
  }

  @Test func `a copy tells whether it holds insertions that nobody has`() throws {
    let copies = ["first", "second"].map(here.folder.file)
    try here.edit { try $0.insert(RecordedNote.self).title = "pending" }
    #expect(try here.replica.snapshot(to: copies[0]).includesUnpushedChanges)
    let said = try ManagedDevice("copy", model, path: copies[0]).push()
    #expect(insertions(in: said).count == 1)
    try here.push()
    #expect(try !here.replica.snapshot(to: copies[1]).includesUnpushedChanges)
  }

  @Test func `links of known objects that a context without a recorder made are adopted`() throws {
    let list = try here.edit { context in try context.insert(Playlist.self) { $0.title = "list" } }
    let track = try here.edit { context in try context.insert(Track.self) { $0.title = "track" } }
    try ManagedDevice.exchange(here, there)
    let silent = try here.context.store.newContext()
    silent.usesStoreParticipants = false
    let (playlist, song) = (silent.object(for: list.objectID), silent.object(for: track.objectID))
    (playlist as? Playlist)?.guests = [song].compactMap { $0 as? Track }
    try silent.save()
    #expect(try here.push().isEmpty, "links are looked for when they are asked for")

    try here.replica.adoptExistingObjects()
    try ManagedDevice.exchange(here, there)

    #expect(try there.the(Playlist.self).guests.map(\.title) == ["track"])
    try here.replica.adoptExistingObjects()
    #expect(try here.push().isEmpty)
  }

  @Test(arguments: 0..<25)
  func `in sets of any size every insertion is said once, in order, and counters count once`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let here = try ManagedDevice("here", model, setLimit: Int.random(in: 1...7, using: &random))
    var identifiers: Set<String> = []
    var votes: [String: Int64] = [:]
    for round in 0..<3 {
      for step in 0..<Int.random(in: 0...14, using: &random) {
        // Chance may hit on an object where there is none: then there is nothing to save.
        func attempt(_ body: (ManagedObjectContext) throws -> Void) throws {
          do { try here.edit(body) } catch is ManagedDevice.NothingToSave {}
        }
        try attempt { context in
          let notes = try context.fetch(RecordedNote.self)
          let polls = try context.fetch(Poll.self)
          switch Int.random(in: 0..<6, using: &random) {
          case 0, 1: try context.insert(RecordedNote.self).title = "note \(step)"
          case 2:
            let poll = try context.insert(Poll.self)
            poll.name = "poll \(round) \(step)"
            poll.votes = 2
          case 3: notes.randomElement(using: &random)?.stars += 1
          case 4: polls.randomElement(using: &random)?.votes += 3
          default: if Bool.random(using: &random) { notes.randomElement(using: &random).map(context.delete) }
          }
        }
        identifiers.formUnion(try here.context.fetch(RecordedNote.self).compactMap(\.ticdsSyncID))
        if Int.random(in: 0..<4, using: &random) == 0 { here.clock.advance(5_000) }
      }
      let sets = try here.push()
      for (earlier, later) in zip(sets, sets.dropFirst()) {
        let last = earlier.set.changes.map(\.time).max() ?? .zero
        #expect(later.set.changes.allSatisfy { $0.time >= last })
      }
      try there.receive(sets)
    }
    for poll in try here.context.fetch(Poll.self) { votes[poll.name] = poll.votes }

    let said = insertions(in: here.pushed).map(\.object)
    #expect(Set(said).count == said.count)
    #expect(try titles(there) == titles(here))
    for poll in try there.context.fetch(Poll.self) { #expect(poll.votes == votes[poll.name]) }
    #expect(try there.context.fetch(Poll.self).count == votes.count)
  }

  @Test func `rows of which a set tells are not looked for again`() throws {
    for title in ["first", "second"] { try here.edit { try $0.insert(RecordedNote.self).title = title } }
    try here.push()

    let rows = try here.context.connection.first("SELECT max(Z_PK) FROM ZRECORDEDNOTE")
    #expect(rows == .integer(2))
    #expect(try here.context.connection.first("SELECT max(frontier) FROM TICDS_ENTITY") == rows)
  }
}
