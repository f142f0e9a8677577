import ObjectStore
import Testing

@testable import ChangeTracking

/// Members of a list whose places do not tell which comes first: they stand in the order of their sync IDs everywhere.
@Suite struct PlaceTieTests {
  private static let model = [
    EntityDeclaration("Card", attributes: [RenamingTests.syncID]),
    EntityDeclaration(
      "Box", attributes: [RenamingTests.syncID],
      relationships: [.toMany("cards", to: "Card", isOrdered: true)]),
  ]

  /// The cards of a box of which somebody has said the links in an order, and these places.
  private func order(_ ids: [SyncID], places: [SyncID: [UInt8]]) throws -> String {
    let device = try VersionedDevice("device", Self.model)
    var author = ScriptedAuthor(
      9,
      entities: EntityNames(
        name: "Box", root: "Box", properties: [.init(name: "cards", kind: .toMany(destination: "Card"))]),
      EntityNames(name: "Card", root: "Card", properties: []))
    var changes = [Change("box", at: 10, .insert([]))]
    for (number, id) in ids.enumerated() {
      let time = LogicalTime(milliseconds: 20 + UInt64(number))
      changes.append(Change(entity: 1, object: id, time: time, action: .insert([])))
      changes.append(
        Change(entity: 0, object: "box", time: time, action: .link(property: 0, target: id)))
      guard let place = places[id] else { continue }
      changes.append(
        Change(
          entity: 0, object: "box", time: time,
          action: .place(property: 0, target: id, isInverse: false, bytes: place)))
    }
    // One after the other, so that rows are not in the order of the identifiers.
    for change in changes {
      _ = try device.replica.receive([author.set(change)], policy: .always(.latest))
    }
    return try #require(try device.object("Box", "box")).members("cards").map {
      if case .string(let id) = $0["ticdsSyncID"] { id } else { "?" }
    }.joined()
  }

  @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] as [[SyncID]])
  func `members with equal places stand in the order of their sync IDs`(ids: [SyncID]) throws {
    let place: [UInt8] = [0x60, 1, 0x40]
    #expect(try order(ids, places: ["a": place, "b": place, "c": place]) == "abc")
  }

  @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] as [[SyncID]])
  func `members without places stand behind the others, in the order of their sync IDs`(ids: [SyncID]) throws
  {
    #expect(try order(ids, places: ["c": [0x60, 1, 0x40]]) == "cab")
  }
}
