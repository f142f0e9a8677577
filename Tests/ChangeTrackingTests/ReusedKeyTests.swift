import ObjectStore
import Testing

@testable import ChangeTracking

/// Rows that another program puts under the keys of deleted ones: what was said of the one is not said of the other.
@Suite struct ReusedKeyTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that have a book with a reader.
  init() throws {
    let model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    // Each entry of the log is looked at by itself.
    here = try ManagedDevice("here", model, setLimit: 1)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      let reader = try context.insert(Reader.self) { $0.name = "old" }
      try context.insert(Book.self) {
        $0.isbn = "1"
        $0.readers = [reader]
      }
    }
    try ManagedDevice.exchange(here, there)
  }

  private func replaceReader() throws {
    try here.edit { try $0.delete(here.the(Reader.self)) }
    try here.context.store.newConnection().execute(
      script: """
        INSERT INTO ZREADER (Z_PK, Z_ENT, Z_OPT, ZNAME)
        SELECT 1, Z_ENT, 1, 'new' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Reader'
        """)
  }

  private func readers(_ device: ManagedDevice) throws -> [String] {
    try device.the(Book.self).readers.map(\.name).sorted()
  }

  private func exchange() throws {
    for _ in 0..<2 { try ManagedDevice.exchange(here, there) }
  }

  @Test func `a link to the new row shows everywhere`() throws {
    try replaceReader()
    try here.edit { _ in
      let reader = try here.the(Reader.self)
      try here.the(Book.self).readers = [reader]
    }

    try exchange()

    #expect(try readers(here) == ["new"])
    #expect(try readers(there) == ["new"])
  }

  @Test func `a link from the new row shows everywhere`() throws {
    try replaceReader()
    try here.edit { _ in
      let book = try here.the(Book.self)
      try here.the(Reader.self).publications = [book]
    }

    try exchange()

    #expect(try readers(there) == ["new"])
  }

  @Test func `a link to the deleted row is none to the new one`() throws {
    try here.edit { _ in try here.the(Book.self).readers = [] }
    try here.edit { _ in try here.the(Book.self).readers = [here.the(Reader.self)] }
    try replaceReader()

    try exchange()

    #expect(try readers(here) == [])
    #expect(try readers(there) == [])
    #expect(try there.the(Reader.self).name == "new")
  }

  @Test func `what is written to the new row is said of it, though the deletion is in the same set`() throws {
    let model = here.context.store.model
    let (one, other) = (try ManagedDevice("one", model), try ManagedDevice("other", model))
    let book = try one.edit { try $0.insert(Book.self) { $0.isbn = "2" } }
    try one.edit { $0.delete(book) }
    try one.context.store.newConnection().execute(
      script:
        "INSERT INTO ZPUBLICATION (Z_PK, Z_ENT, Z_OPT) SELECT 1, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'"
    )
    let new = try one.the(Book.self)
    try one.edit { _ in new.isbn = "2" }
    try one.edit { _ in new.title = "new" }

    for _ in 0..<2 { try ManagedDevice.exchange(one, other) }

    #expect(try one.the(Book.self).title == "new")
    #expect(try other.the(Book.self).title == "new")
  }

  @Test func `a row that comes with the natural key of the deleted one is said, though nobody writes to it`()
    throws
  {
    let model = here.context.store.model
    let (one, other) = (try ManagedDevice("one", model), try ManagedDevice("other", model))
    let book = try one.edit { try $0.insert(Book.self) { $0.isbn = "2" } }
    try one.edit { $0.delete(book) }
    try one.context.store.newConnection().execute(
      script:
        """
        INSERT INTO ZPUBLICATION (Z_PK, Z_ENT, Z_OPT, ZISBN, ZTITLE)
        SELECT 1, Z_ENT, 1, '2', 'new' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'
        """)

    for _ in 0..<2 { try ManagedDevice.exchange(one, other) }

    #expect(try one.the(Book.self).title == "new")
    #expect(try other.the(Book.self).title == "new")
  }
}
