import Foundation
import ObjectStore
import TemporaryFolders
import Testing

/// The tasks of the guides, done one after the other.
@Suite struct TaskExampleTests {
  private let folder: TemporaryFolder
  private let context: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    context = try TaskExamples.open(folder.file("books.sqlite"))
  }

  @Test func `one object is inserted, related, changed, found and deleted`() throws {
    let book = try TaskExamples.insert(context)
    try TaskExamples.relate(book, context)
    try TaskExamples.update(book, context)
    #expect(book.author?.books == [book] && !context.hasChanges)

    #expect(try TaskExamples.fetchSorted(context) == [book])
    #expect(try TaskExamples.search("EMM", context) == [book])
    #expect(try TaskExamples.first(context) == book)
    let (byJane, praised) = try TaskExamples.fetchThroughRelationships(context)
    #expect(byJane == [book] && praised.map(\.name) == ["Jane Austen"])
    #expect(try TaskExamples.prefetch(context).flatMap(\.books) == [book])
    #expect(try TaskExamples.count(context) == 1)
    let rows = try TaskExamples.summarize(context)
    #expect(rows.map(\.0) == ["Jane Austen"] && rows.map(\.1) == [1] && rows.map(\.2) == [5])

    try TaskExamples.delete(book, context)
    #expect(try TaskExamples.count(context) == 0)
  }

  @Test func `rows are inserted, inserted again, changed and deleted at once`() throws {
    try TaskExamples.insertMany([("1", "a"), ("2", "b")], context)
    try TaskExamples.upsert([("2", "c"), ("3", "d")], context)
    let titles = try context.fetch(FetchRequest<Book>().sorted(by: \.isbn)).map(\.title)
    #expect(titles == ["a", "c", "d"])
    try TaskExamples.updateMany(context)
    try TaskExamples.deleteMany(context)
    #expect(try context.count(Book.self) == 3)
  }

  @Test func `work is done in the background`() async throws {
    let book = try TaskExamples.insert(context)
    #expect(try await TaskExamples.workInBackground(book, context.store) == 1)
    context.mergePendingChanges()
    #expect(book.stars == 4)
  }

  @Test @MainActor func `what others save shows on the screen`() async throws {
    let store = context.store
    let context = try store.newContext()
    let (screens, screen) = AsyncStream<[String]>.makeStream()
    let observation = Task { try await TaskExamples.observe(context) { screen.yield($0) } }
    defer { observation.cancel() }
    var shown = screens.makeAsyncIterator()
    #expect(await shown.next() == [])

    try await store.performBackground { context in
      try TaskExamples.insertMany([("1", "c"), ("2", "a"), ("3", "b")], context)
    }

    #expect(await shown.next() == ["a", "b", "c"])
  }

  @Test func `tests need no file`() throws {
    #expect(try TaskExamples.openForTests().count(Author.self) == 0)
  }
}
