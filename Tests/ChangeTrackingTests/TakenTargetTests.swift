import ObjectStore
import Testing

@testable import ChangeTracking

/// Somebody loses what he had because it is given to another object, while somebody else gives him another one.
@Suite struct TakenTargetTests {
  private static let model = [
    EntityDeclaration(
      "Thing", attributes: [RenamingTests.syncID],
      relationships: [
        .init("badge", to: "Badge", inverse: "holder", isToMany: false),
        .init("mate", to: "Thing", inverse: "mate", isToMany: false),
      ]),
    EntityDeclaration(
      "Badge", attributes: [RenamingTests.syncID],
      relationships: [.init("holder", to: "Thing", inverse: "badge", isToMany: false)]),
  ]

  private static func devices() throws -> [VersionedDevice] {
    let devices = try ["one", "two"].map { try VersionedDevice($0, model) }
    for id in ["t", "u", "v", "w"] { try devices[0].insert("Thing", id) }
    for id in ["x", "y"] { try devices[0].insert("Badge", id) }
    try devices[0].setTarget("Thing", "t", "mate", devices[0].object("Thing", "u"))
    try devices[0].setTarget("Thing", "t", "badge", devices[0].object("Badge", "x"))
    try VersionedDevice.synchronize(devices[0], devices[1])
    return devices
  }

  @Test(arguments: [0, 1]) func `both get somebody who was not theirs`(later: Int) throws {
    let devices = try Self.devices()
    devices[later].clock.advance(60_000)
    try devices[0].setTarget("Thing", "t", "mate", devices[0].object("Thing", "w"))
    try devices[1].setTarget("Thing", "u", "mate", devices[1].object("Thing", "v"))

    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }

    for device in devices {
      #expect(try device.target("Thing", "t", "mate") == "w")
      #expect(try device.target("Thing", "u", "mate") == "v")
    }
  }

  @Test(arguments: [0, 1], [false, true])
  func `one gets what another had, who gets something else`(later: Int, isSaidByTarget: Bool) throws {
    let devices = try Self.devices()
    devices[later].clock.advance(60_000)
    if isSaidByTarget {
      try devices[0].setTarget("Badge", "x", "holder", devices[0].object("Thing", "u"))
      try devices[1].setTarget("Badge", "y", "holder", devices[1].object("Thing", "t"))
    } else {
      try devices[0].setTarget("Thing", "u", "badge", devices[0].object("Badge", "x"))
      try devices[1].setTarget("Thing", "t", "badge", devices[1].object("Badge", "y"))
    }

    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }

    for device in devices {
      #expect(try device.target("Thing", "u", "badge") == "x")
      #expect(try device.target("Thing", "t", "badge") == "y")
    }
  }

  @Test(arguments: [0, 1]) func `somebody new gets what another had, who gets something else`(later: Int)
    throws
  {
    let devices = try Self.devices()
    devices[later].clock.advance(60_000)
    try devices[0].edit { context in
      let thing = try context.insert(entity: "Thing")
      thing[SyncModelKey.syncID] = .string("new")
      thing.setTarget(try devices[0].object("Badge", "x"), "badge")
    }
    try devices[1].setTarget("Thing", "t", "badge", devices[1].object("Badge", "y"))

    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }

    for device in devices {
      #expect(try device.target("Thing", "new", "badge") == "x")
      #expect(try device.target("Thing", "t", "badge") == "y")
    }
  }

  @Test func `who is left by the user's own word has nobody`() throws {
    let devices = try Self.devices()
    try devices[1].setTarget("Thing", "u", "mate", devices[1].object("Thing", "v"))
    devices[0].clock.advance(60_000)
    try devices[0].setTarget("Thing", "u", "mate", nil)

    for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1]) }

    for device in devices { #expect(try device.target("Thing", "u", "mate") == nil) }
  }
}
