import ObjectStore
import Testing

@testable import ChangeTracking

/// Attributes and relationships get other names, and devices learn of it at different times. What arrives under a former name
/// shows under the present one.
@Suite struct RenamingTests {
  static let syncID = AttributeDescription("ticdsSyncID", .string, isIndexed: true)

  private static func note(_ attributes: AttributeDescription...) -> [EntityDeclaration] {
    [EntityDeclaration("Note", attributes: [syncID] + attributes)]
  }

  private static let titled = note(.init("title", .string))
  private static let headed = note(.init("heading", .string, renamingIdentifier: "title"))
  private static let captioned = note(.init("caption", .string, renamingIdentifier: "heading"))

  @Test func `a device that joins with the new version shows what was sent under the former name`() throws {
    let old = try VersionedDevice("old", Self.titled)
    let new = try VersionedDevice("new", Self.headed)
    try old.insert("Note", "a", ["title": .string("first")])

    let report = try new.receive(from: old)

    #expect(try new.text("Note", "a", "heading") == "first")
    #expect(report.parked.isEmpty)
  }

  @Test func `a device with the former version shows what is sent under the new name`() throws {
    let old = try VersionedDevice("old", Self.titled)
    let new = try VersionedDevice("new", Self.headed)
    try new.insert("Note", "a", ["heading": .string("first")])

    try old.receive(from: new)

    #expect(try old.text("Note", "a", "title") == "first")
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two devices agree, whichever is brought to the new version first`(order: [Int]) throws {
    let devices = [try VersionedDevice("one", Self.titled), try VersionedDevice("two", Self.titled)]
    let (first, second) = (devices[order[0]], devices[order[1]])
    try devices[0].insert("Note", "a", ["title": .string("one")])
    try VersionedDevice.synchronize(first, second)

    try first.upgrade(to: Self.headed)
    try first.set("Note", "a", "heading", .string("two"))
    try VersionedDevice.synchronize(first, second)
    #expect(try second.text("Note", "a", "title") == "two")
    try second.set("Note", "a", "title", .string("three"))
    try VersionedDevice.synchronize(first, second)
    #expect(try first.text("Note", "a", "heading") == "three")
    try second.upgrade(to: Self.headed)
    try VersionedDevice.synchronize(first, second)

    #expect(try first.text("Note", "a", "heading") == "three")
    #expect(try second.text("Note", "a", "heading") == "three")
    #expect(try first.replica.status().isPushed && second.replica.status().isPushed)
  }

  @Test
  func `what was not sent yet when the device was brought to the new version is sent under the new name`()
    throws
  {
    let one = try VersionedDevice("one", Self.titled)
    let two = try VersionedDevice("two", Self.titled)
    try one.insert("Note", "a", ["title": .string("one")])
    try VersionedDevice.synchronize(one, two)
    try one.set("Note", "a", "title", .string("two"))
    try one.insert("Note", "b", ["title": .string("new")])

    try one.upgrade(to: Self.headed)
    try two.receive(from: one)

    #expect(try two.text("Note", "a", "title") == "two")
    #expect(try two.text("Note", "b", "title") == "new")
  }

  @Test func `a later write under the former name wins, an earlier one does not`() throws {
    let old = try VersionedDevice("old", Self.titled)
    let new = try VersionedDevice("new", Self.headed)
    try old.insert("Note", "a", ["title": .string("one")])
    try VersionedDevice.synchronize(old, new)
    old.clock.advance(1_000_000)
    try old.set("Note", "a", "title", .string("late"))
    try new.set("Note", "a", "heading", .string("early"))

    try VersionedDevice.synchronize(old, new)

    #expect(try old.text("Note", "a", "title") == "late")
    #expect(try new.text("Note", "a", "heading") == "late")
  }

  @Test(arguments: [false, true])
  func `a version may be skipped`(isNamed: Bool) throws {
    let one = try VersionedDevice("one", Self.titled)
    let two = try VersionedDevice("two", Self.titled)
    try one.insert("Note", "a", ["title": .string("one")])
    try VersionedDevice.synchronize(one, two)
    if isNamed {
      try one.upgrade(to: Self.captioned, by: Self.titled, Self.headed)
    } else {
      try one.upgrade(to: Self.headed)
      try one.upgrade(to: Self.captioned)
    }
    try one.set("Note", "a", "caption", .string("two"))
    try VersionedDevice.synchronize(one, two)

    #expect(try two.text("Note", "a", "title") == "two")
    try two.set("Note", "a", "title", .string("three"))
    try VersionedDevice.synchronize(one, two)
    #expect(try one.text("Note", "a", "caption") == "three")
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a device that never had the version in between learns of it from one that had`(order: [Int]) throws {
    let others = [try VersionedDevice("one", Self.titled), try VersionedDevice("two", Self.headed)]
    let joined = try VersionedDevice("three", Self.captioned)
    try others[0].insert("Note", "a", ["title": .string("one")])
    try others[1].insert("Note", "b", ["heading": .string("two")])

    for index in order { try joined.receive(from: others[index]) }

    #expect(try joined.text("Note", "a", "caption") == "one")
    #expect(try joined.text("Note", "b", "caption") == "two")
    // What it learned it tells.
    try joined.set("Note", "a", "caption", .string("three"))
    try others[0].receive(from: joined)
    #expect(try others[0].text("Note", "a", "title") == "three")
  }

  @Test
  func `what was kept aside under the former name shows after the device is brought to the new version`()
    throws
  {
    let before = try VersionedDevice("before", Self.note())
    let old = try VersionedDevice("old", Self.titled)
    try old.insert("Note", "a", ["title": .string("one")])
    try before.receive(from: old)

    try before.upgrade(to: Self.headed)

    #expect(try before.text("Note", "a", "heading") == "one")
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func `two attributes exchange their names`(order: [Int]) throws {
    let before = Self.note(.init("a", .string), .init("b", .string))
    let after = Self.note(
      .init("a", .string, renamingIdentifier: "b", versionHashModifier: "exchanged"),
      .init("b", .string, renamingIdentifier: "a", versionHashModifier: "exchanged"))
    let devices = [
      try VersionedDevice("one", before), try VersionedDevice("two", before),
      try VersionedDevice("new", after),
    ]
    try devices[0].insert("Note", "x", ["a": .string("A"), "b": .string("B")])
    try devices[1].receive(from: devices[0])
    try devices[1].upgrade(to: after)
    try devices[1].insert("Note", "y", ["a": .string("A"), "b": .string("B")])
    for _ in 0..<2 {
      for index in order {
        for other in devices where other !== devices[index] { try devices[index].receive(from: other) }
      }
    }

    #expect(try devices[0].text("Note", "x", "a") == "A")
    #expect(try devices[0].text("Note", "y", "a") == "B")
    for device in devices.dropFirst() {
      #expect(try device.text("Note", "x", "a") == "B")
      #expect(try device.text("Note", "x", "b") == "A")
      #expect(try device.text("Note", "y", "a") == "A")
    }
  }

  @Test func `a name that is in use again stands for something new`() throws {
    let after = Self.note(
      .init("heading", .string, renamingIdentifier: "title"), .init("title", .integer64))
    let old = try VersionedDevice("old", Self.titled)
    let upgraded = try VersionedDevice("upgraded", Self.titled)
    let new = try VersionedDevice("new", after)
    try old.insert("Note", "a", ["title": .string("one")])
    try upgraded.receive(from: old)
    try upgraded.upgrade(to: after)
    try new.receive(from: old)
    try upgraded.set("Note", "a", "title", .integer(5))

    try old.receive(from: upgraded)
    try new.receive(from: upgraded)

    #expect(try old.text("Note", "a", "title") == "one")
    #expect(try new.text("Note", "a", "heading") == "one")
    #expect(try new.value("Note", "a", "title") == .integer(5))
  }

  @Test func `a counter goes on counting under its new name`() throws {
    let old = Self.note(.init("votes", .integer64, userInfo: [SyncModelKey.merge: "counter"]))
    let new = Self.note(
      .init("points", .integer64, renamingIdentifier: "votes", userInfo: [SyncModelKey.merge: "counter"]))
    let one = try VersionedDevice("one", old)
    let two = try VersionedDevice("two", new)
    try one.insert("Note", "a", ["votes": .integer(3)])
    try two.receive(from: one)
    try one.set("Note", "a", "votes", .integer(4))
    try two.set("Note", "a", "points", .integer(13))

    try VersionedDevice.synchronize(one, two)

    #expect(try one.value("Note", "a", "votes") == .integer(14))
    #expect(try two.value("Note", "a", "points") == .integer(14))
  }

  @Test func `a device that begins with a snapshot of another version goes on under the new name`() throws {
    let old = try VersionedDevice("old", Self.titled)
    try old.insert("Note", "a", ["title": .string("one")])
    try old.push()
    let new = try VersionedDevice("new", snapshotOf: old, Self.headed)

    try new.set("Note", "a", "heading", .string("two"))
    try old.receive(from: new)

    #expect(try old.text("Note", "a", "title") == "two")
  }

  // MARK: Relationships

  private static func library(
    _ author: RelationshipDescription, _ books: RelationshipDescription
  ) -> [EntityDeclaration] {
    [
      EntityDeclaration("Book", attributes: [syncID], relationships: [author]),
      EntityDeclaration("Person", attributes: [syncID], relationships: [books]),
    ]
  }

  @Test func `a to-one relationship is renamed, and its inverse`() throws {
    let before = Self.library(
      .init("author", to: "Person", inverse: "books", isToMany: false),
      .init("books", to: "Book", inverse: "author", isToMany: true))
    let after = Self.library(
      .init("writer", to: "Person", inverse: "works", isToMany: false, renamingIdentifier: "author"),
      .init("works", to: "Book", inverse: "writer", isToMany: true, renamingIdentifier: "books"))
    let old = try VersionedDevice("old", before)
    let new = try VersionedDevice("new", after)
    try old.insert("Person", "p")
    try old.insert("Book", "b")
    try old.setTarget("Book", "b", "author", old.object("Person", "p"))
    try new.receive(from: old)
    #expect(try new.target("Book", "b", "writer") == "p")
    #expect(try new.members("Person", "p", "works") == ["b"])

    try new.setTarget("Book", "b", "writer", nil)
    try old.receive(from: new)

    #expect(try old.target("Book", "b", "author") == nil)
  }

  @Test(arguments: ["editors", "zeditors"], ["books", "abooks"])
  func `a many-to-many relationship is renamed at either end`(editors: String, books: String) throws {
    func identifier(_ name: String, _ former: String) -> String? { name == former ? nil : former }
    let before = Self.library(
      .init("editors", to: "Person", inverse: "books", isToMany: true),
      .init("books", to: "Book", inverse: "editors", isToMany: true))
    let after = Self.library(
      .init(
        editors, to: "Person", inverse: books, isToMany: true,
        renamingIdentifier: identifier(editors, "editors")),
      .init(
        books, to: "Book", inverse: editors, isToMany: true, renamingIdentifier: identifier(books, "books")))
    let old = try VersionedDevice("old", before)
    let new = try VersionedDevice("new", after)
    try old.insert("Person", "p")
    try old.insert("Person", "q")
    try old.insert("Book", "b")
    try old.edit { _ in
      let people = try ["p", "q"].compactMap { try old.object("Person", $0) }
      try old.object("Book", "b")?.setMembers(people, "editors")
    }
    try new.receive(from: old)
    #expect(try new.members("Book", "b", editors) == ["p", "q"])

    try new.edit { _ in
      try new.object("Book", "b")?.setMembers([try new.object("Person", "q")].compactMap(\.self), editors)
    }
    try old.receive(from: new)

    #expect(try old.members("Book", "b", "editors") == ["q"])
    #expect(try old.members("Person", "q", "books") == ["b"])
  }

  @Test func `a relationship that was cleared under a name that turns out to be a former one shows nothing`()
    throws
  {
    func version(_ name: String, _ former: String?) -> [EntityDeclaration] {
      Self.library(
        .init(name, to: "Person", inverse: nil, isToMany: false, renamingIdentifier: former),
        .init("spouse", to: "Person", inverse: nil, isToMany: false))
    }
    let old = try VersionedDevice("old", version("author", nil))
    let middle = try VersionedDevice("middle", version("writer", "author"))
    let new = try VersionedDevice("new", version("maker", "writer"))
    try middle.insert("Person", "p")
    try middle.insert("Book", "b")
    try middle.setTarget("Book", "b", "writer", middle.object("Person", "p"))
    try old.receive(from: middle)
    old.clock.advance(1_000_000)
    try old.setTarget("Book", "b", "author", nil)
    try new.receive(from: old)

    try new.receive(from: middle)

    #expect(try new.target("Book", "b", "maker") == nil)
  }
}
