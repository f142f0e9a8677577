import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

/// The places that members of an ordered relationship get when they are saved.
@Suite struct MemberPlaceTests {
  private func store(_ folder: TemporaryFolder) throws -> PersistentStore {
    try PersistentStore(
      model: ManagedObjectModel(entities: [
        EntityDeclaration("Page", relationships: [.toOne("book", to: "Book", inverse: "pages")]),
        EntityDeclaration(
          "Book", relationships: [.toMany("pages", to: "Page", inverse: "book", isOrdered: true)]),
      ]), path: folder.file("store"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a long list of new members is saved in time that grows with its length`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let context = try store.newContext()
    let book = try context.insert(entity: "Book")
    for _ in 0..<40_000 { try context.insert(entity: "Page").setTarget(book, "book") }
    try context.save()

    let found = try store.newConnection().first(
      "SELECT count(DISTINCT Z_FOK_BOOK) FROM ZPAGE WHERE Z_FOK_BOOK > 0")
    #expect(found == .integer(40_000))
    withExtendedLifetime(folder) {}
  }

  @Test func `a place beyond which there is none does not stop a save, and the order stays`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder)
    let context = try store.newContext()
    let book = try context.insert(entity: "Book")
    let pages = try (0..<3).map { _ in try context.insert(entity: "Page") }
    book.setMembers(Array(pages[..<2]), "pages")
    try context.save()
    try store.newConnection().run(
      "UPDATE ZPAGE SET Z_FOK_BOOK = ? WHERE Z_PK = ?", .integer(.max), .integer(pages[1].objectID.key))

    let other = try store.newContext()
    let same = try #require(try other.existingObject(for: book.objectID))
    let third = try other.insert(entity: "Page")
    same.setMembers(same.members("pages") + [third], "pages")
    try other.save()

    let read = try store.newContext()
    let keys = try #require(try read.existingObject(for: book.objectID)).members("pages").map(\.objectID)
    #expect(keys == [pages[0].objectID, pages[1].objectID, third.objectID])
    withExtendedLifetime(folder) {}
  }
}
