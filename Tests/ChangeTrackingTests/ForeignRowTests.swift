import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Rows that a program without a recorder adds: each becomes one object, whatever key or identifier it comes with.
@Suite struct ForeignRowTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    let model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  private func shelves(_ device: ManagedDevice) throws -> [String] {
    device.context.mergePendingChanges()
    return try device.context.fetch(Shelf.self).map { "\($0.ticdsSyncID ?? "-") \($0.name)" }.sorted()
  }

  /// Other programs, on a connection of their own.
  private func run(_ sql: String) throws {
    try here.context.store.newConnection().execute(script: sql)
  }

  private func expectAgreement() throws {
    try ManagedDevice.exchange(here, there)
    try ManagedDevice.exchange(here, there)
    #expect(try shelves(here) == shelves(there))
    #expect(try shelves(here).allSatisfy { !$0.hasPrefix("-") })
  }

  @Test func `a row under the key of a deleted object is an object of its own`() throws {
    let shelf = try here.edit { try $0.insert(Shelf.self) { $0.name = "old" } }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(shelf) }
    try run(
      "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 1, Z_ENT, 1, 'new' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Shelf'"
    )

    try expectAgreement()

    #expect(try shelves(there).map { $0.split(separator: " ").last } == ["new"])
  }

  @Test func `a row under a key below others that were seen before is found`() throws {
    let first = try here.edit { try $0.insert(Shelf.self) { $0.name = "first" } }
    try here.edit { context in
      for number in 0..<1_100 { try context.insert(Shelf.self) { $0.name = "\(number)" } }
    }
    try here.push()
    try here.replica.adoptExistingObjects()
    try here.edit { $0.delete(first) }
    try run(
      "INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 1, Z_ENT, 1, 'new' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Shelf'"
    )

    try here.push()

    #expect(try shelves(here).allSatisfy { !$0.hasPrefix("-") })
  }

  @Test func `a natural key that an object of a sibling entity has saved is not given to another row`() throws
  {
    try here.edit {
      try $0.insert(Book.self) {
        $0.isbn = "1"
        $0.title = "book"
        $0.pages = 7
      }
    }
    let silent = try here.context.store.newContext()
    silent.usesStoreParticipants = false
    try silent.insert(Magazine.self) { $0.isbn = "1" }
    try silent.save()

    try here.push()

    here.context.mergePendingChanges()
    let identifiers = try here.context.fetch(Publication.self).map(\.ticdsSyncID)
    #expect(Set(identifiers).count == 2)
  }

  @Test func `a row that leaves out a required value shows what others have written to its natural key`()
    throws
  {
    let editor = try ManagedDevice("editor", here.context.store.model)
    let book = try there.edit {
      try $0.insert(Book.self) {
        $0.isbn = "1"
        $0.title = "first"
      }
    }
    let insertion = try there.push()
    try editor.receive(insertion)
    editor.clock.advance(10_000)
    let edited = try editor.the(Book.self)
    try editor.edit { _ in edited.title = "second" }
    // The insertion is late.
    try here.receive(try editor.push())
    here.clock.advance(20_000)
    try run(
      """
      INSERT INTO ZPUBLICATION (Z_PK, Z_ENT, Z_OPT, ZISBN) SELECT 1, Z_ENT, 1, '1' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book';
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Publication';
      """)

    let said = try here.push()
    for device in [there, editor] { try device.receive(said) }
    try there.receive(editor.pushed)

    #expect(try here.the(Book.self).title == "second")
    try here.receive(insertion)
    here.context.mergePendingChanges()
    there.context.mergePendingChanges()
    #expect(try here.the(Book.self).title == "second" && book.title == "second")
  }

  @Test func `what is written to a copy with the same identifier is not said of the original`() throws {
    try here.edit { try $0.insert(Shelf.self) { $0.name = "original" } }
    try ManagedDevice.exchange(here, there)
    try run(
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZTICDSSYNCID, ZNAME)
        SELECT 2, Z_ENT, 1, ZTICDSSYNCID, 'copy' FROM ZSHELF;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Shelf';
      """)
    let copy = try #require(try here.context.fetch(Shelf.self).first { $0.name == "copy" })
    try here.edit { _ in copy.name = "edited" }

    try expectAgreement()

    #expect(
      try shelves(there).map { $0.split(separator: " ").last }.sorted { "\($0 ?? "")" < "\($1 ?? "")" } == [
        "edited", "original",
      ])
  }

  @Test func `a store in which two rows have one identifier is mended by the next set`() throws {
    let shelf = try here.edit { try $0.insert(Shelf.self) { $0.name = "gone" } }
    try here.edit { try $0.insert(Shelf.self) { $0.name = "known" } }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(shelf) }
    try ManagedDevice.exchange(here, there)
    // As a former version left it.
    try run(
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZTICDSSYNCID, ZNAME) SELECT 1, Z_ENT, 1, ZTICDSSYNCID, 'other' FROM ZSHELF;
      DELETE FROM TICDS_STATE WHERE name = 'distinct';
      """)
    #expect(try here.replica.status().sharedIdentifiers == 1)
    let known = try shelves(there)

    try expectAgreement()

    #expect(try here.replica.status().sharedIdentifiers == 0)
    #expect(try Set(shelves(there)).isSuperset(of: known))
    #expect(try shelves(there).count == 2)
  }

  @Test func `an object that is duplicated before it was saved gets an identifier of its own`() throws {
    try here.edit { context in
      let original = try context.insert(Shelf.self) { $0.name = "original" }
      try context.insert(Shelf.self) {
        $0.ticdsSyncID = original.ticdsSyncID
        $0.name = "duplicate"
      }
    }

    #expect(Set(try shelves(here).map { $0.prefix(36) }).count == 2)
  }

  @Test func `an original that is deleted before a set says it leaves its identifier to the copy`() throws {
    let original = try here.edit { try $0.insert(Shelf.self) { $0.name = "original" } }
    try ManagedDevice.exchange(here, there)
    try run(
      """
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZTICDSSYNCID) SELECT 2, Z_ENT, 1, ZTICDSSYNCID FROM ZSHELF;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Shelf';
      """)
    try here.edit { $0.delete(original) }

    try expectAgreement()

    #expect(try shelves(there).count == 1)
  }
}
