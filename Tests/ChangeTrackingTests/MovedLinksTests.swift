import ObjectStore
import Testing

@testable import ChangeTracking

/// Two links between the same objects, whose bits change when an entity gets another topmost parent.
@Suite struct MovedLinksTests {
  private static let id = AttributeDescription("ticdsSyncID", .string, isIndexed: true)
  private static func model(isChild: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note", parent: isChild ? "Memo" : nil, attributes: (isChild ? [] : [id]) + [.init("label", .string)],
        relationships: [
          .toMany("alpha", to: "Item"), .toMany("beta", to: "Item"), .toMany("gamma", to: "Item"),
        ]),
      EntityDeclaration("Memo", attributes: [id, .init("body", .string), .init("more", .string)]),
      EntityDeclaration("Item", attributes: [id]),
    ]
  }
  private static let (first, second) = (model(isChild: false), model(isChild: true))
  private func set(_ device: VersionedDevice, _ list: String, _ has: Bool) throws {
    let (note, item) = (try device.object("Note", "n"), try device.object("Item", "i"))
    try device.edit { _ in try #require(note).setMembers(has ? [try #require(item)] : [], list) }
  }

  @Test(arguments: ["alpha", "beta", "gamma"])
  func `an earlier removal does not end a link that was made after it`(list: String) throws {
    let here = try VersionedDevice("here", Self.first), there = try VersionedDevice("there", Self.first)
    try here.insert("Note", "n")
    try here.insert("Item", "i")
    for list in ["alpha", "beta", "gamma"] { try set(here, list, true) }
    try VersionedDevice.synchronize(here, there)
    // There it is removed; here, later, by somebody who knows nothing of that, it is removed and added again.
    there.clock.advance(10_000)
    try set(there, list, false)
    here.clock.advance(100_000)
    try set(here, list, false)
    try set(here, list, true)
    try here.push()
    try here.upgrade(to: Self.second, by: Self.first)
    try VersionedDevice.synchronize(here, there)
    try VersionedDevice.synchronize(here, there)
    for name in ["alpha", "beta", "gamma"] {
      #expect(try there.members("Note", "n", name) == ["i"])
      #expect(try here.members("Note", "n", name) == ["i"])
    }
  }
}
