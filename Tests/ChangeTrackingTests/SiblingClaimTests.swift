import ObjectStore
import Testing

@testable import ChangeTracking

/// One-to-one relationships that siblings have under one name: each has an end of its own at the target.
@Suite struct SiblingClaimTests {
  private static func own(_ name: String, _ inverse: String) -> EntityDeclaration {
    EntityDeclaration(
      name, parent: "Publication",
      relationships: [.toOne("cover", to: "Cover", inverse: inverse)])
  }

  private static let model = [
    EntityDeclaration("Publication", isAbstract: true, attributes: [RenamingTests.syncID]),
    own("Book", "ofBook"), own("Magazine", "ofMagazine"),
    EntityDeclaration(
      "Cover", attributes: [RenamingTests.syncID],
      relationships: [
        .toOne("ofBook", to: "Book", inverse: "cover"),
        .toOne("ofMagazine", to: "Magazine", inverse: "cover"),
      ]),
  ]

  @Test func `objects of siblings show one target each by a relationship of its own`() throws {
    let one = try VersionedDevice("one", Self.model)
    let two = try VersionedDevice("two", Self.model)
    try one.insert("Cover", "x")
    try VersionedDevice.synchronize(one, two)
    for (device, entity, id) in [(one, "Book", "b"), (two, "Magazine", "m")] {
      device.clock.advance(10_000)
      try device.insert(entity, id)
      try device.setTarget(entity, id, "cover", device.object("Cover", "x"))
    }

    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      #expect(try device.target("Book", "b", "cover") == "x")
      #expect(try device.target("Magazine", "m", "cover") == "x")
    }
  }
}
