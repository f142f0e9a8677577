import Foundation
import ObjectStore

final class Author: ManagedObject {
  @Attribute(indexed: true) var name: String = ""
  @ToMany(deleteRule: .cascade) var books: Set<Book>
}

final class Book: ManagedObject {
  @Attribute(unique: true) var isbn: String = ""
  @Attribute var title: String = ""
  @Attribute(validation: .range(0...5)) var stars: Int16 = 0
  @Attribute var published: Date?
  @ToOne(inverse: \Author.books) var author: Author?
}

/// The twenty tasks of `Docs/Guides/FromCoreData.md` and `Docs/Guides/FromGRDB.md`, as they stand there.
enum TaskExamples {
  static func open(_ path: String) throws -> ManagedObjectContext {
    let store = try PersistentStore(
      model: ManagedObjectModel(Author.self, Book.self), path: path, options: .init(migration: .automatic))
    let context = try store.newContext()
    return context
  }

  static func openForTests() throws -> ManagedObjectContext {
    let store = try PersistentStore.inMemory(model: ManagedObjectModel(Author.self, Book.self))
    return try store.newContext()
  }

  static func insert(_ context: ManagedObjectContext) throws -> Book {
    let book = try context.insert(Book.self) {
      $0.isbn = "978-0"
      $0.title = "Emma"
    }
    try context.save()
    return book
  }

  static func relate(_ book: Book, _ context: ManagedObjectContext) throws {
    book.author = try context.insert(Author.self) { $0.name = "Jane Austen" }
    try context.save()
  }

  static func update(_ book: Book, _ context: ManagedObjectContext) throws {
    book.stars = 5
    try context.save()
  }

  static func delete(_ book: Book, _ context: ManagedObjectContext) throws {
    context.delete(book)
    try context.save()
  }

  static func fetchSorted(_ context: ManagedObjectContext) throws -> [Book] {
    let books = try context.fetch(
      FetchRequest<Book>().where(\.stars > 3).sorted(by: \.published, .descending).limit(20))
    return books
  }

  static func search(_ text: String, _ context: ManagedObjectContext) throws -> [Book] {
    let found = try context.fetch(
      Book.self, where: .contains(\.title, text, [.caseInsensitive, .diacriticInsensitive]))
    return found
  }

  static func first(_ context: ManagedObjectContext) throws -> Book? {
    let emma = try context.first(Book.self, where: \.isbn == "978-0")
    return emma
  }

  static func fetchThroughRelationships(_ context: ManagedObjectContext) throws -> ([Book], [Author]) {
    let byJane = try context.fetch(Book.self, where: \.author?.name == "Jane Austen")
    let praised = try context.fetch(Author.self, where: .any(\.$books, where: \.stars == 5))
    return (byJane, praised)
  }

  static func prefetch(_ context: ManagedObjectContext) throws -> [Author] {
    let authors = try context.fetch(FetchRequest<Author>().prefetching(\.books))
    return authors
  }

  static func count(_ context: ManagedObjectContext) throws -> Int {
    let count = try context.count(Book.self, where: \.stars > 3)
    return count
  }

  static func summarize(_ context: ManagedObjectContext) throws -> [(String?, Int, Double?)] {
    let rows = try context.fetch(
      FetchRequest<Book>()
        .summarized(by: .property(\.author?.name), .count(), .average(\.stars))
        .sorted(by: .count(), .descending))
    return rows
  }

  static func insertMany(_ lines: [(isbn: String, title: String)], _ context: ManagedObjectContext) throws {
    try context.insertRows(Book.self, from: lines) { row, line in
      row[\.isbn] = line.isbn
      row[\.title] = line.title
    }
  }

  static func upsert(_ lines: [(isbn: String, title: String)], _ context: ManagedObjectContext) throws {
    try context.insertRows(Book.self, from: lines, onConflict: .update) { row, line in
      row[\.isbn] = line.isbn
      row[\.title] = line.title
    }
  }

  static func updateMany(_ context: ManagedObjectContext) throws {
    try context.updateRows(FetchRequest<Book>().where(\.stars < 5), .set(\.stars, to: \.stars + 1))
  }

  static func deleteMany(_ context: ManagedObjectContext) throws {
    try context.deleteRows(FetchRequest<Book>().where(\.stars == 0))
  }

  static func workInBackground(_ book: Book, _ store: PersistentStore) async throws -> Int {
    let identifier = book.objectID
    let count = try await store.performBackground { context in
      let book = context.object(for: identifier) as? Book
      book?.stars = 4
      try context.save()
      return try context.count(Book.self)
    }
    return count
  }

  @MainActor static func observe(
    _ context: ManagedObjectContext, _ show: ([String]) -> Void
  ) async throws {
    let results = try context.liveResults(for: FetchRequest<Book>().sorted(by: \.title))
    let following = Task { await context.mergeContinuously() }  // what others save, too
    show(results.objects.map(\.title))
    for await _ in results.changes { show(results.objects.map(\.title)) }
    following.cancel()
  }
}
