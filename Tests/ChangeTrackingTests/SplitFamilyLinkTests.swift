import ObjectStore
import Testing

@testable import ChangeTracking

/// Links to objects of an entity that leaves the family of the relationship's targets, while the relationship leads where it led.
@Suite struct SplitFamilyLinkTests {
  private static func model(isMoved: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration("Cat", attributes: [RenamingTests.syncID, .init("name", .string)]),
      EntityDeclaration("Dog", attributes: [RenamingTests.syncID, .init("breed", .string)]),
      EntityDeclaration("Kitten", parent: isMoved ? "Dog" : "Cat", attributes: [.init("toy", .string)]),
      EntityDeclaration(
        "Owner", attributes: [RenamingTests.syncID],
        relationships: [.init("pets", to: "Cat", inverse: nil, isToMany: true)]),
    ]
  }

  @Test func `they lead to whoever has the identifier in the family, for who heard of them before as after`()
    throws
  {
    // Given a link that one merged before the version and another after it.
    let one = try VersionedDevice("one", Self.model(isMoved: false))
    let late = try VersionedDevice("late", Self.model(isMoved: true))
    try one.insert("Kitten", "k")
    try one.insert("Owner", "o")
    try one.edit { _ in
      try #require(try one.object("Owner", "o"))
        .setMembers([try #require(try one.object("Kitten", "k"))], "pets")
    }
    try late.receive(from: one)
    try one.upgrade(to: Self.model(isMoved: true), by: Self.model(isMoved: false))
    // When somebody inserts a cat with the identifier of the kitten, which is another object now.
    late.clock.advance(60_000)
    try late.insert("Cat", "k")
    try VersionedDevice.synchronize(one, late)

    for device in [one, late] { #expect(try device.members("Owner", "o", "pets") == ["k"]) }
  }
}
