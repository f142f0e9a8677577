import ObjectStore
import Testing

@testable import ChangeTracking

/// Objects of two families with one identifier, which are one once a version of the model puts both below one root.
@Suite struct NamesakeTests {
  private static func model(
    isNested: Bool, _ relationship: (_ family: String) -> RelationshipDescription,
    besides: [EntityDeclaration] = []
  ) -> [EntityDeclaration] {
    let cat = EntityDeclaration(
      "Cat", attributes: [RenamingTests.syncID], relationships: [relationship("Cat")])
    let dog =
      isNested
      ? EntityDeclaration("Dog", parent: "Cat")
      : EntityDeclaration("Dog", attributes: [RenamingTests.syncID], relationships: [relationship("Dog")])
    return [cat, dog] + besides
  }

  /// The deletion of the cat erases what was written to the dog, as soon as they are one.
  @Test func `a deletion is remembered while something is kept of a deleted object with the identifier`()
    throws
  {
    let one = try VersionedDevice("one", ReparentingTests.apart)
    let two = try VersionedDevice("two", ReparentingTests.apart)
    for entity in ["Cat", "Dog"] { try one.insert(entity, "x") }
    try VersionedDevice.synchronize(one, two)
    try one.edit { context in if let dog = try one.object("Dog", "x") { context.delete(dog) } }
    two.clock.advance(30_000)
    try two.set("Dog", "x", "name", .string("Rex"))
    one.clock.advance(60_000)
    try one.edit { context in if let cat = try one.object("Cat", "x") { context.delete(cat) } }
    try VersionedDevice.synchronize(one, two)

    let positions = try [one, two].map { try $0.replica.position() }
    try one.replica.collectTombstones(below: Horizon(positions: positions))
    for device in [one, two] { try device.upgrade(to: ReparentingTests.nested) }
    two.clock.advance(120_000)
    try two.insert("Cat", "x")
    try one.receive(from: two)

    for device in [one, two] { #expect(try device.value("Cat", "x", "name") == .null) }
  }

  @Test func `links lead to the object that two have become`() throws {
    func model(isNested: Bool) -> [EntityDeclaration] {
      Self.model(
        isNested: isNested, { _ in .toOne("vet", to: "Vet") },
        besides: [
          EntityDeclaration(
            "Vet", attributes: [RenamingTests.syncID], relationships: [.toMany("dogs", to: "Dog")])
        ])
    }
    let (one, two) = (
      try VersionedDevice("one", model(isNested: false)), try VersionedDevice("two", model(isNested: false))
    )
    try one.insert("Cat", "x")
    try one.insert("Dog", "x")
    try one.insert("Vet", "v")
    try one.edit { _ in
      try one.object("Vet", "v")?.setMembers([try #require(try one.object("Dog", "x"))], "dogs")
    }
    try VersionedDevice.synchronize(one, two)

    try one.upgrade(to: model(isNested: true))
    try one.push()
    try #require(try one.members("Vet", "v", "dogs") == ["x"])
    two.clock.advance(60_000)
    try two.edit { _ in try two.object("Vet", "v")?.setMembers([], "dogs") }
    try VersionedDevice.synchronize(one, two)

    #expect(try one.members("Vet", "v", "dogs") == [])
  }

  /// Copies of one store may say something else at one time.
  @Test(arguments: [(1, 3), (3, 1)])
  func `of two places with one time that become one the greater remains`(ofCat: UInt8, ofDog: UInt8) throws {
    func model(isNested: Bool) -> [EntityDeclaration] {
      Self.model(
        isNested: isNested, { _ in .toMany("toys", to: "Toy", isOrdered: true) },
        besides: [EntityDeclaration("Toy", attributes: [RenamingTests.syncID])])
    }
    let toys = EntityNames.Property(name: "toys", kind: .toMany(destination: "Toy"))
    var author = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Cat", root: "Cat", properties: [toys]),
      EntityNames(name: "Dog", root: "Dog", properties: [toys]),
      EntityNames(name: "Toy", root: "Toy", properties: []))
    func change(_ entity: ChangeSet.EntityIndex, _ object: SyncID, at time: UInt64, _ action: Change.Action)
      -> Change
    {
      Change(entity: entity, object: object, time: LogicalTime(milliseconds: time), action: action)
    }
    func place(_ entity: ChangeSet.EntityIndex, _ toy: SyncID, _ key: UInt8) -> Change {
      change(entity, "x", at: 30, .place(property: 0, target: toy, isInverse: false, bytes: [key]))
    }
    let device = try VersionedDevice("device", model(isNested: false))
    let made = ["ball", "mouse"].flatMap { toy in
      [change(2, toy, at: 10, .insert([])), change(0, "x", at: 20, .link(property: 0, target: toy))]
    }
    let set = try author.set(
      made + [
        change(1, "x", at: 11, .insert([])), change(0, "x", at: 12, .insert([])), place(0, "mouse", 2),
        place(0, "ball", ofCat), place(1, "ball", ofDog),
      ])
    _ = try device.replica.receive([set], policy: .always(.latest))

    try device.upgrade(to: model(isNested: true))
    try device.replica.freeze()

    let shown = try device.object("Cat", "x")?.members("toys").map { $0[SyncModelKey.syncID] }
    #expect(shown == [.string("mouse"), .string("ball")])
  }

  @Test(arguments: ["mate", nil])
  func `an object that was deleted as one with another and comes back does not lead to itself any more`(
    inverse: String?
  ) throws {
    func model(isNested: Bool) -> [EntityDeclaration] {
      Self.model(isNested: isNested, { .toOne("mate", to: $0, inverse: inverse) })
    }
    let one = try VersionedDevice("one", model(isNested: false))
    let joined = try VersionedDevice("joined", model(isNested: true))
    try one.insert("Cat", "x")
    try one.setTarget("Cat", "x", "mate", one.object("Cat", "x"))
    try one.insert("Dog", "x")
    try one.edit { context in if let dog = try one.object("Dog", "x") { context.delete(dog) } }
    try one.push()
    try one.upgrade(to: model(isNested: true))
    try joined.receive(from: one)
    try #require(try one.count("Cat") == 0)

    try joined.insert("Cat", "x")
    try one.receive(from: joined)

    for device in [one, joined] {
      #expect(try device.count("Cat") == 1)
      #expect(try device.target("Cat", "x", "mate") == nil)
    }
  }
}
