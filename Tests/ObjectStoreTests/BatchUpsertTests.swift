import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Batch insertions of rows some of which are there already.
@Suite struct BatchUpsertTests {
  private final class Witness: SaveParticipant {
    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws {}
  }

  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    let shelf = EntityDeclaration(
      "Shelf", attributes: [.init("name", .string)],
      relationships: [.toMany("books", to: "Book", inverse: "shelf", isOrdered: true)])
    let book = EntityDeclaration(
      "Book",
      attributes: [
        .init("isbn", .string, isOptional: false), .init("title", .string, isOptional: false),
        .init("stars", .integer16, defaultValue: .integer(3)), .init("code", .string),
        .init("part", .integer16),
        .init("cover", .binary, allowsExternalStorage: true),
      ],
      relationships: [.toOne("shelf", to: "Shelf", inverse: "books")],
      uniquenessConstraints: [["isbn"], ["code", "part"]])
    let comic = EntityDeclaration("Comic", parent: "Book", attributes: [.init("colours", .integer16)])
    fixture = try TemporaryStore(ManagedObjectModel(entities: [shelf, book, comic]))
    context = try fixture.store.newContext()
  }

  private struct Item {
    var isbn: String
    var title: String?
    var stars: Int64?
    var code: String?
  }

  /// With a participant, batches are done with objects; what comes of them is to be the same.
  private func watch(_ isWatched: Bool) { if isWatched { context.addParticipant(Witness()) } }

  @discardableResult private func insert(
    _ items: [Item], _ entity: String = "Book", _ rule: BatchConflictRule = .update
  ) throws -> ObjectChanges {
    try context.insertRows(entity: entity, from: items, onConflict: rule) { row, item in
      row["isbn"] = .string(item.isbn)
      if let title = item.title { row["title"] = .string(title) }
      if let stars = item.stars { row["stars"] = .integer(stars) }
      if let code = item.code {
        row["code"] = .string(code)
        row["part"] = .integer(1)
      }
    }
  }

  private func books() throws -> [String] {
    let books = try fixture.store.newContext().fetch(FetchRequest<ManagedObject>(entity: "Book"))
    return books.map { book in
      guard case .string(let isbn) = book["isbn"], case .string(let title) = book["title"],
        case .integer(let stars) = book["stars"]
      else { return "?" }
      return "\(isbn) \(title) \(stars)"
    }.sorted()
  }

  @Test(arguments: [false, true])
  func `what is set is written to the row that is there, and the others are new`(isWatched: Bool) throws {
    watch(isWatched)
    let first = try insert([Item(isbn: "1", title: "one", stars: 5), Item(isbn: "2", title: "two")])
    let held = try context.fetch(FetchRequest<ManagedObject>(entity: "Book"))

    let changes = try insert([
      Item(isbn: "2", stars: 1), Item(isbn: "3", title: "three"), Item(isbn: "1", title: "uno"),
      Item(isbn: "3", stars: 4),
    ])

    #expect(try books() == ["1 uno 5", "2 two 1", "3 three 4"])
    #expect(changes.inserted.count == 1 && Set(changes.updated) == Set(first.inserted))
    #expect(Set(held.map { $0["title"] }) == [.string("uno"), .string("two")])
    try fixture.check()
  }

  @Test(arguments: [false, true])
  func `what is there stays as it is, if that is asked for`(isWatched: Bool) throws {
    watch(isWatched)
    try insert([Item(isbn: "1", title: "one")])

    let changes = try insert(
      [Item(isbn: "1", title: "uno"), Item(isbn: "2", title: "two"), Item(isbn: "2", title: "due")], "Book",
      .keep)

    #expect(try books() == ["1 one 3", "2 two 3"])
    #expect(changes.inserted.count == 1 && changes.updated.isEmpty)
  }

  @Test(arguments: [false, true])
  func `without a rule a batch with a row that is there is refused as a whole`(isWatched: Bool) throws {
    watch(isWatched)
    try insert([Item(isbn: "1", title: "one")])

    #expect(throws: SaveError.self) {
      try insert([Item(isbn: "2", title: "two"), Item(isbn: "1", title: "uno")], "Book", .refuse)
    }

    #expect(try books() == ["1 one 3"])
  }

  @Test(arguments: [false, true])
  func `a constraint of several attributes counts if all have values`(isWatched: Bool) throws {
    watch(isWatched)
    try insert([Item(isbn: "1", title: "one", code: "a"), Item(isbn: "2", title: "two")])

    try insert([Item(isbn: "9", title: "nine", code: "a")])

    #expect(try books() == ["2 two 3", "9 nine 3"])
  }

  @Test(arguments: [false, true])
  func `a row with values of two others, and one of another kind, refuses the batch`(isWatched: Bool) throws {
    watch(isWatched)
    try insert([Item(isbn: "1", title: "one", code: "a"), Item(isbn: "2", title: "two", code: "b")])
    try insert([Item(isbn: "3", title: "three")], "Comic")
    let before = try books()

    #expect(throws: SaveError.self) { try insert([Item(isbn: "4", title: "x"), Item(isbn: "1", code: "b")]) }
    #expect(throws: SaveError.self) { try insert([Item(isbn: "1", title: "x")], "Comic") }

    #expect(try books() == before)
    try insert([Item(isbn: "3", stars: 9)])
    #expect(try books().contains("3 three 9"))
    try fixture.check()
  }

  @Test(arguments: [false, true])
  func `values that cannot be refuse the batch, and what is missing does where the row is new`(
    isWatched: Bool
  ) throws {
    watch(isWatched)
    try insert([Item(isbn: "1", title: "one")])

    #expect(throws: ContextError.self) { try insert([Item(isbn: "1", stars: 1), Item(isbn: "2")]) }
    #expect(throws: ContextError.self) { try insert([Item(isbn: "1", stars: 100_000)]) }
    #expect(throws: ContextError.self) {
      try context.insertRows(entity: "Book", from: [0], onConflict: .update) { row, _ in
        row["isbn"] = .string("1")
        row["title"] = .null
      }
    }

    #expect(try books() == ["1 one 3"])
  }

  @Test(arguments: [false, true])
  func `relationships and long values of a row that is there are replaced`(isWatched: Bool) throws {
    watch(isWatched)
    let shelves = try (0..<2).map { _ in try context.insert(entity: "Shelf") }
    try context.save()
    func write(_ shelf: ManagedObject, _ byte: UInt8) throws {
      try context.insertRows(entity: "Book", from: 0..<2, onConflict: .update) { row, number in
        row["isbn"] = .string("\(number)")
        row["title"] = .string("t")
        row["cover"] = .data([UInt8](repeating: byte, count: 200_000))
        row["shelf"] = .reference(entity: Int32(shelf.entity.index), key: shelf.objectID.key)
      }
    }

    try write(shelves[0], 1)
    try write(shelves[1], 2)

    let books = try fixture.store.newContext().fetch(FetchRequest<ManagedObject>(entity: "Book"))
    #expect(
      books.count == 2 && books.allSatisfy { $0["cover"] == .data([UInt8](repeating: 2, count: 200_000)) })
    #expect(shelves.map { $0.members("books").count } == [0, 2])
    let folder = fixture.folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    try fixture.check()
  }

  @Test func `a large batch of rows half of which are there is one transaction`() throws {
    try insert((0..<2_000).map { Item(isbn: "\($0)", title: "old") })

    let changes = try insert((1_000..<3_000).map { Item(isbn: "\($0)", title: "new") })

    #expect(changes.inserted.count == 1_000 && changes.updated.count == 1_000)
    #expect(try books().filter { $0.contains("new") }.count == 2_000)
    try fixture.check()
  }
}
