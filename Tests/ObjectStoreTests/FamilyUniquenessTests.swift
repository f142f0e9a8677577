import Foundation
import ObjectStore
import Testing

/// Uniqueness constraints that one entity declares on what it inherits: they hold for its whole table.
@Suite struct FamilyUniquenessTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration("Item", attributes: [.init("code", .string), .init("title", .string)]),
        EntityDeclaration("Book", parent: "Item", attributes: [], uniquenessConstraints: [["code"]]),
        EntityDeclaration("Film", parent: "Item", attributes: [.init("length", .integer16)]),
        EntityDeclaration("Short", parent: "Film", attributes: []),
      ]))
    context = try fixture.store.newContext()
  }

  @discardableResult private func insert(_ entity: String, _ code: String) throws -> ManagedObject {
    let object = try context.insert(entity: entity)
    object["code"] = .string(code)
    return object
  }

  private func codes() throws -> [String] {
    try fixture.store.newContext().fetch(FetchRequest<ManagedObject>(entity: "Item")).map {
      "\($0.entity.name) \($0["code"])"
    }.sorted()
  }

  @Test(arguments: ["Item", "Film", "Short"])
  func `a value that another entity of the family must have alone is refused, and both are named`(
    entity: String
  ) throws {
    let book = try insert("Book", "a")
    try context.save()
    let other = try insert(entity, "a")

    let error = #expect(throws: SaveError.self) { try context.save() }

    let lines = error?.problems.map(\.description)
    #expect(lines == ["\(other.objectID): code must be unique, but \(book.objectID) has the same"])
    other["code"] = .string("b")
    try context.save()
    #expect(try codes().count == 2)
  }

  @Test func `a changed object of another entity takes its value back if the store wins`() throws {
    try insert("Book", "a")
    let film = try insert("Film", "b")
    try context.save()
    context.mergePolicy = .storeWins

    film["code"] = .string("a")
    film["title"] = .string("new")
    try context.save()

    #expect(film["code"] == .string("b"))
    #expect(film["title"] == .string("new"))
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins])
  func `no policy makes one object of two kinds that are none of each other`(policy: MergePolicy) throws {
    try insert("Book", "a")
    try context.save()
    context.mergePolicy = policy
    let film = try insert("Film", "a")

    #expect(throws: SaveError.self) { try context.save() }

    #expect(film.isInserted)
    #expect(try codes().count == 1)
  }

  @Test func `a new object that has no say is dropped, whatever its kind`() throws {
    try insert("Book", "a")
    try context.save()
    context.mergePolicy = .rollback

    let film = try insert("Film", "a")
    try context.save()

    #expect(film.isGone)
    #expect(try codes().count == 1)
  }

  @Test func `a batch of one entity is refused for a value that another must have alone`() throws {
    try insert("Book", "a")
    try context.save()

    let error = #expect(throws: SaveError.self) {
      try context.insertRows(entity: "Film", from: ["b", "a"], onConflict: .update) { row, code in
        row["code"] = .string(code)
      }
    }

    #expect(
      error?.problems.map(\.description) == ["A new Film has values of a Book that must be unique."])
    #expect(try codes().count == 1)
  }
}
