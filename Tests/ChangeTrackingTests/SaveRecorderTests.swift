import ByteFixtures
import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// A note whose saves are recorded.
final class RecordedNote: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @Attribute var title: String = ""
  @Attribute var stars: Int64 = 0
}

@Suite struct SaveRecorderTests {
  private let folder: TemporaryFolder
  private let store: PersistentStore
  private let context: ManagedObjectContext
  private let clock = TestClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try PersistentStore(model: ManagedObjectModel(RecordedNote.self), path: folder.file("store"))
    context = try store.newContext()
    let clock = clock
    store.recordChanges(now: { clock.milliseconds })
  }

  private func replica(setLimit: Int = 10_000) throws -> Replica {
    let clock = clock
    return try store.newReplica(
      Replica.Configuration(client: "desk", now: { clock.milliseconds }, setLimit: setLimit))
  }

  private func push(_ replica: Replica) throws -> [ChangeSet] {
    try replica.freeze()
    let sets = try replica.outbox()
    for set in sets { try replica.acknowledge(through: set.sequence) }
    return try sets.map { try CompactCodec.decode($0.bytes) }
  }

  private func insert(_ count: Int) throws -> [RecordedNote] {
    try (0..<count).map { index in try context.insert(RecordedNote.self) { $0.title = "\(index)" } }
  }

  private var logEntries: Int64 {
    get throws {
      guard case .integer(let count)? = try context.connection.first("SELECT count(*) FROM TICDS_LOG") else {
        return 0
      }
      return count
    }
  }

  @Test func `rows that one save writes alike share entries of the log, and every change is in the set`()
    throws
  {
    let notes = try insert(2_500)
    try context.save()
    let replica = try replica()
    _ = try push(replica)
    for note in notes { note.title = "later" }
    try context.save()
    #expect(try logEntries == 3)
    #expect(try push(replica).flatMap(\.changes).count == 2_500)

    // Every other note, so that keys do not follow one another, and from the last to the first.
    for (index, note) in notes.enumerated().reversed() where index % 2 == 0 { note.stars = Int64(index + 1) }
    try context.save()
    #expect(try logEntries == 2)
    let changes = try push(replica).flatMap(\.changes)
    let stars = changes.compactMap { change -> Int64? in
      guard case .update(let registers) = change.action,
        case .value(.integer(let value))? = registers.first?.content
      else { return nil }
      return value
    }
    let isComplete = stars.sorted() == (0..<1_250).map { Int64(2 * $0 + 1) }
    #expect(isComplete)
  }

  /// The store of another device that has merged some sets.
  private func other(receiving sets: [ChangeSet]) throws -> PersistentStore {
    let other = try PersistentStore(model: store.model, path: folder.file("other"))
    let receiver = try other.newReplica(Replica.Configuration(client: "other", now: { 0 }))
    _ = try receiver.apply(
      try sets.map { try ReceivedSet(set: $0, hash: ContentHash(of: CompactCodec.encode($0))) },
      policy: .always(.latest))
    return other
  }

  @Test(arguments: [false, true]) func `an object whose deletion was undone lives on for everybody`(
    isPushedBetween: Bool
  ) throws {
    context.undoIsEnabled = true
    let note = try insert(1)[0]
    note.stars = 3
    try context.save()
    let identifier = try #require(note.ticdsSyncID)
    let replica = try replica()
    var sets = try push(replica)
    context.undoGroup { context.delete(note) }
    try context.save()
    if isPushedBetween { sets += try push(replica) }
    clock.advance(10)

    context.undo()
    try context.save()
    sets += try push(replica)

    #expect(note.ticdsSyncID == identifier && !note.isGone)
    let other = try self.other(receiving: sets)
    let found = try other.newContext().fetch(RecordedNote.self)
    #expect(found.map(\.stars) == [3] && found.first?.ticdsSyncID == identifier)
  }

  @Test func `an object whose deletion was undone after another took its identifier lives on for everybody`()
    throws
  {
    context.undoIsEnabled = true
    let note = try insert(1)[0]
    note.stars = 3
    try context.save()
    let identifier = try #require(note.ticdsSyncID)
    let replica = try replica()
    var sets = try push(replica)
    context.undoGroup { context.delete(note) }
    try context.save()
    try context.withoutUndo {
      let other = try context.insert(RecordedNote.self)
      other.ticdsSyncID = identifier
      other.stars = 5
    }
    try context.save()
    sets += try push(replica)

    context.undo()
    try context.save()
    sets += try push(replica)

    let other = try self.other(receiving: sets)
    let found = try other.newContext().fetch(RecordedNote.self)
    #expect(found.map(\.stars).sorted() == [3, 5])
    #expect(found.first { $0.stars == 5 }?.ticdsSyncID == identifier)
  }

  @Test func `changes of different properties take entries of their own`() throws {
    let notes = try insert(4)
    try context.save()
    let replica = try replica()
    _ = try push(replica)

    notes[0].stars = 1
    notes[1].title = "b"
    notes[2].stars = 2
    context.delete(notes[3])
    try context.save()

    #expect(try logEntries == 4)
    #expect(try push(replica).flatMap(\.changes).count == 4)
  }

  @Test func `a save follows everything in the file, also what somebody else wrote since the last save`()
    throws
  {
    let note = try insert(1)[0]
    try context.save()
    let replica = try replica()
    let first = try push(replica)
    let future = LogicalTime(milliseconds: clock.milliseconds + 1_000_000)
    let received = ChangeSet(
      author: AuthorID(bits: 5), client: "other", sequence: 1, previous: nil, model: "",
      entities: [EntityNames(name: "RecordedNote", root: "RecordedNote", properties: [])],
      changes: [Change(entity: 0, object: "elsewhere", time: future, action: .insert([]))])
    _ = try replica.apply(
      [ReceivedSet(set: received, hash: ContentHash(of: [1]))], policy: .always(.latest))

    note.stars = 5
    try context.save()
    note.stars = 6
    try context.save()

    let times = (first + (try push(replica))).flatMap(\.changes).map(\.time)
    #expect(times.count == 2)
    #expect(times[1] > future)
  }
}
