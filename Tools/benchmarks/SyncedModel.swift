import ObjectStore

/// What devices keep in step that are measured as a whole: declared as the guide for applications has it, with indexed sync IDs.
enum SyncedModel {
  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Shelf.self, Book.self) }

  /// Adds books in a context of their own.
  ///
  /// - Parameter shelves: so many of them, each with three of the books; none if books stand alone.
  static func add(_ books: Range<Int>, shelves: Bool = false, to store: PersistentStore) throws {
    var text = SampleText(seed: UInt64(books.lowerBound))
    let context = try store.newContext()
    var shelf: Shelf?
    for number in books {
      if shelves, number.isMultiple(of: 3) {
        shelf = try context.insert(Shelf.self) { $0.name = "Shelf \(number / 3)" }
      }
      try context.insert(Book.self) { book in
        book.title = "Book number \(number)"
        book.summary = text.prose(40)
        book.number = Int64(number)
        book.shelf = shelf
      }
    }
    try context.save()
  }
}

final class Shelf: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany(inverse: \Book.shelf) var books: Set<Book>
}

final class Book: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var title: String = ""
  @Attribute var summary: String = ""
  @Attribute var number: Int64 = 0
  @ToOne var shelf: Shelf?
}
