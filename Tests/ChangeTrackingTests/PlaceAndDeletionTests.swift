import ObjectStore
import Testing

@testable import ChangeTracking

/// Places in a list of which the list's owner, or the member, was deleted at their very time, or at one that no clock follows.
@Suite struct PlaceAndDeletionTests {
  private static let model = [
    EntityDeclaration("Card", attributes: [RenamingTests.syncID]),
    EntityDeclaration(
      "Box", attributes: [RenamingTests.syncID],
      relationships: [.toMany("cards", to: "Card", isOrdered: true)]),
  ]

  private let here: VersionedDevice
  private let there: VersionedDevice
  private var author = ScriptedAuthor(
    9,
    entities: EntityNames(
      name: "Box", root: "Box", properties: [.init(name: "cards", kind: .toMany(destination: "Card"))]),
    EntityNames(name: "Card", root: "Card", properties: []))

  /// Two devices that know a box with the cards `a`, `b` and `c`.
  init() throws {
    here = try VersionedDevice("here", Self.model)
    there = try VersionedDevice("there", Self.model)
    try here.insert("Box", "box")
    for id in ["a", "b", "c"] { try here.insert("Card", id) }
    try arrange("abc")
    try VersionedDevice.synchronize(here, there)
  }

  private func arrange(_ order: String) throws {
    try here.edit { _ in
      try #require(try here.object("Box", "box"))
        .setMembers(order.map { try #require(try here.object("Card", String($0))) }, "cards")
    }
  }

  private func order(_ device: VersionedDevice) throws -> String {
    try #require(try device.object("Box", "box")).members("cards").map {
      if case .string(let id) = $0["ticdsSyncID"] { id } else { "?" }
    }.joined()
  }

  /// Who is deleted, and comes back right after.
  enum End: CaseIterable, Sendable { case owner, member }

  /// Deletes one end of the place of `c` and brings it back, with what the list had in it.
  private func deleteAndInsert(_ end: End, at time: LogicalTime) -> [Change] {
    switch end {
    case .member:
      [
        Change(entity: 1, object: "c", time: time, action: .delete),
        Change(entity: 1, object: "c", time: time.next, action: .insert([])),
      ]
    case .owner:
      [
        Change(entity: 0, object: "box", time: time, action: .delete),
        Change(entity: 0, object: "box", time: time.next, action: .insert([])),
      ]
        + ["a", "b", "c"].map {
          Change(entity: 0, object: "box", time: time.next, action: .link(property: 0, target: $0))
        }
    }
  }

  /// Says that `c` comes first.
  private func place(at time: LogicalTime) -> Change {
    Change(
      entity: 0, object: "box", time: time,
      action: .place(property: 0, target: "c", isInverse: false, bytes: [0x20, 0x40]))
  }

  private func receive(_ set: ReceivedSet) throws {
    for device in [here, there] { _ = try device.replica.receive([set], policy: .always(.latest)) }
  }

  @Test(arguments: End.allCases)
  mutating func `a deletion ends a place that was said at its very time`(of end: End) throws {
    let time = LogicalTime(milliseconds: 1_800_000_000_000)

    try receive(author.set([place(at: time)] + deleteAndInsert(end, at: time)))

    #expect(try [here, there].map(order) == ["abc", "abc"])
  }

  @Test(arguments: End.allCases)
  mutating func `a place that was said right after a deletion counts`(of end: End) throws {
    let time = LogicalTime(milliseconds: 1_800_000_000_000)

    try receive(author.set([place(at: time.next)] + deleteAndInsert(end, at: time)))

    #expect(try [here, there].map(order) == ["cab", "cab"])
  }

  @Test(arguments: End.allCases)
  mutating func `a place that the user gives after a deletion with a far time counts everywhere`(of end: End)
    throws
  {
    // Given an end that came back after a deletion at a time which clocks do not follow.
    let far = LogicalTime(milliseconds: HybridLogicalClock.far.milliseconds + 1_000_000_000)
    try receive(author.set(deleteAndInsert(end, at: far)))
    try #require(try [here, there].map(order) == ["abc", "abc"])

    try arrange("cab")
    try VersionedDevice.synchronize(here, there)

    #expect(try order(there) == "cab")
  }
}
