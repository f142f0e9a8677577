import ObjectStore
import Testing

@testable import ChangeTracking

/// Values that a migration leaves behind whose properties changed names in an earlier step of the same migration.
@Suite struct DroppedAfterRenamingTests {
  private static let id = AttributeDescription("ticdsSyncID", .string, isIndexed: true)
  private static let first = [
    EntityDeclaration("Card", attributes: [id, .init("a", .string), .init("b", .string)]),
    EntityDeclaration("Other", attributes: [id]),
  ]
  /// Names go on by one, or are exchanged.
  private static func second(exchange: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Card",
        attributes: [
          id, .init("b", .string, renamingIdentifier: "a", versionHashModifier: "2"),
          .init(exchange ? "a" : "c", .string, renamingIdentifier: "b"),
        ]), EntityDeclaration("Other", attributes: [id]),
    ]
  }
  private static let third = [EntityDeclaration("Other", attributes: [id])]

  @Test(arguments: [false, true], [false, true])
  func `a value outlasts a version without it, whether or not the version before was opened`(
    exchange: Bool, isOpenedBetween: Bool
  ) throws {
    let second = Self.second(exchange: exchange)
    let device = try VersionedDevice("here", Self.first)
    try device.insert("Card", "c", ["a": .string("A"), "b": .string("B")])
    try device.push()
    if isOpenedBetween { try device.upgrade(to: second, by: Self.first) }
    try device.upgrade(to: Self.third, through: [Self.first, second])
    // The entity comes back.
    try device.upgrade(to: second, through: [Self.first, second, Self.third])
    #expect(try device.text("Card", "c", "b") == "A")
    #expect(try device.text("Card", "c", exchange ? "a" : "c") == "B")
  }
}
