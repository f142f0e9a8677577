import ObjectStore
import Testing

@Suite struct OwnInverseTests {
  final class Person: ManagedObject {
    @Attribute var name: String = ""
    @ToOne(isOwnInverse: true) var spouse: Person?
    @ToMany(isOwnInverse: true) var friends: Set<Person>
    @ToOne var idol: Person?
    @ToMany var read: [Book]
  }

  final class Book: ManagedObject {
    @Attribute var name: String = ""
  }

  final class Wrong: ManagedObject {
    @ToMany(isOwnInverse: true) var books: Set<Book>
    @ToMany(isOwnInverse: true) var others: [Wrong]
  }

  private func people(_ context: ManagedObjectContext) throws -> [Person] {
    try ["a", "b", "c"].map { name in try context.insert(Person.self) { $0.name = name } }
  }

  @Test func `a relationship can be declared as its own inverse, or without one`() throws {
    let model = try ManagedObjectModel(Person.self, Book.self)
    let entity = try #require(model.entity(for: Person.self))
    #expect(entity.property(named: "spouse")?.asRelationship?.isOwnInverse == true)
    #expect(entity.property(named: "friends")?.asRelationship?.inverse == "friends")
    #expect(entity.property(named: "idol")?.asRelationship?.inverse == nil)
    #expect(entity.property(named: "read")?.asRelationship?.inverse == nil)
  }

  @Test func `one that leads elsewhere, or has an order, is named`() throws {
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(Wrong.self, Book.self) }
    #expect(error?.problems.map { $0.property ?? "" } == ["books", "others"])
  }

  @Test func `who has a spouse is one, in memory and in the store`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Person.self, Book.self))
    let context = try fixture.store.newContext()
    let people = try people(context)
    people[0].spouse = people[1]
    #expect(people[1].spouse === people[0])
    people[2].spouse = people[0]
    #expect(people[1].spouse == nil && people[0].spouse === people[2])
    try context.save()

    let other = try fixture.store.newContext()
    let found = try other.fetch(FetchRequest<Person>().sorted(by: \.name))
    #expect(found.map { $0.spouse?.name } == ["c", nil, "a"])
    other.delete(found[0])
    #expect(found[2].spouse == nil)
    try other.save()
    try fixture.check()
  }

  @Test func `who has a friend is one, in memory and in the store`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Person.self, Book.self))
    let context = try fixture.store.newContext()
    let people = try people(context)
    people[0].friends = Set(people)
    #expect(people[1].friends == [people[0]])
    people[1].$friends.insert(people[2])
    people[0].$friends.remove(people[2])
    try context.save()

    let other = try fixture.store.newContext()
    let found = try other.fetch(FetchRequest<Person>().sorted(by: \.name))
    #expect(found.map { $0.friends.map(\.name).sorted() } == [["a", "b"], ["a", "c"], ["b"]])
    other.delete(found[1])
    try other.save()
    #expect(found[0].friends == [found[0]] && found[2].friends.isEmpty)
    try fixture.check()
  }

  @Test func `a relationship without inverse goes one way, and forgets what is deleted`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Person.self, Book.self))
    let context = try fixture.store.newContext()
    let people = try people(context)
    let books = try ["x", "y"].map { name in try context.insert(Book.self) { $0.name = name } }
    people[0].idol = people[1]
    people[0].read = [books[1], books[0]]
    people[2].read = [books[0]]
    try context.save()

    let other = try fixture.store.newContext()
    let found = try other.fetch(FetchRequest<Person>().sorted(by: \.name))
    #expect(found[0].idol === found[1] && found[1].idol == nil)
    #expect(found[0].read.map(\.name) == ["y", "x"])
    other.delete(found[1])
    other.delete(found[0].read[1])
    #expect(found[0].idol == nil && found[0].read.map(\.name) == ["y"] && found[2].read.isEmpty)
    try other.save()
    try fixture.check()
  }
}
