import ObjectStore
import Testing

@testable import ChangeTracking

/// Two ordered lists of the same objects, whose bits change when an entity gets another topmost parent.
@Suite struct MovedPlacesTests {
  private static let id = AttributeDescription("ticdsSyncID", .string, isIndexed: true)
  private static func model(isChild: Bool) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note", parent: isChild ? "Memo" : nil, attributes: (isChild ? [] : [id]) + [.init("label", .string)],
        relationships: [
          .toMany("alpha", to: "Item", isOrdered: true), .toMany("beta", to: "Item", isOrdered: true),
          .toMany("gamma", to: "Item", isOrdered: true),
        ]),
      EntityDeclaration("Memo", attributes: [id, .init("body", .string), .init("more", .string)]),
      EntityDeclaration("Item", attributes: [id]),
    ]
  }
  private static let (first, second) = (model(isChild: false), model(isChild: true))
  private func list(_ device: VersionedDevice, _ name: String) throws -> String {
    try device.object("Note", "n")?.members(name).map { member in
      if case .string(let id) = member["ticdsSyncID"] { id } else { "?" }
    }.joined() ?? "none"
  }

  @Test func `lists keep their order when their entity gets another parent`() throws {
    let here = try VersionedDevice("here", Self.first), there = try VersionedDevice("there", Self.first)
    try here.insert("Note", "n")
    for id in ["i", "j", "k"] { try here.insert("Item", id) }
    let orders = ["alpha": "kij", "beta": "jki", "gamma": "ikj"]
    for (name, order) in orders.sorted(by: { $0.key < $1.key }) {
      try here.edit { _ in
        try #require(try here.object("Note", "n")).setMembers(
          order.map { try #require(try here.object("Item", String($0))) }, name)
      }
    }
    try VersionedDevice.synchronize(here, there)
    try here.upgrade(to: Self.second, by: Self.first)
    for (name, order) in orders { #expect(try list(here, name) == order) }
    // Somebody else with the former version, and a newcomer with the new one.
    let late = try VersionedDevice("late", Self.second)
    try VersionedDevice.synchronize(here, there, late)
    for (name, order) in orders {
      for device in [here, there, late] {
        #expect(try list(device, name) == order, "\(device.client) \(name)")
      }
    }
  }
}
