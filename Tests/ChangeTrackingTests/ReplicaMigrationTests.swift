import ByteFixtures
import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// A store that takes part in synchronisation is brought to a new version of its model: what is known of its objects and still
/// to be sent stays right.
@Suite struct ReplicaMigrationTests {
  private let folder: TemporaryFolder
  private let path: String
  private let clock = TestClock()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private func open(_ entities: EntityDeclaration...) throws -> PersistentStore {
    try PersistentStore(
      model: ManagedObjectModel(entities: entities), path: path,
      options: .init(migration: .automatic))
  }

  private func recordedContext(_ store: PersistentStore) throws -> ManagedObjectContext {
    let clock = clock
    store.recordChanges(now: { clock.milliseconds })
    return try store.newContext()
  }

  private func push(_ store: PersistentStore) throws -> [Change] {
    let clock = clock
    let replica = try store.newReplica(
      Replica.Configuration(client: "desk", now: { clock.milliseconds }))
    try replica.freeze()
    let sets = try replica.outbox()
    for set in sets { try replica.acknowledge(through: set.sequence) }
    return try sets.flatMap { set -> [Change] in
      let decoded = try CompactCodec.decode(set.bytes)
      return decoded.changes
    }
  }

  private func value(_ name: String, _ table: String) throws -> SQLiteValue? {
    try Connection(path: path).first("SELECT \(name) FROM \(table)")
  }

  private static let syncID = AttributeDescription("ticdsSyncID", .string, isIndexed: true)

  @Test func `what was renamed keeps its numbers, and pending changes are sent under the new names`() throws {
    let old = try open(EntityDeclaration("Note", attributes: [Self.syncID, .init("title", .string)]))
    let context = try recordedContext(old)
    let note = try context.insert(entity: "Note")
    note["title"] = .string("first")
    try context.save()
    #expect(try push(old).count == 1)
    note["title"] = .string("second")
    try context.save()

    let new = try open(
      EntityDeclaration("Aaa", attributes: [.init("x", .string)]),
      EntityDeclaration(
        "Memo", attributes: [Self.syncID, .init("heading", .string, renamingIdentifier: "title")],
        renamingIdentifier: "Note"))

    let changes = try push(new)
    #expect(try value("path", "TICDS_ENTITY WHERE id = 1") == .blob(NamePath("Memo", ["Note"]).stored))
    #expect(try value("root", "TICDS_ENTITY WHERE id = 1") == .integer(1))
    #expect(try value("path", "TICDS_LOCAL") == .blob(NamePath("heading", ["title"]).stored))
    #expect(try value("count(*)", "TICDS_PROPERTY") == .integer(1))
    #expect(changes.count == 1)
    guard case .update(let registers)? = changes.first?.action else { return #expect(Bool(false)) }
    #expect(registers.count == 1)
    let after = try recordedContext(new)
    let memo = try #require(try after.fetch(FetchRequest<ManagedObject>(entity: "Memo")).first)
    memo["heading"] = .string("third")
    try after.save()
    #expect(try push(new).count == 1)
    #expect(try value("count(*)", "TICDS_OBJECT") == .integer(1))
  }

  @Test func `rows that move behind those of another table are still found`() throws {
    let cat = EntityDeclaration("Cat", attributes: [Self.syncID, .init("name", .string)])
    let dog = EntityDeclaration("Dog", attributes: [Self.syncID, .init("name", .string)])
    let old = try open(cat, dog)
    let context = try recordedContext(old)
    for entity in ["Cat", "Dog"] {
      for number in 0..<3 { try context.insert(entity: entity)["name"] = .string("\(entity) \(number)") }
    }
    try context.save()
    #expect(try push(old).count == 6)
    for dog in try context.fetch(FetchRequest<ManagedObject>(entity: "Dog")) { dog["name"] = .string("Rex") }
    for entity in ["Cat", "Dog"] { try context.insert(entity: entity)["name"] = .string("new") }
    try context.save()

    var (newCat, newDog) = (cat, dog)
    newCat.parent = "Animal"
    newDog.parent = "Animal"
    newCat.properties = []
    newDog.properties = []
    let new = try open(
      EntityDeclaration("Animal", attributes: [Self.syncID, .init("name", .string)]), newCat, newDog)

    let changes = try push(new)
    let insertions = changes.filter { if case .insert = $0.action { true } else { false } }
    #expect(changes.count == 5 && insertions.count == 2)
    let rows = try Connection(path: path).prepare(
      "SELECT o.row FROM TICDS_OBJECT o JOIN ZANIMAL a ON a.Z_PK = o.row")
    var keys: [Int64] = []
    while try rows.step() { keys.append(rows.int64(0)) }
    #expect(keys.sorted() == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try push(new).isEmpty)
  }

  @Test func `rows under a name that others have used before are not taken for new ones`() throws {
    let old = try open(EntityDeclaration("Note", attributes: [Self.syncID, .init("title", .string)]))
    let context = try recordedContext(old)
    try context.insert(entity: "Note")["title"] = .string("known")
    try context.save()
    #expect(try push(old).count == 1)
    let received = ChangeSet(
      author: AuthorID(bits: 5), client: "newer", sequence: 1, previous: nil, model: "",
      entities: [EntityNames(name: "Memo", root: "Memo", properties: [])],
      changes: [Change(entity: 0, object: "m", time: LogicalTime(bits: 9), action: .insert([]))])
    _ = try old.newReplica(Replica.Configuration(client: "desk")).receive(
      [ReceivedSet(set: received, hash: ContentHash(of: try CompactCodec.encode(received)))],
      policy: .always(.latest))
    clock.advance(1_000)
    try context.insert(entity: "Note")["title"] = .string("pending")
    try context.save()

    let new = try open(
      EntityDeclaration(
        "Memo", attributes: [Self.syncID, .init("title", .string)], renamingIdentifier: "Note"))

    let changes = try push(new)
    #expect(changes.count == 1)
    guard case .insert(let registers)? = changes.first?.action else { return #expect(Bool(false)) }
    #expect(registers.map(\.content) == [.value(.string("pending"))])
  }

  @Test func `records of an entity that is gone are kept without a row`() throws {
    let note = EntityDeclaration("Note", attributes: [Self.syncID])
    let old = try open(note, EntityDeclaration("Tag", attributes: [Self.syncID]))
    let context = try recordedContext(old)
    try context.insert(entity: "Tag")
    try context.save()
    #expect(try push(old).count == 1)

    let new = try open(note)

    #expect(try push(new).isEmpty)
    #expect(try value("count(*)", "TICDS_OBJECT WHERE row IS NULL") == .integer(1))
  }
}
