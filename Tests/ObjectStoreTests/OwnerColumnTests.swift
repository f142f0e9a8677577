import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

/// Relationships to many objects without inverse, kept as Core Data keeps them: rows of the destination name their owner.
@Suite struct OwnerColumnTests {
  private let folder: TemporaryFolder
  private let store: PersistentStore
  private let context: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Book", relationships: [.toMany("pages", to: "Page", isOrdered: true)]),
      EntityDeclaration("Page", attributes: [AttributeDescription("number", .integer16)]),
    ])
    var options = PersistentStore.Options()
    options.oneWayLayout = .ownerColumn
    store = try PersistentStore(model: model, path: folder.file("books.sqlite"), options: options)
    context = try store.newContext()
  }

  private func insert(_ pages: [ManagedObject]) throws -> ManagedObject {
    let book = try context.insert(entity: "Book")
    book.setMembers(pages, "pages")
    return book
  }

  private func pages() throws -> [ManagedObject] {
    try (1...3).map { number in
      let page = try context.insert(entity: "Page")
      page["number"] = .integer(Int64(number))
      return page
    }
  }

  private func numbers(_ book: ManagedObject) throws -> [AttributeValue] {
    let other = try store.newContext()
    let object = try #require(other.object(for: book.objectID))
    return object.members("pages").map { $0["number"] }
  }

  @Test func `members and their order are kept in the rows of the members`() throws {
    let pages = try pages()
    let book = try insert([pages[2], pages[0], pages[1]])
    try context.save()

    #expect(try numbers(book) == [.integer(3), .integer(1), .integer(2)])
    let connection = try store.newConnection()
    #expect(
      try connection.first(
        "SELECT group_concat(ZNUMBER) FROM (SELECT ZNUMBER FROM ZPAGE WHERE Z1PAGES = 1 ORDER BY Z_FOK_1PAGES)"
      )
        == .text("3,1,2"))
    #expect(try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'Z_1PAGES'") == nil)
  }

  @Test func `a member that gets another owner leaves the one that it had`() throws {
    let pages = try pages()
    let first = try insert(pages)
    try context.save()

    let second = try insert([pages[1]])
    try context.save()

    #expect(try numbers(first) == [.integer(1), .integer(3)])
    #expect(try numbers(second) == [.integer(2)])
  }

  @Test func `links go with the owner and with the member`() throws {
    let pages = try pages()
    let book = try insert(pages)
    try context.save()

    context.delete(pages[0])
    try context.save()
    #expect(try numbers(book) == [.integer(2), .integer(3)])
    context.delete(book)
    try context.save()

    let connection = try store.newConnection()
    #expect(try connection.first("SELECT count(*) FROM ZPAGE") == .integer(2))
    #expect(try connection.first("SELECT count(Z1PAGES) FROM ZPAGE") == .integer(0))
  }
}
