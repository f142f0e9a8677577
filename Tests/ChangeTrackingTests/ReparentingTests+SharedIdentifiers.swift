import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Objects with one identifier become one when their entities get one root.
extension ReparentingTests {
  /// Two objects with one identifier, which are one once the one's entity is below the other's.
  private func pair() throws -> VersionedDevice {
    let device = try VersionedDevice("one", Self.apart)
    try device.insert("Cat", "x", ["name": .string("Tom"), "lives": .integer(9)])
    try device.insert("Dog", "x", ["name": .string("Rex")])
    try device.push()
    return device
  }

  @Test func `two objects that become one are one everywhere, with what either had`() throws {
    let one = try pair()
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] {
      #expect(try device.count("Cat") == 1)
      #expect(try device.text("Dog", "x", "name") == "Rex")
      #expect(try device.value("Dog", "x", "lives") == .integer(9))
    }
  }

  @Test func `what was written to the one of two objects before they became one shows everywhere`() throws {
    let one = try pair()
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Cat", "x", "name", .string("Felix"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] { #expect(try device.text("Dog", "x", "name") == "Felix") }
    #expect(try one.count("Cat") == 1)
  }

  @Test(arguments: [1, 1_900_000_000_000] as [UInt64])
  func
    `of two objects that become one, the later insertion decides of what entity it is, though none here had a row`(
      time: UInt64
    ) throws
  {
    let cats = EntityDeclaration(
      "Cat", attributes: [RenamingTests.syncID, .init("name", .string), .init("lives", .integer64)])
    let both = [cats, EntityDeclaration("Dog", parent: "Cat")]
    let one = try VersionedDevice("one", [cats])
    try one.insert("Cat", "x", ["name": .string("Tom"), "lives": .integer(9)])
    let names = EntityNames(name: "Dog", root: "Dog", properties: [.init(name: "name", kind: .attribute)])
    var author = ScriptedAuthor(7, entities: names)
    let name = Register(property: 0, content: .value(.string("Rex")))
    let dog = try author.set(Change("x", at: time, .insert([name])))
    let joined = try VersionedDevice("joined", both)
    for device in [one, joined] { _ = try device.replica.receive([dog], policy: .always(.latest)) }

    try one.upgrade(to: both, by: [cats])
    try VersionedDevice.synchronize(one, joined)

    for device in [one, joined] {
      let isDog = try device.object("Dog", "x") != nil
      #expect(isDog == (time > 1))
      #expect(try device.text("Cat", "x", "name") == (time > 1 ? "Rex" : "Tom"))
      #expect(try device.value("Cat", "x", "lives") == .integer(9))
    }
  }

  @Test func `of two objects that become one, writing to the earlier leaves the entity as it is`() throws {
    let one = try pair()
    try one.insert("Cat", "c")
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Cat", "x", "name", .string("Felix"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try joined.edit { _ in
      try joined.object("Dog", "x")?.setMembers([joined.object("Cat", "c")].compactMap(\.self), "friends")
    }
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.text("Dog", "x", "name") == "Felix")
      #expect(try device.members("Dog", "x", "friends") == ["c"])
    }
  }

  @Test func `of two objects that become one, writing to the earlier does not insert it again`() throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.push()
    let joined = try VersionedDevice("joined", Self.nested)
    try one.set("Dog", "x", "name", .string("Bello"))

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] {
      #expect(try device.count("Dog") == 0)
      #expect(try device.text("Cat", "x", "name") == "Bello")
    }
  }

  @Test func `of two objects that become one, deleting the one erases what was written to the other before`()
    throws
  {
    let one = try VersionedDevice("one", Self.apart)
    let two = try VersionedDevice("two", Self.apart)
    try one.insert("Cat", "x", ["name": .string("Tom"), "lives": .integer(9)])
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.push()
    try one.edit { context in if let dog = try one.object("Dog", "x") { context.delete(dog) } }
    // Lives on as the same cat, of which this says nothing but the name.
    two.clock.advance(60_000)
    try two.insert("Cat", "x", ["name": .string("Tim")])
    try VersionedDevice.synchronize(one, two)
    #expect(try one.value("Cat", "x", "lives") == .integer(9))
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try joined.receive(from: two)
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.text("Cat", "x", "name") == "Tim")
      #expect(try device.value("Cat", "x", "lives") == .null)
    }
  }

  @Test func `of two objects that become one the deletion counts if it was later`() throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try one.push()
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)

    for device in [one, joined] { #expect(try device.count("Cat") == 0) }
  }

  @Test
  func
    `of two objects that become one, deleting the one that shows nothing before others know of it deletes both`()
    throws
  {
    let one = try pair()
    let joined = try VersionedDevice("joined", Self.nested)
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try one.receive(from: joined)

    for device in [one, joined] { #expect(try device.count("Cat") == 0) }
  }

  @Test(arguments: ["Rex", "Zoe"])
  func `of two objects of one save that become one the greater entity and values show`(name: String) throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.edit { context in
      for (entity, name) in [("Cat", "Tom"), ("Dog", name)] {
        let object = try context.insert(entity: entity)
        object[SyncModelKey.syncID] = .string("x")
        object["name"] = .string(name)
      }
    }
    try one.push()
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    try joined.receive(from: one)
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.count("Dog") == 1)
      #expect(try device.text("Dog", "x", "name") == max("Tom", name))
    }
  }

  @Test
  func `what was written to one of two objects after their deletion shows once the object is inserted again`()
    throws
  {
    let one = try pair()
    let two = try VersionedDevice("two", Self.apart)
    try VersionedDevice.synchronize(one, two)
    try two.edit { context in if let cat = try two.object("Cat", "x") { context.delete(cat) } }
    two.clock.advance(60_000)
    // Bears a later time than the deletion, of which it does not know.
    one.clock.advance(30_000)
    try one.set("Dog", "x", "name", .string("Bello"))
    try VersionedDevice.synchronize(one, two)
    let joined = try VersionedDevice("joined", Self.nested)

    try one.upgrade(to: Self.nested)
    for other in [one, two] { try joined.receive(from: other) }
    try one.receive(from: joined)
    for device in [one, joined] { #expect(try device.count("Cat") == 0) }
    try two.insert("Cat", "x", ["lives": .integer(7)])
    for device in [one, joined] { try device.receive(from: two) }

    for device in [one, joined] {
      #expect(try device.text("Cat", "x", "name") == "Bello")
      #expect(try device.value("Cat", "x", "lives") == .integer(7))
    }
  }

  @Test func `a snapshot of the former version can be used where an object becomes one with a deleted one`()
    throws
  {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.push()
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try one.insert("Cat", "c")
    try one.push()

    let copy = try VersionedDevice("copy", snapshotOf: one, Self.nested)

    #expect(try copy.count("Cat") == 1)
  }

  @Test func `a snapshot can be used while a row is there that goes once everything is said`() throws {
    let one = try VersionedDevice("one", Self.apart)
    try one.insert("Dog", "x", ["name": .string("Rex")])
    try one.insert("Cat", "x", ["name": .string("Tom")])
    try one.push()
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try one.push()
    try one.insert("Cat", "c")
    try one.upgrade(to: Self.nested)

    // Others begin with this one, so it is looked through.
    let folder = try TemporaryFolder()
    _ = try one.replica.snapshot(to: folder.file("copy.sqlite"), keepingRemoteNotes: [])
    let copy = try VersionedDevice("copy", snapshotOf: one, Self.nested)
    try copy.push()

    #expect(try copy.count("Cat") == 1)
  }

  // MARK: What is forgotten

  private func forget(_ device: VersionedDevice, known devices: VersionedDevice...) throws
    -> CollectedTombstones
  {
    let positions = try ([device] + devices).map { try $0.replica.position() }
    return try device.replica.collectTombstones(below: Horizon(positions: positions))
  }

  @Test func `a deletion is remembered while an object of another entity has the identifier`() throws {
    let one = try pair()
    let two = try VersionedDevice("two", Self.apart)
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.nested)
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try VersionedDevice.synchronize(one, two)

    #expect(try forget(one, known: two) == CollectedTombstones())
    try one.upgrade(to: Self.nested)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.count("Cat") == 0) }
  }

  @Test func `deletions of all objects that have one identifier are forgotten together`() throws {
    let one = try pair()
    try one.edit { context in
      for (entity, id) in [("Cat", "x"), ("Dog", "x")] {
        if let object = try one.object(entity, id) { context.delete(object) }
      }
    }
    try one.push()

    #expect(try forget(one) == CollectedTombstones(objects: 2))
  }

  @Test
  func
    `the removal of a link is remembered while objects of other entities have the link and the identifiers`()
    throws
  {
    let one = try VersionedDevice("one", Self.apartWithToys)
    let two = try VersionedDevice("two", Self.apartWithToys)
    try one.insert("Toy", "t")
    for entity in ["Cat", "Dog"] {
      try one.insert(entity, "x")
      try one.edit { _ in
        try one.object(entity, "x")?.setMembers([one.object("Toy", "t")].compactMap(\.self), "toys")
      }
    }
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.nestedWithToys)
    try one.edit { _ in try one.object("Dog", "x")?.setMembers([], "toys") }
    try VersionedDevice.synchronize(one, two)

    #expect(try forget(one, known: two) == CollectedTombstones())
    try one.upgrade(to: Self.nestedWithToys)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.members("Cat", "x", "toys") == []) }
  }

  @Test func `the links of two objects that become one are those of both`() throws {
    let one = try VersionedDevice("one", Self.apartWithToys)
    let two = try VersionedDevice("two", Self.apartWithToys)
    for toy in ["kept", "removed"] { try one.insert("Toy", toy) }
    for entity in ["Dog", "Cat"] {
      try one.insert(entity, "x")
      try one.edit { _ in
        try one.object(entity, "x")?.setMembers(
          ["kept", "removed"].compactMap { try one.object("Toy", $0) }, "toys")
      }
    }
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.nestedWithToys)
    // The dog was inserted before the cat, whose row shows the object.
    try one.edit { _ in
      try one.object("Dog", "x")?.setMembers([one.object("Toy", "kept")].compactMap(\.self), "toys")
    }
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: Self.nestedWithToys)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.members("Cat", "x", "toys") == ["kept"]) }
  }

  @Test func `links that were there before either of two objects was deleted go with the deletion`() throws {
    let one = try VersionedDevice("one", Self.apartWithToys)
    let two = try VersionedDevice("two", Self.apartWithToys)
    try one.insert("Toy", "t")
    try one.insert("Dog", "x")
    try one.insert("Cat", "x")
    try one.edit { _ in
      try one.object("Cat", "x")?.setMembers([one.object("Toy", "t")].compactMap(\.self), "toys")
    }
    try one.edit { context in if let dog = try one.object("Dog", "x") { context.delete(dog) } }
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: Self.nestedWithToys)
    // Inserted once more, after the deletion of what is the same object now.
    try two.insert("Cat", "x")
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: Self.nestedWithToys)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.count("Cat") == 1)
      #expect(try device.members("Cat", "x", "toys") == [])
    }
  }

  private static let toys = RelationshipDescription("toys", to: "Toy", inverse: nil, isToMany: true)

  private static let apartWithToys = [
    EntityDeclaration("Toy", attributes: [RenamingTests.syncID]),
    EntityDeclaration("Cat", attributes: [RenamingTests.syncID], relationships: [toys]),
    EntityDeclaration("Dog", attributes: [RenamingTests.syncID], relationships: [toys]),
  ]

  private static let nestedWithToys = [
    apartWithToys[0], apartWithToys[1], EntityDeclaration("Dog", parent: "Cat"),
  ]
}
