import ObjectStore
import Testing

@testable import ChangeTracking

/// A version puts an entity into a family and gives its attribute another name, which others have told before as that of another entity of
/// the family, which inherits it.
@Suite struct MovedAndRenamedTests {
  private static let before = [
    EntityDeclaration("Disc", attributes: [RenamingTests.syncID, .init("speed", .integer64)]),
    EntityDeclaration("Tape", attributes: [RenamingTests.syncID, .init("label", .string)]),
  ]
  private static let after = version([])
  private static let last = version([.init("note", .string)])

  private static func version(_ more: [AttributeDescription]) -> [EntityDeclaration] {
    [
      EntityDeclaration("Item", isAbstract: true, attributes: [RenamingTests.syncID]),
      EntityDeclaration("Disc", parent: "Tape", attributes: [.init("speed", .integer64)]),
      EntityDeclaration(
        "Tape", parent: "Item", attributes: [.init("text", .string, renamingIdentifier: "label")] + more),
    ]
  }

  /// A device with the first version that has heard of a disc of the second.
  private static func devices() throws -> (early: VersionedDevice, late: VersionedDevice) {
    let (early, late) = (try VersionedDevice("early", before), try VersionedDevice("late", before))
    try late.insert("Disc", "d")
    try VersionedDevice.synchronize(early, late)
    try late.upgrade(to: after, by: before)
    try late.set("Disc", "d", "text", .string("of the second version"))
    try VersionedDevice.synchronize(early, late)
    return (early, late)
  }

  @Test func `what is in a set already is said again by a new author as it is`() throws {
    let (early, late) = try Self.devices()
    try early.insert("Tape", "t", ["label": .string("mine")])
    try early.replica.freeze()

    try early.upgrade(to: Self.last, by: Self.before, Self.after)
    try late.upgrade(to: Self.last, by: Self.before, Self.after)
    try early.replica.begin(newIncarnation: .unpushed)
    try VersionedDevice.synchronize(early, late)

    for device in [early, late] { #expect(try device.text("Tape", "t", "text") == "mine") }
  }

  @Test func `what is still to be said is said`() throws {
    let (early, late) = try Self.devices()
    try early.insert("Tape", "t", ["label": .string("mine")])
    try VersionedDevice.synchronize(early, late)
    try early.set("Tape", "t", "label", .string("later"))

    try early.upgrade(to: Self.last, by: Self.before, Self.after)
    try late.upgrade(to: Self.last, by: Self.before, Self.after)
    try VersionedDevice.synchronize(early, late)

    for device in [early, late] { #expect(try device.text("Tape", "t", "text") == "later") }
  }
}
