import ObjectStore
import Testing

@testable import ChangeTracking

/// Two objects that turn out to be one when their entities come below one root, of which one row goes.
@Suite struct SurplusRowTests {
  private static func model(isOneFamily: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration("Card", attributes: [RenamingTests.syncID]),
      EntityDeclaration(
        "Tally", parent: isOneFamily ? "Card" : nil,
        attributes: (isOneFamily ? [] : [RenamingTests.syncID]) + [
          .init("title", .string), .init("count", .integer64, userInfo: .merging(.counter)),
        ]),
      EntityDeclaration(
        "Score", parent: isOneFamily ? "Card" : nil,
        attributes: (isOneFamily ? [] : [RenamingTests.syncID]) + [.init("title", .string)]),
    ]
  }

  @Test(arguments: [["Tally", "Score"], ["Score", "Tally"], ["Tally", "Card"], ["Card", "Tally"]])
  func `what was counted in a row that goes is said for the object`(entities: [String]) throws {
    let devices = try ["here", "there"].map { try VersionedDevice($0, Self.model(isOneFamily: false)) }
    let (here, there) = (devices[0], devices[1])
    for entity in entities { try here.insert(entity, "x") }
    try VersionedDevice.synchronize(here, there)
    try here.set("Tally", "x", "count", .integer(5))

    for device in devices { try device.upgrade(to: Self.model(isOneFamily: true)) }
    for _ in 0..<2 { try VersionedDevice.synchronize(here, there) }

    for device in devices {
      #expect(try device.objects("Card").count == 1)
      #expect(
        try device.objects("Card").map { $0.entity.name } == here.objects("Card").map { $0.entity.name })
    }
    if let tally = try here.object("Tally", "x") {
      #expect(tally["count"] == .integer(5))
      #expect(try there.value("Tally", "x", "count") == .integer(5))
    }
  }
}
