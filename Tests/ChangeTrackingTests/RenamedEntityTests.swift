import ObjectStore
import Testing

@testable import ChangeTracking

/// Entities get other names, and devices learn of it at different times.
@Suite struct RenamedEntityTests {
  private static let syncID = RenamingTests.syncID

  private static func version(_ name: String, _ former: String? = nil) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        name, attributes: [syncID, .init("title", .string)],
        relationships: [.init("tags", to: "Tag", inverse: "notes", isToMany: true)],
        renamingIdentifier: former),
      EntityDeclaration(
        "Tag", attributes: [syncID],
        relationships: [
          .init("notes", to: name, inverse: "tags", isToMany: true),
          .init("main", to: name, inverse: nil, isToMany: false),
        ]),
    ]
  }

  @Test(arguments: [false, true])
  func `objects show under either name, whichever device has the new version`(isReversed: Bool) throws {
    let (first, second) = isReversed ? ("Memo", "Note") : ("Note", "Memo")
    let one = try VersionedDevice("one", Self.version(first, isReversed ? "Note" : nil))
    let two = try VersionedDevice("two", Self.version(second, isReversed ? nil : "Note"))
    try one.insert(first, "a", ["title": .string("one")])
    try one.insert("Tag", "t")
    try one.edit { _ in
      let note = try one.object(first, "a")
      try one.object("Tag", "t")?.setTarget(note, "main")
      try one.object("Tag", "t")?.setMembers([note].compactMap(\.self), "notes")
    }

    try two.receive(from: one)

    #expect(try two.text(second, "a", "title") == "one")
    #expect(try two.target("Tag", "t", "main") == "a")
    #expect(try two.members("Tag", "t", "notes") == ["a"])
    try two.set(second, "a", "title", .string("two"))
    try two.edit { _ in try two.object("Tag", "t")?.setTarget(nil, "main") }
    try one.receive(from: two)
    #expect(try one.text(first, "a", "title") == "two")
    #expect(try one.target("Tag", "t", "main") == nil)
  }

  @Test func `a device that is brought to the new version goes on with the same objects`() throws {
    let one = try VersionedDevice("one", Self.version("Note"))
    let two = try VersionedDevice("two", Self.version("Note"))
    try one.insert("Note", "a", ["title": .string("one")])
    try VersionedDevice.synchronize(one, two)
    try one.insert("Note", "b", ["title": .string("pending")])

    try one.upgrade(to: Self.version("Memo", "Note"))
    try one.set("Memo", "a", "title", .string("two"))
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.version("Memo", "Note"))
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.count("Memo") == 2)
      #expect(try device.text("Memo", "a", "title") == "two")
      #expect(try device.text("Memo", "b", "title") == "pending")
      #expect(try device.replica.status().isPushed)
    }
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `a device that never had the version in between learns of it`(order: [Int]) throws {
    let others = [
      try VersionedDevice("one", Self.version("Note")),
      try VersionedDevice("two", Self.version("Memo", "Note")),
    ]
    let joined = try VersionedDevice("three", Self.version("Slip", "Memo"))
    try others[0].insert("Note", "a", ["title": .string("one")])
    try others[1].insert("Memo", "b", ["title": .string("two")])

    for index in order { try joined.receive(from: others[index]) }

    #expect(try joined.text("Slip", "a", "title") == "one")
    #expect(try joined.text("Slip", "b", "title") == "two")
    #expect(try joined.count("Slip") == 2)
    try others[1].receive(from: others[0])
    try others[1].set("Memo", "a", "title", .string("three"))
    try joined.receive(from: others[1])
    #expect(try joined.text("Slip", "a", "title") == "three")
  }

  @Test func `two entities exchange their names`() throws {
    func entity(_ name: String, _ former: String? = nil) -> EntityDeclaration {
      EntityDeclaration(
        name, attributes: [Self.syncID, .init("x", .string)], renamingIdentifier: former,
        versionHashModifier: former)
    }
    let before = [entity("A"), entity("B")]
    let after = [entity("A", "B"), entity("B", "A")]
    let old = try VersionedDevice("old", before)
    let upgraded = try VersionedDevice("upgraded", before)
    let new = try VersionedDevice("new", after)
    try old.insert("A", "a", ["x": .string("A")])
    try upgraded.receive(from: old)
    try upgraded.upgrade(to: after)
    try upgraded.insert("A", "b", ["x": .string("B")])

    try old.receive(from: upgraded)
    try new.receive(from: old)
    try new.receive(from: upgraded)

    #expect(try old.text("A", "a", "x") == "A" && old.text("B", "b", "x") == "B")
    for device in [upgraded, new] {
      #expect(try device.text("B", "a", "x") == "A" && device.text("A", "b", "x") == "B")
      #expect(try device.count("A") == 1 && device.count("B") == 1)
    }
  }

  @Test func `objects with a natural key stay one when their entity is renamed`() throws {
    func version(_ name: String, _ former: String? = nil) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          name, attributes: [Self.syncID, .init("name", .string)], renamingIdentifier: former,
          userInfo: [SyncModelKey.naturalKey: "name"])
      ]
    }
    let old = try VersionedDevice("old", version("Tag"))
    let new = try VersionedDevice("new", version("Label", "Tag"))
    try old.edit { try $0.insert(entity: "Tag")["name"] = .string("red") }
    try new.edit { try $0.insert(entity: "Label")["name"] = .string("red") }

    try VersionedDevice.synchronize(old, new)

    #expect(try old.count("Tag") == 1)
    #expect(try new.count("Label") == 1)
  }

  @Test func `what was known under two names becomes one object, also if its properties are numbered anew`()
    throws
  {
    let device = try VersionedDevice("here", Self.version("Note"))
    func title(_ text: String, _ property: ChangeSet.PropertyIndex) -> Change.Action {
      .insert([Register(property: property, content: .value(.string(text)))])
    }
    let name = EntityNames.Property(name: "title", kind: .attribute)
    var friend = ScriptedAuthor(1, entities: EntityNames(name: "Note", root: "Note", properties: [name]))
    // One that never heard of notes, and who has a property that nobody else has.
    var stranger = ScriptedAuthor(
      2,
      entities: EntityNames(
        name: "Memo", root: "Memo", properties: [.init(name: "colour", kind: .attribute), name]))
    let sets = [
      try friend.set(Change("x", at: 1, title("first", 0))),
      try stranger.set(Change("x", at: 2, title("later", 1))),
    ]
    _ = try device.replica.receive(sets, policy: .always(.latest))

    try device.upgrade(to: Self.version("Memo", "Note"))

    #expect(try device.text("Memo", "x", "title") == "later")
    #expect(try device.count("Memo") == 1)
  }
}
