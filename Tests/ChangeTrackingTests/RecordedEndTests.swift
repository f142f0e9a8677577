import ObjectStore
import Testing

@testable import ChangeTracking

/// Which end of a relationship is recorded, in later versions of a model.
@Suite struct RecordedEndTests {
  private static func model(
    _ end: String, formerly: String? = nil, isToMany: Bool = true, isInverseToMany: Bool = true
  ) -> [EntityDeclaration] {
    func declared(_ name: String, to entity: String, inverse: String, isToMany: Bool, formerly: String? = nil)
      -> RelationshipDescription
    {
      var relationship =
        isToMany
        ? RelationshipDescription.toMany(name, to: entity, inverse: inverse)
        : RelationshipDescription.toOne(name, to: entity, inverse: inverse)
      relationship.renamingIdentifier = formerly
      return relationship
    }
    return [
      EntityDeclaration(
        "Person", attributes: [RenamingTests.syncID],
        relationships: [declared(end, to: "Group", inverse: "m", isToMany: isToMany, formerly: formerly)]),
      EntityDeclaration(
        "Group", attributes: [RenamingTests.syncID],
        relationships: [declared("m", to: "Person", inverse: end, isToMany: isInverseToMany)]),
    ]
  }

  @Test(arguments: [true, false])
  func `a version that would record a relationship at its other end is refused, and says what to do`(
    isToMany: Bool
  ) throws {
    let device = try VersionedDevice(
      "one", Self.model("a", isToMany: isToMany, isInverseToMany: isToMany))
    let second = Self.model("y", formerly: "a", isToMany: isToMany, isInverseToMany: isToMany)
    try device.upgrade(to: second, by: Self.model("a", isToMany: isToMany, isInverseToMany: isToMany))

    let error = #expect(throws: ReplicaError.self) {
      try device.upgrade(
        to: Self.model("z", formerly: "y", isToMany: isToMany, isInverseToMany: isToMany), by: second)
    }

    #expect(error?.code == .unsuitableModel)
    #expect(error?.subject == "Person.z")
  }

  @Test func `a relationship that keeps its first name as renaming identifier is recorded where it was`()
    throws
  {
    let one = try VersionedDevice("one", Self.model("a"))
    let two = try VersionedDevice("two", Self.model("a"))
    try one.insert("Person", "p")
    try one.insert("Group", "g")
    try one.upgrade(to: Self.model("y", formerly: "a"), by: Self.model("a"))
    try one.upgrade(to: Self.model("z", formerly: "a"), by: Self.model("y", formerly: "a"))
    try VersionedDevice.synchronize(one, two)

    try two.edit { _ in
      let person = try #require(try two.object("Person", "p"))
      let index = try #require(person.entity.index(of: "a"))
      person.insertMember(try #require(try two.object("Group", "g")), at: index, position: nil)
    }
    try VersionedDevice.synchronize(one, two)

    let person = try #require(try one.object("Person", "p"))
    let index = try #require(person.entity.index(of: "z"))
    #expect(person.members(at: index).map { $0[SyncModelKey.syncID] } == [.string("g")])
  }

  @Test func `a list without inverse that becomes the inverse of a reference is refused`() throws {
    var former = Self.model("a", isInverseToMany: true)
    former[0].properties.removeAll { $0.name == "a" }
    former[1] = EntityDeclaration(
      "Group", attributes: [RenamingTests.syncID], relationships: [.toMany("m", to: "Person")])
    let device = try VersionedDevice("one", former)

    let error = #expect(throws: ReplicaError.self) {
      try device.upgrade(to: Self.model("a", isToMany: false), by: former)
    }

    #expect(error?.subject == "Group.m")
  }
}
