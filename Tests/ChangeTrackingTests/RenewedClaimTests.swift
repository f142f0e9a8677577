import ObjectStore
import Testing

@testable import ChangeTracking

/// A user writes something of a claim to a unique value that another object shows: everybody gives the value to the same object then, the
/// device that wrote too.
@Suite struct RenewedClaimTests {
  private static func synchronize(_ devices: [VersionedDevice]) throws {
    for device in devices { try device.push() }
    for device in devices { for other in devices where other !== device { try device.receive(from: other) } }
  }

  private static func holders(_ device: VersionedDevice, _ ids: [String]) throws -> [String] {
    try ids.filter { try device.value("Slot", $0, "a") == .integer(1) }
  }

  @Test func `another property of the group of a value that is kept aside`() throws {
    let group = [String: String].merging(.group("x"))
    let model = [
      EntityDeclaration(
        "Slot",
        attributes: [
          RenamingTests.syncID, .init("a", .integer64, userInfo: group),
          .init("d", .integer64, userInfo: group),
        ], uniquenessConstraints: [["a"]])
    ]
    let devices = try ["one", "two", "three"].map { try VersionedDevice($0, model) }
    try devices[1].insert("Slot", "lesser", ["a": .integer(1)])
    devices[0].clock.advance(10_000)
    try devices[0].insert("Slot", "greater", ["a": .integer(1)])
    try Self.synchronize(devices)
    devices[1].clock.advance(20_000)

    try devices[1].set("Slot", "lesser", "d", .integer(7))
    try Self.synchronize(devices)

    for device in devices { #expect(try Self.holders(device, ["lesser", "greater"]) == ["lesser"]) }
  }

  @Test(
    arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]],
    [[["a", "b"]], [["b", "a"]]])
  func `another attribute of a constraint, in whatever order the rows came`(
    order: [Int], constraints: [[String]]
  ) throws {
    let model = [
      EntityDeclaration(
        "Slot", attributes: [RenamingTests.syncID, .init("a", .integer64)], uniquenessConstraints: [["a"]]),
      EntityDeclaration(
        "Sub", parent: "Slot", attributes: [.init("b", .integer64)], uniquenessConstraints: constraints),
    ]
    let devices = try ["one", "two", "three"].map { try VersionedDevice($0, model) }
    let objects: [(entity: String, id: String, seconds: UInt64)] = [
      ("Slot", "p", 30), ("Slot", "r", 10), ("Sub", "s", 20),
    ]
    for (device, index) in zip(devices, order) {
      let object = objects[index]
      device.clock.advance(object.seconds * 1_000)
      try device.insert(object.entity, object.id, ["a": .integer(1)])
    }
    try Self.synchronize(devices)
    for device in devices { device.clock.set(1_700_000_100_000) }

    try devices[0].set("Slot", "s", "b", .integer(5))
    try Self.synchronize(devices)

    for device in devices { #expect(try Self.holders(device, ["p", "r", "s"]) == ["s"]) }
  }
}
