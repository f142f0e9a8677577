import ObjectStore
import Testing

@testable import ChangeTracking

/// A link that was logged by a version which did not note what entity its target is of, when a later one gives the target's row another key.
@Suite struct MovedTargetTests {
  private static let syncID = RenamingTests.syncID

  private static func model(_ family: [EntityDeclaration], pets: String) -> [EntityDeclaration] {
    family + [
      EntityDeclaration("Dog", attributes: [syncID, .init("breed", .string)]),
      EntityDeclaration(
        "Owner", attributes: [syncID], relationships: [.init("pets", to: pets, inverse: nil, isToMany: true)]),
    ]
  }

  private static let before = model(
    [
      EntityDeclaration("Animal", isAbstract: true, attributes: [syncID]),
      EntityDeclaration("Cat", parent: "Animal", attributes: [.init("name", .string)]),
    ], pets: "Animal")
  /// The abstract family is gone, and all that was below it is below another entity.
  private static let after = model(
    [EntityDeclaration("Cat", parent: "Dog", attributes: [.init("name", .string)])], pets: "Cat")

  @Test func `it is said of the target though the target's family is gone`() throws {
    let (one, two) = (try VersionedDevice("one", Self.before), try VersionedDevice("two", Self.before))
    for id in ["d1", "d2", "d3"] { try one.insert("Dog", id) }
    try one.insert("Cat", "c")
    try one.insert("Owner", "o")
    try VersionedDevice.synchronize(one, two)
    try one.edit { _ in
      try #require(try one.object("Owner", "o")).setMembers(
        [try #require(try one.object("Cat", "c"))], "pets")
    }
    try one.replica.connection.run(
      "UPDATE TICDS_LOG SET mask = 0 WHERE action & 7 = ?", .integer(ChangeLog.Kind.link.rawValue))
    try #require(one.replica.connection.changes == 1)

    try one.upgrade(to: Self.after, by: Self.before)
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.members("Owner", "o", "pets") == ["c"]) }
  }
}
