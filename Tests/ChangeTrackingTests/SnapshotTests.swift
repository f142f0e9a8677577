import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

@Suite struct SnapshotTests {
  let folder: TemporaryFolder
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that agree.
  init() throws {
    folder = try TemporaryFolder()
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for name in ["a", "b"] { try edit.insert("Person", .text(name), ["name": .string(name)]) }
      try edit.insert("Team", "t")
      try edit.link("t", "a")
    }
    try there.receive(try here.push())
    try there.edit { try $0.delete("Person", "b") }
    try here.receive(try there.push())
  }

  private func path(_ name: String) -> String { folder.file("\(name).sqlite") }

  /// The sets that a device lacks.
  private func news(of device: PlainDevice, for other: PlainDevice) throws -> [ReceivedSet] {
    let vector = try other.replica.vector()
    return device.pushed.filter { $0.set.sequence > vector[$0.set.author] }
  }

  @Test func `a device that begins with a snapshot holds all that it needs, and goes on with later sets`()
    throws
  {
    let snapshot = try here.replica.snapshot(to: path("new"))
    let new = try PlainDevice("new", path: path("new"))
    #expect(try new.store.contents() == here.store.contents())
    #expect(try new.replica.vector() == snapshot.contents)

    try here.edit { try $0.set("Person", "a", "name", .string("later")) }
    try here.push()
    try new.edit { try $0.insert("Person", "n") }
    let mine = try new.push()
    try new.receive(try news(of: here, for: new))
    for device in [here, there] { try device.receive(mine) }
    try there.receive(try news(of: here, for: there))

    #expect(try new.store.contents() == here.store.contents())
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test(arguments: [5, Int64.max])
  func `what is made after a copy says that everything is accounted for is said all the same`(
    _ frontier: Int64
  ) throws {
    let model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    let maker = try ManagedDevice("maker", model)
    try maker.edit { try $0.insert(Book.self) { $0.isbn = "1" } }
    try maker.push()
    _ = try maker.replica.snapshot(to: path("copy"))
    try Connection(path: path("copy")).run("UPDATE TICDS_ENTITY SET frontier = ?", .integer(frontier))

    let new = try ManagedDevice("new", model, path: path("copy"))
    try new.edit { try $0.insert(Book.self) { $0.isbn = "2" } }
    try maker.receive(new.push())
    #expect(try maker.context.fetch(Book.self).count == 2)
  }

  @Test func `a snapshot begins under an author of its own, which is greater than the former`() throws {
    let snapshot = try here.replica.snapshot(to: path("new"))
    let new = try PlainDevice("new", path: path("new"))
    #expect(try new.replica.author > here.replica.author)
    #expect(try snapshot.contents[here.replica.author] == 1)
    #expect(try new.push().isEmpty, "everything was said before")
    let again = try PlainDevice("new", path: path("new"))
    #expect(try again.replica.author == new.replica.author)
  }

  @Test(arguments: [true, false])
  func `changes that were not pushed are in the snapshot, whether they are pushed later or not`(
    arePushed: Bool
  )
    throws
  {
    try here.edit { try $0.insert("Person", "frozen") }
    try here.replica.freeze()
    try here.edit { edit in
      try edit.insert("Person", "logged")
      try edit.link("t", "a", added: false)
    }

    let snapshot = try here.replica.snapshot(to: path("new"))
    #expect(snapshot.includesUnpushedChanges)
    let new = try PlainDevice("new", path: path("new"))
    #expect(try new.store.contents() == here.store.contents())

    let said = try new.push()
    try there.receive(said)
    if arePushed {
      let late = try here.push()
      for device in [there, new] { try device.receive(late) }
      try here.receive(said)
      #expect(try here.store.contents() == there.store.contents())
    }
    #expect(try new.store.contents() == there.store.contents())
    #expect(try there.store.contents().contains("Person logged"))
  }

  @Test func `a snapshot is made also where links lead to objects that have not come yet`() throws {
    let third = try PlainDevice("third")
    let late = try PlainDevice("late")
    try late.edit { try $0.insert("Person", "late") }
    let sets = try late.push()
    try third.receive(sets)
    try third.edit { edit in
      try edit.insert("Team", "u")
      try edit.link("u", "late")
    }
    try here.receive(try third.push())

    _ = try here.replica.snapshot(to: path("new"), keepingRemoteNotes: [])

    let new = try PlainDevice("new", path: path("new"))
    try new.receive(sets)
    #expect(try new.row("Person", "late") != nil)
  }

  @Test(arguments: [
    "UPDATE TICDS_LOCAL SET path = x'035A6F6F' WHERE position = 0",
    "UPDATE TICDS_ENTITY SET path = x'035A6F6F' WHERE local = 0",
    "UPDATE TICDS_NAME SET number = 3 - number WHERE root = 0 AND number IN (1, 2)",
  ])
  func `a snapshot that calls things otherwise than its model is refused`(edit: String) throws {
    _ = try here.replica.snapshot(to: path("new"), keepingRemoteNotes: [])
    try Connection(path: path("new")).execute(script: edit)

    let error = #expect(throws: ReplicaError.self) {
      _ = try StoreSnapshot(reading: path("new"))
      _ = try PlainDevice("new", path: path("new"))
    }
    #expect(error?.code == .invalidSnapshot)
  }

  @Test func `a snapshot that says of rows that they were deleted is refused`() throws {
    try here.edit { try $0.insert("Person", "kept") }
    try here.replica.freeze()
    _ = try here.replica.snapshot(to: path("new"), keepingRemoteNotes: [])
    try here.edit { try $0.delete("Person", "kept") }
    _ = try here.replica.snapshot(to: path("later"), keepingRemoteNotes: [])
    let copy = try Connection(path: path("new"))
    try copy.run("ATTACH ? AS other", .text(path("later")))
    try copy.run("INSERT INTO TICDS_LOG SELECT * FROM other.TICDS_LOG")
    try copy.run("DETACH other")

    let error = #expect(throws: ReplicaError.self) { _ = try PlainDevice("new", path: path("new")) }
    #expect(error?.code == .invalidSnapshot)
  }

  @Test func `a snapshot holds nothing of the layer above but what that names`() throws {
    try here.replica.setRemoteState("document", [1])
    try here.replica.setRemoteState("pending", [2])
    _ = try here.replica.snapshot(to: path("new"), keepingRemoteStates: ["pending"])
    let new = try PlainDevice("new", path: path("new")).replica
    #expect(try new.remoteState("document") == nil)
    #expect(try new.remoteState("pending") == [2])
    #expect(try here.replica.remoteState("document") == [1])
  }

  @Test func `a snapshot carries the horizon, so that whoever begins with it is not behind`() throws {
    let horizon = Horizon(positions: [try here.replica.position(), try there.replica.position()])
    #expect(try here.replica.collectTombstones(below: horizon).objects == 1)

    let snapshot = try here.replica.snapshot(to: path("new"))
    let new = try PlainDevice("new", path: path("new"))

    #expect(try snapshot.horizon == here.replica.horizon())
    #expect(try !new.replica.isBehind(here.replica.horizon()))
    try new.edit { try $0.insert("Person", "b", ["name": .string("again")]) }
    let mine = try new.push()
    for device in [here, there] { try device.receive(mine) }
    #expect(try here.store.contents() == there.store.contents())
    #expect(try new.store.contents() == there.store.contents())
  }

  @Test func `what lies at the path is not replaced`() throws {
    try Data([1]).write(to: URL(filePath: path("new")))
    #expect(throws: (any Error).self) { try here.replica.snapshot(to: path("new")) }
    #expect(try Data(contentsOf: URL(filePath: path("new"))) == Data([1]))
    #expect(
      try folder.names.count == 1)
  }

  @Test func `an insertion that no log mentions is a change that was not pushed`() throws {
    let store = try PersistentStore(model: ManagedObjectModel(RecordedNote.self), path: path("managed"))
    let replica = try store.newReplica(.init(client: "here"))
    try replica.freeze()
    #expect(try !replica.snapshot(to: path("before")).includesUnpushedChanges)
    let context = try store.newContext()
    try context.insert(RecordedNote.self).title = "new"
    try context.save()

    #expect(try replica.snapshot(to: path("after")).includesUnpushedChanges)
  }
}
