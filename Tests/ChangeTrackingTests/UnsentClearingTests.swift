import ObjectStore
import Testing

@testable import ChangeTracking

/// What is kept of relationships that a delete rule cleared, until the remote has been told.
@Suite struct UnsentClearingTests {
  private static func model(isBelowItem: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Item",
        attributes: [
          RenamingTests.syncID, .init("colour", .string), .init("size", .string), .init("weight", .string),
        ],
        relationships: [
          .init("owner", to: "Shelf", inverse: nil, isToMany: false),
          .init("buyer", to: "Shelf", inverse: nil, isToMany: false),
        ]),
      EntityDeclaration(
        "Thing", parent: isBelowItem ? "Item" : nil,
        attributes: (isBelowItem ? [] : [RenamingTests.syncID]) + [.init("title", .string)],
        relationships: [.init("shelf", to: "Shelf", inverse: "things", isToMany: false)]),
      EntityDeclaration(
        "Shelf", attributes: [RenamingTests.syncID],
        relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true)]),
    ]
  }

  private let one: VersionedDevice
  private let two: VersionedDevice

  /// Two devices with a thing in shelf a, which goes on the second, and another shelf.
  init() throws {
    one = try VersionedDevice("one", Self.model(isBelowItem: false))
    two = try VersionedDevice("two", Self.model(isBelowItem: false))
    for id in ["a", "b"] { try one.insert("Shelf", id) }
    try one.insert("Item", "i")
    try one.insert("Thing", "t")
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "a"))
    try VersionedDevice.synchronize(one, two)
    let two = two
    try two.edit { $0.delete(try #require(try two.object("Shelf", "a"))) }
    try two.replica.freeze()
  }

  private func countOfEntries() throws -> Int64 {
    let count = try two.context.connection.first("SELECT count(*) FROM TICDS_CLEARING")
    guard case .integer(let count)? = count else { throw ManagedDevice.NotOne(type: "count", count: 0) }
    return count
  }

  @Test func `nothing is kept once all is sent`() throws {
    #expect(try countOfEntries() == 1)

    try two.push()

    #expect(try countOfEntries() == 0)
  }

  @Test func `nobody is asked about it after a version that put the entity below another root`() throws {
    one.clock.advance(60_000)
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    for device in [one, two] { try device.upgrade(to: Self.model(isBelowItem: true)) }
    #expect(try countOfEntries() == 1)

    let report = try two.receive(from: one, policy: .answers([:]))

    #expect(report.conflicts.isEmpty)
    #expect(try two.target("Thing", "t", "shelf") == "b")
  }
}
