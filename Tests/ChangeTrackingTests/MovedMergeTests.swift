import ObjectStore
import Testing

@testable import ChangeTracking

/// A counter of an entity that goes to a family which has a counter of that name already.
@Suite struct MovedMergeTests {
  private static let naps = AttributeDescription(
    "naps", .integer64, defaultValue: .integer(0), userInfo: .merging(.counter))
  private static let ball = AttributeDescription("ball", .string)

  private static func model(_ kitten: EntityDeclaration) -> [EntityDeclaration] {
    [
      EntityDeclaration("Dog", attributes: [RenamingTests.syncID, naps]),
      EntityDeclaration("Cat", attributes: [RenamingTests.syncID]), kitten,
    ]
  }

  @Test func `what stands in its former place there goes on showing what was written last`() throws {
    // Given an entity whose counter has a number that another of its properties gets.
    let before = Self.model(EntityDeclaration("Kitten", parent: "Cat", attributes: [Self.ball, Self.naps]))
    let after = Self.model(EntityDeclaration("Kitten", parent: "Dog", attributes: [Self.ball]))
    let device = try VersionedDevice("device", before)
    try device.insert("Kitten", "k", ["ball": .string("red"), "naps": .integer(5)])
    try device.push()

    try device.upgrade(to: after, by: before)
    try device.push()

    #expect(try device.text("Kitten", "k", "ball") == "red")
    #expect(try device.value("Kitten", "k", "naps") == .integer(5))
  }
}
