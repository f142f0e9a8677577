import ObjectStore
import Testing

@testable import ChangeTracking

/// Claims of objects that do not live any more, to what only one object can have.
@Suite struct DeadClaimTests {
  private static let model = [
    EntityDeclaration(
      "Person", attributes: [RenamingTests.syncID],
      relationships: [.toOne("chair", to: "Seat", inverse: "holder")]),
    EntityDeclaration(
      "Seat", attributes: [RenamingTests.syncID],
      relationships: [.toOne("holder", to: "Person", inverse: "chair")]),
  ]

  @Test func `who has gone does not get what is free again, however late its claim`() throws {
    let (one, two) = (try VersionedDevice("one", Self.model), try VersionedDevice("two", Self.model))
    let three = try VersionedDevice("three", Self.model)
    for person in ["first", "second", "gone"] { try one.insert("Person", person) }
    try one.insert("Seat", "seat")
    try VersionedDevice.synchronize(one, two, three)
    func claim(_ device: VersionedDevice, _ person: String, after seconds: UInt64) throws {
      device.clock.advance(seconds * 1_000)
      try device.setTarget("Person", person, "chair", device.object("Seat", "seat"))
    }
    try claim(one, "first", after: 10)
    try claim(two, "second", after: 20)
    try claim(three, "gone", after: 60)
    one.clock.advance(20_000)
    try one.edit { context in if let gone = try one.object("Person", "gone") { context.delete(gone) } }
    try VersionedDevice.synchronize(one, two, three)
    try #require(try one.target("Seat", "seat", "holder") == "second")

    two.clock.advance(100_000)
    try two.setTarget("Person", "second", "chair", nil)
    try VersionedDevice.synchronize(one, two, three)

    for device in [one, two, three] { #expect(try device.target("Seat", "seat", "holder") == "first") }
  }
}
