import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Sub-entities and whole families go to another family, whose rows have numbers of their own.
@Suite struct MovedFamilyTests {
  private static let syncID = RenamingTests.syncID

  private static let family = [
    EntityDeclaration("Cat", attributes: [syncID, .init("name", .string), .init("lives", .integer64)]),
    EntityDeclaration(
      "Kitten", parent: "Cat", attributes: [.init("age", .integer64), .init("toy", .string)]),
    EntityDeclaration("Dog", attributes: [syncID, .init("breed", .string), .init("bark", .string)]),
  ]

  /// Objects whose identifiers tell when they were made are found beyond the frontier alone.
  @Test func `the frontier of a family stays where it is when an entity leaves it`() throws {
    let one = try VersionedDevice("one", Self.family)
    for id in ["d1", "d2", "d3"] { try one.insert("Dog", id) }
    try one.insert("Kitten", "k", ["age": .integer(1)])
    try one.push()
    var after = Self.family
    after[1].parent = "Dog"

    try one.upgrade(to: after)

    let names = try NameTable(connection: one.replica.connection)
    let cat = try #require(names.entities.first { $0.name == "Cat" })
    #expect(cat.frontier == RowNumber(rawValue: 1))
  }

  @Test func `rows of an entity that leaves a family are said though the family's rows get other numbers`()
    throws
  {
    let one = try VersionedDevice("one", Self.family)
    let two = try VersionedDevice("two", Self.family)
    for id in ["d1", "d2", "d3", "d4"] { try one.insert("Dog", id) }
    for id in ["c1", "c2", "c3"] { try one.insert("Cat", id) }
    try one.insert("Kitten", "k")
    try VersionedDevice.synchronize(one, two)
    var after = Self.family
    after[0].parent = "Dog"
    after[0].properties.removeAll { $0.name == SyncModelKey.syncID }
    after[1].parent = nil
    after[1].properties.insert(.attribute(Self.syncID), at: 0)

    try one.upgrade(to: after)
    // Nobody has chosen its identifier, so the log does not tell of the insertion.
    try one.edit { try $0.insert(entity: "Kitten")["toy"] = .string("ball") }
    try two.receive(from: one)

    #expect(try two.count("Kitten") == 2)
  }

  @Test func `what is not said yet is said though its entity had a parent for a version`() throws {
    let apart = [Self.family[0], Self.family[2]]
    var nested = apart
    nested[1].parent = "Cat"
    nested[1].properties.removeAll { $0.name == SyncModelKey.syncID }
    let one = try VersionedDevice("one", apart)
    let two = try VersionedDevice("two", apart)
    try one.edit { context in
      try context.insert(entity: "Dog")["breed"] = .string("pug")
      try context.insert(entity: "Dog")["breed"] = .string("corgi")
    }
    try one.edit { try $0.insert(entity: "Cat")["name"] = .string("Tom") }
    try one.edit { context in
      let dogs = try context.fetch(FetchRequest<ManagedObject>(entity: "Dog"))
      for dog in dogs {
        if dog["breed"] == .string("pug") { dog["bark"] = .string("woof") } else { context.delete(dog) }
      }
    }

    // The names are those of before.
    var after = apart
    after[1].uniquenessConstraints = [["breed"]]
    try one.upgrade(to: after, by: apart, nested)
    try two.receive(from: one)

    #expect(try two.count("Dog") == 1)
    #expect(try two.count("Cat") == 1)
  }

  @Test func `a link to an object that stays in a family that another entity leaves is said`() throws {
    let owner = EntityDeclaration(
      "Owner", attributes: [Self.syncID],
      relationships: [.init("pets", to: "Cat", inverse: nil, isToMany: true)])
    let one = try VersionedDevice("one", Self.family + [owner])
    let two = try VersionedDevice("two", Self.family + [owner])
    for id in ["d1", "d2", "d3"] { try one.insert("Dog", id) }
    for id in ["c1", "c2", "c3", "c4"] { try one.insert("Cat", id) }
    try one.insert("Owner", "o")
    try VersionedDevice.synchronize(one, two)
    try one.insert("Kitten", "k")
    try one.edit { _ in
      try one.object("Owner", "o")?.setMembers([one.object("Cat", "c1")].compactMap(\.self), "pets")
    }
    var after = Self.family + [owner]
    after[1].parent = "Dog"

    try one.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.members("Owner", "o", "pets") == ["c1"]) }
  }

  @Test func `what was written to a family before it got a parent is said of the same properties`() throws {
    let one = try VersionedDevice("one", Self.family)
    let two = try VersionedDevice("two", Self.family)
    try one.insert("Kitten", "k", ["age": .integer(1), "toy": .string("ball"), "lives": .integer(9)])
    try one.insert("Cat", "c", ["name": .string("Tom"), "lives": .integer(9)])
    try VersionedDevice.synchronize(one, two)
    var after = Self.family
    after[0].parent = "Dog"
    after[0].properties.removeAll { $0.name == SyncModelKey.syncID }
    try one.set("Kitten", "k", "toy", .string("mouse"))
    try one.set("Kitten", "k", "lives", .integer(8))
    try one.set("Cat", "c", "name", .string("Felix"))

    try one.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.text("Kitten", "k", "toy") == "mouse")
      #expect(try device.value("Kitten", "k", "lives") == .integer(8))
      #expect(try device.value("Kitten", "k", "age") == .integer(1))
      #expect(try device.text("Cat", "c", "name") == "Felix")
      #expect(try device.value("Cat", "c", "lives") == .integer(9))
    }
  }

  // MARK: Targets

  private static func owner(isOrdered: Bool = false) -> EntityDeclaration {
    EntityDeclaration(
      "Owner", attributes: [syncID],
      relationships: [
        .init("pets", to: "Cat", inverse: nil, isToMany: true, isOrdered: isOrdered),
        .init("kittens", to: "Kitten", inverse: nil, isToMany: true, isOrdered: isOrdered),
      ])
  }

  private static func models(isOrdered: Bool = false) -> (
    before: [EntityDeclaration], after: [EntityDeclaration]
  ) {
    let before = family + [owner(isOrdered: isOrdered)]
    var after = before
    after[1].parent = "Dog"
    return (before, after)
  }

  /// The kitten's row gets the number that a cat has.
  private func fill(_ device: VersionedDevice) throws {
    for id in ["d1", "d2", "d3"] { try device.insert("Dog", id) }
    try device.insert("Kitten", "k")
    for id in ["c2", "c3", "c4"] { try device.insert("Cat", id) }
    try device.insert("Owner", "o")
  }

  private func objects(_ entity: String, _ ids: [String], on device: VersionedDevice) throws
    -> [ManagedObject]
  {
    try ids.compactMap { try device.object(entity, $0) }
  }

  private func ids(_ name: String, on device: VersionedDevice) throws -> [String] {
    try device.object("Owner", "o")?.members(name).compactMap { member in
      if case .string(let id) = member[SyncModelKey.syncID] { id } else { nil }
    } ?? []
  }

  @Test func `what has left the family of a relationship's targets is not shown as another of its rows`()
    throws
  {
    let (before, after) = Self.models()
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    try fill(one)
    try one.edit { _ in
      try one.object("Owner", "o")?.setMembers(objects("Cat", ["k", "c3"], on: one), "pets")
      try one.object("Owner", "o")?.setMembers(objects("Kitten", ["k"], on: one), "kittens")
    }
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: after)
    try two.set("Kitten", "k", "toy", .string("mouse"))
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.members("Owner", "o", "pets") == ["c3"])
      #expect(try device.members("Owner", "o", "kittens") == ["k"])
    }
  }

  /// What leads to a cat arrives before the kitten is made, and the cat after it.
  @Test func `what has left the family of a list's members has no place there`() throws {
    let (before, after) = Self.models(isOrdered: true)
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    let three = try VersionedDevice("three", before)
    for id in ["d1", "d2", "d3"] { try one.insert("Dog", id) }
    try one.insert("Owner", "o")
    try VersionedDevice.synchronize(one, two, three)
    try two.insert("Cat", "c4")
    try three.receive(from: two)
    try three.edit { _ in
      try three.object("Owner", "o")?.setMembers(objects("Cat", ["c4"], on: three), "pets")
    }
    try one.receive(from: three)
    try one.insert("Kitten", "k")
    for id in ["c2", "c3"] { try one.insert("Cat", id) }
    try one.receive(from: two)
    try one.edit { _ in
      try one.object("Owner", "o")?.setMembers(objects("Cat", ["k", "c2", "c4", "c3"], on: one), "pets")
    }
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: after)
    try two.edit { _ in
      try two.object("Owner", "o")?.setMembers(objects("Cat", ["k", "c2", "c3", "c4"], on: two), "pets")
    }
    try VersionedDevice.synchronize(one, two)
    try two.upgrade(to: after)

    for device in [one, two] { #expect(try ids("pets", on: device) == ["c2", "c3", "c4"]) }
  }

  /// Nobody has chosen the kitten's identifier, so the log does not tell of what entity its row is.
  @Test func `a link to a new object of an entity that leaves its family is said`() throws {
    let (before, after) = Self.models()
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    try fill(one)
    try VersionedDevice.synchronize(one, two)
    try one.edit { context in
      let kitten = try context.insert(entity: "Kitten")
      kitten["toy"] = .string("mouse")
      try one.object("Owner", "o")?.setMembers([kitten], "kittens")
    }

    try one.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      let kitten = try device.object("Owner", "o")?.members("kittens").first
      #expect(kitten?["toy"] == .string("mouse"))
    }
  }

  @Test func `a link to an object that has left the family of its relationship is not said of another row`()
    throws
  {
    let (before, after) = Self.models()
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    try fill(one)
    try VersionedDevice.synchronize(one, two)
    try one.edit { _ in
      try one.object("Owner", "o")?.setMembers(objects("Cat", ["k"], on: one), "pets")
    }

    try one.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    #expect(try one.members("Owner", "o", "pets") == [])
    #expect(try two.members("Owner", "o", "pets") == ["k"])
    try two.upgrade(to: after)
    #expect(try two.members("Owner", "o", "pets") == [])
  }

  @Test func `the order that a moved object gives to others is said`() throws {
    var before = Self.family
    before[1] = EntityDeclaration(
      "Kitten", parent: "Cat", attributes: [.init("age", .integer64), .init("toy", .string)],
      relationships: [.init("fans", to: "Fan", inverse: "idol", isToMany: true, isOrdered: true)])
    before.append(
      EntityDeclaration(
        "Fan", attributes: [Self.syncID],
        relationships: [.init("idol", to: "Kitten", inverse: "fans", isToMany: false)]))
    var after = before
    after[1].parent = "Dog"
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    for id in ["d1", "d2", "d3"] { try one.insert("Dog", id) }
    for id in ["k1", "k2", "k3", "k4", "k5"] { try one.insert("Kitten", id) }
    for id in ["f1", "f2", "f3"] { try one.insert("Fan", id) }
    let fans = try objects("Fan", ["f1", "f2", "f3"], on: one)
    try one.edit { _ in try one.object("Kitten", "k5")?.setMembers(fans, "fans") }
    try VersionedDevice.synchronize(one, two)
    try one.edit { _ in
      try one.object("Kitten", "k5")?.setMembers([fans[2], fans[0], fans[1]], "fans")
    }

    try one.upgrade(to: after)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      let members = try device.object("Kitten", "k5")?.members("fans").map { $0[SyncModelKey.syncID] }
      #expect(members == ["f3", "f1", "f2"].map { .string($0) })
    }
  }

  // MARK: Targets that come later

  /// What leads to an object arrives before the version, the object after it.
  private func checkLateTarget(_ before: [EntityDeclaration], _ after: [EntityDeclaration]) throws {
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    let three = try VersionedDevice("three", before)
    try one.insert("Owner", "o")
    try three.receive(from: one)
    try two.receive(from: one)
    try one.insert("Kitten", "k")
    try two.receive(from: one)
    try two.edit { _ in
      try two.object("Owner", "o")?.setMembers(objects("Kitten", ["k"], on: two), "kittens")
      try two.object("Owner", "o")?.setTarget(two.object("Kitten", "k"), "first")
    }
    try three.receive(from: two)

    try three.upgrade(to: after)
    try three.receive(from: one)

    #expect(try three.members("Owner", "o", "kittens") == ["k"])
    #expect(try three.target("Owner", "o", "first") == "k")
  }

  private static func models(isAbstract: Bool) -> (before: [EntityDeclaration], after: [EntityDeclaration]) {
    let owner = EntityDeclaration(
      "Owner", attributes: [syncID],
      relationships: [
        .init("kittens", to: "Kitten", inverse: nil, isToMany: true),
        .init("first", to: "Kitten", inverse: nil, isToMany: false),
      ])
    var before = family + [owner]
    before[0].isAbstract = isAbstract
    var after = before
    if isAbstract {
      after[0].parent = "Dog"
      after[0].properties.removeAll { $0.name == SyncModelKey.syncID }
    } else {
      after[1].parent = "Dog"
    }
    return (before, after)
  }

  @Test func `what leads to an object waits for it though its entity leaves the family first`() throws {
    let (before, after) = Self.models(isAbstract: false)
    try checkLateTarget(before, after)
  }

  @Test func `what leads to an object waits for it though an abstract family gets a parent first`() throws {
    let (before, after) = Self.models(isAbstract: true)
    try checkLateTarget(before, after)
  }

  @Test func `a relationship to a family of which no entity is left leads nowhere`() throws {
    let owner = EntityDeclaration(
      "Owner", attributes: [Self.syncID],
      relationships: [.init("pet", to: "Cat", inverse: nil, isToMany: false)])
    var before = Self.family + [owner]
    before[0].isAbstract = true
    var after = before
    after[1].parent = "Dog"
    let one = try VersionedDevice("one", before)
    let two = try VersionedDevice("two", before)
    try one.insert("Kitten", "k")
    try one.insert("Owner", "o")
    try one.setTarget("Owner", "o", "pet", one.object("Kitten", "k"))
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: after)
    try two.setTarget("Owner", "o", "pet", nil)
    try two.setTarget("Owner", "o", "pet", two.object("Kitten", "k"))
    try VersionedDevice.synchronize(one, two)

    #expect(try one.target("Owner", "o", "pet") == nil)
    #expect(try one.object("Kitten", "k") != nil)
  }
}
