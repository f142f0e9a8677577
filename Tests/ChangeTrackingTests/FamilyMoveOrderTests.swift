import ObjectStore
import Testing

@testable import ChangeTracking

/// A version of the model in which an entity leaves its family, and the rest of the family goes elsewhere.
@Suite struct FamilyMoveOrderTests {
  private static let syncID = RenamingTests.syncID
  private static let kitten: [AttributeDescription] = [
    .init("toy", .string),
    .init("naps", .integer64, defaultValue: .integer(0), userInfo: .merging(.counter)),
  ]
  private static let name = AttributeDescription("name", .string)
  private static let others = [
    EntityDeclaration("Dog", attributes: [syncID, .init("breed", .string), .init("bark", .string)]),
    EntityDeclaration("Bird", attributes: [syncID, .init("song", .string)]),
  ]
  private static let before =
    others + [
      EntityDeclaration("Cat", attributes: [syncID, name]),
      EntityDeclaration("Kitten", parent: "Cat", attributes: kitten),
    ]
  private static let after =
    others + [
      EntityDeclaration("Cat", parent: "Bird", attributes: [name]),
      EntityDeclaration("Kitten", parent: "Dog", attributes: kitten),
    ]

  private let new: VersionedDevice
  private let old: VersionedDevice

  /// Two devices that know a cat and a kitten, of which one has the new version.
  init() throws {
    new = try VersionedDevice("new", Self.before)
    old = try VersionedDevice("old", Self.before)
    try new.insert("Cat", "c")
    try new.insert("Kitten", "k")
    try new.set("Kitten", "k", "naps", .integer(5))
    try VersionedDevice.synchronize(new, old)
    try new.upgrade(to: Self.after, by: Self.before)
  }

  @Test func `what others write to an object that has left its family shows, though the family has gone too`()
    throws
  {
    try old.set("Kitten", "k", "toy", .string("ball"))
    try old.set("Cat", "c", "name", .string("Tom"))
    try VersionedDevice.synchronize(new, old)

    #expect(try new.text("Kitten", "k", "toy") == "ball")
    #expect(try new.text("Cat", "c", "name") == "Tom")
  }

  @Test func `a counter of an entity that has left its family counts on`() throws {
    try old.set("Kitten", "k", "naps", .integer(7))
    try VersionedDevice.synchronize(new, old)
    try new.set("Kitten", "k", "naps", .integer(8))
    let late = try VersionedDevice("late", Self.after)
    try VersionedDevice.synchronize(new, old, late)

    for device in [new, old, late] {
      #expect(try device.value("Kitten", "k", "naps") == .integer(8), "\(device.client)")
    }
  }
}
