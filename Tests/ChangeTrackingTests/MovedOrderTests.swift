import ObjectStore
import Testing

@testable import ChangeTracking

/// The order of a list that was not sent when a version of the model gave its entity another topmost parent.
@Suite struct MovedOrderTests {
  private static let lists = ["alpha", "beta", "gamma"]

  private static func model(isChild: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note", parent: isChild ? "Memo" : nil,
        attributes: (isChild ? [] : [RenamingTests.syncID]) + [.init("label", .string)],
        relationships: lists.map { .toMany($0, to: "Item", isOrdered: true) }),
      EntityDeclaration(
        "Memo", attributes: [RenamingTests.syncID, .init("body", .string)],
        relationships: [.toMany("items", to: "Item", isOrdered: true)]),
      EntityDeclaration("Item", attributes: [RenamingTests.syncID]),
    ]
  }

  private func arrange(_ list: String, _ order: String, on device: VersionedDevice) throws {
    try device.edit { _ in
      try #require(try device.object("Note", "n"))
        .setMembers(order.map { try #require(try device.object("Item", String($0))) }, list)
    }
  }

  private func order(_ list: String, on device: VersionedDevice) throws -> String {
    try #require(try device.object("Note", "n")).members(list).map {
      if case .string(let id) = $0["ticdsSyncID"] { id } else { "?" }
    }.joined()
  }

  @Test(arguments: lists)
  func `a new order of a list reaches others though its entity has got a parent meanwhile`(list: String)
    throws
  {
    let one = try VersionedDevice("one", Self.model(isChild: false))
    let two = try VersionedDevice("two", Self.model(isChild: false))
    try one.insert("Note", "n")
    for id in ["i", "j", "k"] { try one.insert("Item", id) }
    for list in Self.lists { try arrange(list, "ijk", on: one) }
    try VersionedDevice.synchronize(one, two)
    try arrange(list, "kij", on: one)

    try one.upgrade(to: Self.model(isChild: true), by: Self.model(isChild: false))
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] {
      for other in Self.lists { #expect(try order(other, on: device) == (other == list ? "kij" : "ijk")) }
    }
  }
}
