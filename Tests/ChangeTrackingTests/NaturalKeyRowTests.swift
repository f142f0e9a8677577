import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Rows of another program with the natural key of an object of which no set was made yet.
@Suite struct NaturalKeyRowTests {
  @Test func `such a row is another object, and the one that was recorded keeps its identifier`() throws {
    // Given a team that a recorder has inserted, and another one of which it knows nothing.
    let here = try PlainDevice("here")
    try here.push()
    let red = SyncID(naturalKey: NaturalKey([.string("red")]), of: "Team")
    try here.edit { try $0.insert("Team", red, ["title": .string("red")]) }
    let recorded = try here.row("Team", red)
    try here.store.connection.execute(script: "INSERT INTO team (title) VALUES ('red')")

    let there = try PlainDevice("there")
    try there.receive(try here.push())

    #expect(try here.row("Team", red) == recorded)
    #expect(try there.store.contents() == here.store.contents())
    #expect(try there.store.contents().count == 2)
  }

  @Test func `so it is in a store that held something before its bookkeeping`() throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore(
      model: ManagedObjectModel(entities: [
        EntityDeclaration(
          "Tag", attributes: [RenamingTests.syncID, .init("name", .string)],
          userInfo: [SyncModelKey.naturalKey: "name"])
      ]), path: folder.file("store.sqlite"))
    func add(_ name: String, isRecorded: Bool) throws -> (ManagedObjectContext, ManagedObject) {
      let context = try store.newContext()
      context.usesStoreParticipants = isRecorded
      let tag = try context.insert(entity: "Tag")
      tag["name"] = .string(name)
      try context.save()
      return (context, tag)
    }
    _ = try add("older", isRecorded: false)
    store.recordChanges()
    let (context, recorded) = try add("red", isRecorded: true)
    let identifier = recorded[SyncModelKey.syncID]
    _ = try add("red", isRecorded: false)

    try store.newReplica(.init(client: "here")).freeze()

    context.mergePendingChanges()
    #expect(recorded[SyncModelKey.syncID] == identifier)
  }
}
