import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Entities get another parent, and devices learn of it at different times.
@Suite struct ReparentingTests {
  private static let syncID = RenamingTests.syncID

  static let apart = [
    EntityDeclaration(
      "Cat", attributes: [syncID, .init("name", .string), .init("lives", .integer64)],
      relationships: [.init("friend", to: "Dog", inverse: nil, isToMany: false)]),
    EntityDeclaration(
      "Dog", attributes: [syncID, .init("name", .string)],
      relationships: [.init("friends", to: "Cat", inverse: nil, isToMany: true)]),
  ]

  private static func child(_ name: String, of parent: String, _ rest: EntityDeclaration) -> EntityDeclaration
  {
    var entity = rest
    entity.parent = parent
    entity.properties.removeAll { ["ticdsSyncID", "name"].contains($0.name) }
    return entity
  }

  /// Both below a new entity.
  private static let below = [
    EntityDeclaration("Animal", isAbstract: true, attributes: [syncID, .init("name", .string)]),
    child("Cat", of: "Animal", apart[0]), child("Dog", of: "Animal", apart[1]),
  ]
  /// One below the other.
  static let nested = [apart[0], child("Dog", of: "Cat", apart[1])]

  static let versions = [below, nested]

  private func fill(_ device: VersionedDevice, _ suffix: String) throws {
    try device.insert("Cat", "c" + suffix, ["name": .string("Tom"), "lives": .integer(9)])
    try device.insert("Dog", "d" + suffix, ["name": .string("Rex")])
    try device.edit { _ in
      let (cat, dog) = (try device.object("Cat", "c" + suffix), try device.object("Dog", "d" + suffix))
      cat?.setTarget(dog, "friend")
      dog?.setMembers([cat].compactMap(\.self), "friends")
    }
  }

  private func check(_ device: VersionedDevice, _ suffix: String) throws {
    #expect(try device.text("Cat", "c" + suffix, "name") == "Tom")
    #expect(try device.value("Cat", "c" + suffix, "lives") == .integer(9))
    #expect(try device.text("Dog", "d" + suffix, "name") == "Rex")
    #expect(try device.target("Cat", "c" + suffix, "friend") == "d" + suffix)
    #expect(try device.members("Dog", "d" + suffix, "friends") == ["c" + suffix])
  }

  @Test(arguments: 0..<2, [false, true])
  func `objects travel between a device with the former parents and one with the new`(
    version: Int, isReversed: Bool
  ) throws {
    let one = try VersionedDevice("one", isReversed ? Self.versions[version] : Self.apart)
    let two = try VersionedDevice("two", isReversed ? Self.apart : Self.versions[version])
    try fill(one, "1")

    try two.receive(from: one)
    try check(two, "1")
    try two.set("Dog", "d1", "name", .string("Bello"))
    try one.receive(from: two)

    #expect(try one.text("Dog", "d1", "name") == "Bello")
  }

  @Test(arguments: 0..<2)
  func `a device goes on after it is brought to the new version`(version: Int) throws {
    let one = try VersionedDevice("one", Self.apart)
    let two = try VersionedDevice("two", Self.apart)
    try fill(one, "1")
    try fill(two, "2")
    try VersionedDevice.synchronize(one, two)
    try fill(one, "3")
    try one.set("Dog", "d1", "name", .string("Bello"))
    try one.edit { _ in try one.object("Dog", "d2")?.setMembers([], "friends") }

    try one.upgrade(to: Self.versions[version])
    try one.set("Dog", "d2", "name", .string("Fido"))
    try fill(one, "4")
    try VersionedDevice.synchronize(one, two)

    try check(two, "3")
    try check(two, "4")
    #expect(try two.text("Dog", "d1", "name") == "Bello")
    #expect(try two.text("Dog", "d2", "name") == "Fido")
    #expect(try two.members("Dog", "d2", "friends") == [])
    #expect(try one.replica.status().isPushed)
    try two.set("Cat", "c1", "name", .string("Felix"))
    try two.edit { context in if let dog = try two.object("Dog", "d4") { context.delete(dog) } }
    try two.upgrade(to: Self.versions[version])
    try VersionedDevice.synchronize(one, two)
    for device in [one, two] {
      #expect(try device.text("Cat", "c1", "name") == "Felix")
      #expect(try device.object("Dog", "d4") == nil)
      #expect(try device.text("Dog", "d2", "name") == "Fido")
      try check(device, "3")
    }
  }

  @Test(arguments: 0..<2)
  func `what is deleted after the new version is gone everywhere`(version: Int) throws {
    let one = try VersionedDevice("one", Self.apart)
    let two = try VersionedDevice("two", Self.apart)
    try fill(one, "1")
    try VersionedDevice.synchronize(one, two)
    try one.upgrade(to: Self.versions[version])
    try one.edit { context in if let dog = try one.object("Dog", "d1") { context.delete(dog) } }

    try two.receive(from: one)

    #expect(try two.object("Dog", "d1") == nil)
    #expect(try two.target("Cat", "c1", "friend") == nil)
  }

  @Test func `an entity leaves its parent`() throws {
    let one = try VersionedDevice("one", Self.below)
    let two = try VersionedDevice("two", Self.below)
    try fill(one, "1")
    try VersionedDevice.synchronize(one, two)
    try fill(one, "2")

    try one.upgrade(to: Self.apart)
    try fill(one, "3")
    try VersionedDevice.synchronize(one, two)

    for suffix in ["1", "2", "3"] { try check(two, suffix) }
    try two.upgrade(to: Self.apart)
    try fill(two, "4")
    try VersionedDevice.synchronize(one, two)
    for suffix in ["1", "2", "3", "4"] {
      try check(one, suffix)
      try check(two, suffix)
    }
  }

  @Test func `what an abstract parent's family has not sent yet is sent after another entity joined it`()
    throws
  {
    var before = Self.below
    before[2] = Self.apart[1]
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    try one.insert("Dog", "d", ["name": .string("Rex")])
    try one.push()
    // Nobody has chosen the identifier, so the log does not tell of the insertion.
    try one.edit { try $0.insert(entity: "Cat")["name"] = .string("Tom") }

    try one.upgrade(to: Self.below)
    try two.receive(from: one)

    #expect(try two.count("Cat") == 1)
    #expect(try two.text("Dog", "d", "name") == "Rex")
  }

  @Test func `an entity is renamed, moved and its property renamed in one step`() throws {
    let after = [
      EntityDeclaration(
        "Animal", attributes: [Self.syncID, .init("label", .string, renamingIdentifier: "name")]),
      Self.child("Cat", of: "Animal", Self.apart[0]),
      {
        var dog = Self.child("Dog", of: "Animal", Self.apart[1])
        dog.name = "Hound"
        dog.renamingIdentifier = "Dog"
        return dog
      }(),
    ].map { entity in
      var entity = entity
      entity.properties = entity.properties.map { property in
        guard var relationship = property.asRelationship, relationship.destination == "Dog" else {
          return property
        }
        relationship.destination = "Hound"
        return .relationship(relationship)
      }
      return entity
    }
    let one = try VersionedDevice("one", Self.apart)
    let two = try VersionedDevice("two", Self.apart)
    try fill(one, "1")
    try VersionedDevice.synchronize(one, two)
    try one.upgrade(to: after)
    try one.set("Hound", "d1", "label", .string("Bello"))
    let joined = try VersionedDevice("joined", after)

    try two.receive(from: one)
    try joined.receive(from: one)

    #expect(try two.text("Dog", "d1", "name") == "Bello")
    #expect(try joined.text("Hound", "d1", "label") == "Bello")
    #expect(try joined.target("Cat", "c1", "friend") == "d1")
  }
}
