import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// What a migration takes over, refuses and leaves to transformations, case by case.
@Suite struct MigrationTests {
  private static func person(_ attributes: AttributeDescription...) -> EntityDeclaration {
    EntityDeclaration("Person", attributes: attributes)
  }

  private static let first = person(
    AttributeDescription("first", .string), AttributeDescription("last", .string),
    AttributeDescription("age", .integer64))

  private func store(_ entities: EntityDeclaration...) throws -> TemporaryStore {
    try TemporaryStore(ManagedObjectModel(entities: entities))
  }

  private func migrate(
    _ fixture: TemporaryStore, to entities: EntityDeclaration..., migration: Migration = .automatic
  ) throws -> PersistentStore {
    try PersistentStore(
      model: ManagedObjectModel(entities: entities), path: fixture.path,
      options: .init(access: .readWrite, migration: migration))
  }

  private func insert(_ fixture: TemporaryStore, _ entity: String, _ values: [String: AttributeValue]) throws
  {
    let context = try fixture.store.newContext()
    let object = try context.insert(entity: entity)
    for (name, value) in values { object[name] = value }
    try context.save()
  }

  // MARK: - Refusals

  @Test func `without being asked for, a store of another version is refused and left alone`() throws {
    let fixture = try store(Self.first)
    let model = try ManagedObjectModel(entities: [Self.person(AttributeDescription("first", .string))])

    let error = #expect(throws: StoreError.self) {
      try PersistentStore(model: model, path: fixture.path, options: .init(access: .readWrite))
    }

    #expect(error?.description.contains("Person: differs from that in the store") == true)
  }

  @Test func `what cannot be inferred is listed, entity by entity, and nothing is changed`() throws {
    let fixture = try store(Self.first, EntityDeclaration("Place", attributes: [.init("name", .string)]))
    try insert(fixture, "Person", ["age": .integer(7)])
    let before = try PlainGraph(fixture.store)

    let error = #expect(throws: StoreError.self) {
      try migrate(
        fixture,
        to: Self.person(
          AttributeDescription("age", .integer16),
          AttributeDescription("shoeSize", .integer16, isOptional: false)),
        EntityDeclaration("Place", relationships: [.toOne("name", to: "Person")]))
    }

    guard case .cannotInfer(let lines)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(
      lines == [
        "Person.age: values of the type integer64 do not all fit into integer16",
        "Person.shoeSize: is new and must have a value, but has no default",
        "Place.name: was an attribute, and is a relationship",
      ])
    #expect(try PlainGraph(fixture.store) == before)
    try fixture.check()
  }

  @Test func `a store of an unknown version is refused`() throws {
    let fixture = try store(Self.first)
    try Connection(path: fixture.path).run("DROP TABLE Z_MODELCACHE")

    let error = #expect(throws: StoreError.self) { try migrate(fixture, to: Self.person()) }

    guard case .unknownVersion? = error?.reason else { return #expect(Bool(false), "\(error as Any)") }
  }

  @Test func `a store of an unknown version is migrated when the version is named`() throws {
    let fixture = try store(Self.first)
    try insert(fixture, "Person", ["first": .string("Ann")])
    try Connection(path: fixture.path).run("DROP TABLE Z_MODELCACHE")

    let store = try migrate(
      fixture, to: Self.person(AttributeDescription("first", .string)),
      migration: Migration(from: fixture.store.model))

    #expect(try PlainGraph(store).objects.values.map(\.values) == [["first": .string("Ann")]])
  }

  @Test func `objects without a value that becomes mandatory are named`() throws {
    let fixture = try store(Self.first)
    try insert(fixture, "Person", ["first": .string("Ann")])
    try insert(fixture, "Person", ["age": .integer(3)])

    let error = #expect(throws: StoreError.self) {
      try migrate(fixture, to: Self.person(AttributeDescription("first", .string, isOptional: false)))
    }

    guard case .migrationRefused(let lines)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(lines == ["x-coredata://\(fixture.store.uuid)/Person/p2: first has no value"])
  }

  @Test func `a mandatory attribute with a default fills the gaps`() throws {
    let fixture = try store(Self.first)
    try insert(fixture, "Person", ["first": .string("Ann")])
    try insert(fixture, "Person", [:])

    let store = try migrate(
      fixture,
      to: Self.person(
        AttributeDescription("first", .string, isOptional: false, defaultValue: .string("nobody"))))

    let graph = try PlainGraph(store)
    #expect(graph.objects[.init(entity: "Person", key: 1)]?.values["first"] == .string("Ann"))
    #expect(graph.objects[.init(entity: "Person", key: 2)]?.values["first"] == .string("nobody"))
  }

  @Test func `objects that violate a new uniqueness constraint are named, their values are not`() throws {
    let fixture = try store(Self.first)
    for name in ["Ann", "Bob", "Ann"] { try insert(fixture, "Person", ["first": .string(name)]) }
    var unique = Self.first
    unique.uniquenessConstraints = [["first"]]

    let error = #expect(throws: StoreError.self) { try migrate(fixture, to: unique) }

    guard case .migrationRefused(let lines)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    let prefix = "x-coredata://\(fixture.store.uuid)/Person"
    #expect(
      lines == [
        "\(prefix)/p1 and \(prefix)/p3: first must be unique, but 2 objects have the same value"
      ])
    #expect(try PlainGraph(fixture.store).objects.count == 3)
  }

  // MARK: - Tables

  @Test func `two tables become one when their entities get a common parent`() throws {
    let cat = EntityDeclaration(
      "Cat", attributes: [.init("name", .string)],
      relationships: [.toOne("friend", to: "Dog", inverse: "friends")])
    let dog = EntityDeclaration(
      "Dog", attributes: [.init("name", .string)],
      relationships: [.toMany("friends", to: "Cat", inverse: "friend")])
    let fixture = try store(cat, dog)
    let context = try fixture.store.newContext()
    for name in ["Tom", "Felix"] {
      let cat = try context.insert(entity: "Cat")
      cat["name"] = .string(name)
      let dog = try context.insert(entity: "Dog")
      dog["name"] = .string("friend of \(name)")
      cat.setTarget(dog, at: try #require(cat.entity.index(of: "friend")))
    }
    try context.save()

    let animal = EntityDeclaration("Animal", isAbstract: true, attributes: [.init("name", .string)])
    var (newCat, newDog) = (cat, dog)
    newCat.parent = "Animal"
    newDog.parent = "Animal"
    newCat.properties.removeFirst()
    newDog.properties.removeFirst()
    let store = try migrate(fixture, to: animal, newCat, newDog)

    let after = try store.newContext()
    let cats = try after.fetch(FetchRequest<ManagedObject>(entity: "Cat"))
    #expect(cats.count == 2)
    for cat in cats {
      guard case .string(let name) = cat["name"] else { return #expect(Bool(false)) }
      let dog = cat.target(at: try #require(cat.entity.index(of: "friend")))
      #expect(dog?["name"] == .string("friend of \(name)"))
    }
    // Keys were handed out twice; the second table's moved behind the first's.
    #expect(cats.map(\.objectID.key).sorted() == [1, 2])
    #expect(
      try after.fetch(FetchRequest<ManagedObject>(entity: "Dog")).map(\.objectID.key).sorted() == [3, 4])
    try fixture.check()
    try fixture.checkLayout(of: store.model)
  }

  @Test func `a relationship to one object becomes one to many`() throws {
    let note = EntityDeclaration("Note", relationships: [.toOne("tag", to: "Tag", inverse: "notes")])
    let tag = EntityDeclaration("Tag", relationships: [.toMany("notes", to: "Note", inverse: "tag")])
    let fixture = try store(note, tag)
    let context = try fixture.store.newContext()
    let old = try context.insert(entity: "Note")
    let index = try #require(old.entity.index(of: "tag"))
    old.setTarget(try context.insert(entity: "Tag"), at: index)
    try context.save()

    let many = RelationshipDescription(
      "tags", to: "Tag", inverse: "notes", isToMany: true, renamingIdentifier: "tag")
    let store = try migrate(
      fixture, to: EntityDeclaration("Note", relationships: [many]),
      EntityDeclaration("Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags")]))

    let graph = try PlainGraph(store)
    #expect(graph.objects[.init(entity: "Note", key: 1)]?.related["tags"] == [.init(entity: "Tag", key: 1)])
    #expect(graph.objects[.init(entity: "Tag", key: 1)]?.related["notes"] == [.init(entity: "Note", key: 1)])
  }

  @Test func `tables of others, metadata of the application and the store's identity stay`() throws {
    let fixture = try store(Self.first)
    let connection = try fixture.store.newConnection()
    try connection.execute(
      script: """
        CREATE TABLE TICDS_LOG (row INTEGER);
        CREATE TRIGGER TICDS_T AFTER INSERT ON TICDS_LOG BEGIN DELETE FROM TICDS_LOG WHERE row < 0; END;
        INSERT INTO TICDS_LOG VALUES (5);
        """)

    let store = try migrate(fixture, to: Self.person())

    #expect(store.uuid == fixture.store.uuid)
    let after = try store.newConnection()
    #expect(try after.first("SELECT row FROM TICDS_LOG") == .integer(5))
    #expect(try after.first("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == .integer(1))
    #expect(try after.first("SELECT count(*) FROM sqlite_master WHERE name LIKE 'TICDS_OLD%'") == .integer(0))
  }

  @Test func `a new object gets a key that no object ever had`() throws {
    let fixture = try store(Self.first)
    for _ in 0..<3 { try insert(fixture, "Person", [:]) }
    let context = try fixture.store.newContext()
    for person in try context.fetch(FetchRequest<ManagedObject>(entity: "Person")) { context.delete(person) }
    try context.save()

    let after = try migrate(fixture, to: EntityDeclaration("Aardvark"), Self.person()).newContext()
    let person = try after.insert(entity: "Person")
    try after.save()

    #expect(person.objectID.key == 4)
  }

  // MARK: - Transformations

  @Test func `a transformation sees old values and sets new ones`() throws {
    let fixture = try store(Self.first)
    try insert(fixture, "Person", ["first": .string("Ann"), "last": .string("Lee"), "age": .integer(70_000)])
    let migration = Migration.automatic.transforming("Person") { person in
      guard case .string(let first) = person.old["first"], case .string(let last) = person.old["last"],
        case .integer(let age) = person.old["age"]
      else { return }
      person["name"] = .string("\(first) \(last)")
      person["age"] = .integer(min(age, 150))
    }

    let store = try migrate(
      fixture,
      to: Self.person(
        AttributeDescription("name", .string, isOptional: false), AttributeDescription("age", .integer16)),
      migration: migration)

    #expect(
      try PlainGraph(store).objects.values.map(\.values) == [
        ["name": .string("Ann Lee"), "age": .integer(150)]
      ])
  }

  @Test func `a transformation makes objects of a new entity and removes others`() throws {
    let fixture = try store(
      EntityDeclaration("Person", attributes: [.init("name", .string), .init("street", .string)]))
    try insert(fixture, "Person", ["name": .string("Ann"), "street": .string("Elm Street")])
    try insert(fixture, "Person", [:])
    let migration = Migration.automatic.transforming("Person") { person in
      if person.old["name"].isNull { return person.delete() }
      person["home"] = try person.insert(entity: "Address", ["street": person.old["street"]])
    }

    let store = try migrate(
      fixture,
      to: EntityDeclaration("Address", attributes: [.init("street", .string)]),
      EntityDeclaration(
        "Person", attributes: [.init("name", .string)], relationships: [.toOne("home", to: "Address")]),
      migration: migration)

    let graph = try PlainGraph(store)
    #expect(graph.objects.count == 2)
    #expect(
      graph.objects[.init(entity: "Person", key: 1)]?.related["home"] == [.init(entity: "Address", key: 1)])
    #expect(graph.objects[.init(entity: "Address", key: 1)]?.values["street"] == .string("Elm Street"))
    try fixture.check()
  }

  @Test func `a store goes through all versions that follow its own`() throws {
    let fixture = try store(Self.person(.init("name", .string)))
    try insert(fixture, "Person", ["name": .string("Ann Lee")])
    let middle = try ManagedObjectModel(entities: [Self.person(.init("names", .string))])
    let migration = Migration(from: fixture.store.model, middle)
      .transforming("Person", from: fixture.store.model) { $0["names"] = $0.old["name"] }
      .transforming("Person", from: middle) { person in
        if case .string(let names) = person.old["names"] { person["length"] = .integer(Int64(names.count)) }
      }

    let store = try migrate(fixture, to: Self.person(.init("length", .integer64)), migration: migration)

    #expect(try PlainGraph(store).objects.values.map(\.values) == [["length": .integer(7)]])
  }

  @Test func `a transformation that throws leaves the store as it was`() throws {
    struct Refused: Error {}
    let fixture = try store(Self.first)
    for _ in 0..<5 { try insert(fixture, "Person", ["first": .string("Ann")]) }
    let before = try PlainGraph(fixture.store)

    let error = #expect(throws: StoreError.self) {
      try migrate(
        fixture, to: Self.person(),
        migration: .automatic.transforming("Person") { if $0.key == 3 { throw Refused() } })
    }

    guard case .migrationFailed(let cause)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(cause is Refused)
    #expect(try PlainGraph(fixture.store) == before)
  }

  // MARK: - Participants

  private final class Listener: MigrationParticipant {
    func storeWillMigrate(_ mapping: ModelMapping, on connection: Connection) throws {
      for entity in mapping.entities {
        try connection.run(
          "INSERT INTO TICDS_NOTES VALUES (?)", .text("\(entity.source.name) \(entity.target.name)"))
      }
    }
  }

  @Test func `a participant writes with the migration what it changes`() throws {
    let fixture = try store(Self.first)
    try fixture.store.newConnection().run("CREATE TABLE TICDS_NOTES (note)")
    var renamed = Self.first
    renamed.name = "Human"
    renamed.renamingIdentifier = "Person"

    let store = try migrate(fixture, to: renamed, migration: .automatic.adding(Listener()))

    #expect(try store.newConnection().first("SELECT note FROM TICDS_NOTES") == .text("Person Human"))
  }

  @Test func `a name that becomes free may be taken by another attribute at once`() throws {
    let fixture = try store(Self.person(.init("a", .string)))
    try insert(fixture, "Person", ["a": .string("x")])

    let store = try migrate(
      fixture, to: Self.person(.init("a", .string), .init("b", .string, renamingIdentifier: "a")))

    #expect(try PlainGraph(store).objects.values.map(\.values) == [["a": .null, "b": .string("x")]])
  }

  // MARK: - Types

  @Test func `no identifier becomes no text, and an identifier its digits`() throws {
    let fixture = try store(Self.person(.init("name", .string), .init("code", .uuid)))
    let code = UUID()
    try insert(fixture, "Person", ["name": .string("with"), "code": .uuid(code)])
    try insert(fixture, "Person", ["name": .string("without")])

    let store = try migrate(fixture, to: Self.person(.init("name", .string), .init("code", .string)))

    let context = try store.newContext()
    let codes = try context.fetch(FetchRequest<ManagedObject>(entity: "Person")).map {
      ($0["name"], $0["code"])
    }
    #expect(codes.first { $0.0 == .string("with") }?.1 == .string(code.uuidString))
    #expect(codes.first { $0.0 == .string("without") }?.1 == .null)
  }
}
