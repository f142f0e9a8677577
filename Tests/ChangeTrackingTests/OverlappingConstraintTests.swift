import ObjectStore
import Testing

@testable import ChangeTracking

/// Uniqueness constraints that have an attribute in common: who loses one frees the other.
@Suite struct OverlappingConstraintTests {
  private let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Slot",
        attributes: [
          .init("ticdsSyncID", .string), .init("a", .integer64), .init("b", .integer64),
          .init("c", .integer64),
        ], uniquenessConstraints: [["a", "b"], ["a", "c"]])
    ])
  }

  private func set(_ name: String, _ seconds: UInt64, _ a: Int64, _ b: Int64, _ c: Int64) throws
    -> [ReceivedSet]
  {
    let device = try ManagedDevice(name, model)
    device.clock.advance(seconds * 1_000)
    try device.edit { context in
      let slot = try context.insert(entity: "Slot")
      slot["ticdsSyncID"] = .string(name)
      for (key, value) in [("a", a), ("b", b), ("c", c)] { slot[key] = .integer(value) }
    }
    return try device.push()
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `in whatever order three claims come, the latest show and the merge ends`(order: [Int]) throws {
    // z takes (a, c) from x, so x does not stand in y's way.
    let sets = [try set("y", 10, 1, 1, 2), try set("x", 20, 1, 1, 1), try set("z", 30, 1, 2, 1)]
    let device = try ManagedDevice("receiver", model)
    for index in order { try device.receive(sets[index]) }

    let slots = try device.context.fetch(FetchRequest<ManagedObject>(entity: "Slot"))
    let shown = Dictionary(
      uniqueKeysWithValues: slots.map { slot in (slot["ticdsSyncID"].text ?? "", slot["a"]) })
    #expect(shown == ["y": .integer(1), "x": .null, "z": .integer(1)])
  }
}

/// What gives way for one uniqueness constraint is what another one is about as well.
@Suite struct DependentConstraintTests {
  private static func model(_ constraints: [[String]]) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Slot",
        attributes: [
          .init("ticdsSyncID", .string), .init("a", .integer64), .init("b", .integer64),
          .init("c", .integer64),
        ], uniquenessConstraints: constraints)
    ])
  }

  struct Constraints: Sendable, CustomTestStringConvertible {
    let all: [[String]]
    /// What the object shows whose claim is lesser.
    let shown: [AttributeValue]

    var testDescription: String { all.map { $0.joined(separator: "+") }.joined(separator: ", ") }
  }

  @Test(
    arguments: [
      Constraints(all: [["a", "b"], ["b"]], shown: [.integer(1), .null, .integer(1)]),
      Constraints(all: [["b"], ["a", "b"]], shown: [.integer(1), .null, .integer(1)]),
      Constraints(all: [["a", "b"], ["b", "c"]], shown: [.integer(1), .null, .integer(1)]),
      Constraints(all: [["b", "a"], ["a", "b"]], shown: [.integer(1), .null, .integer(1)]),
      Constraints(all: [["a", "b"], ["b", "c"], ["c", "a"]], shown: [.integer(1), .null, .null]),
    ], [false, true])
  func `of two objects with the same values the lesser one shows what it may, whichever came first`(
    _ constraints: Constraints, isLesserFirst: Bool
  ) throws {
    let model = try Self.model(constraints.all)
    let devices = try ["lesser", "greater"].map { try ManagedDevice($0, model) }
    devices[1].clock.advance(10_000)
    for (device, name) in zip(devices, ["x", "y"]) {
      try device.edit { context in
        let slot = try context.insert(entity: "Slot")
        slot["ticdsSyncID"] = .string(name)
        for key in ["a", "b", "c"] { slot[key] = .integer(1) }
      }
    }
    let (receiver, sender) = isLesserFirst ? (devices[0], devices[1]) : (devices[1], devices[0])

    try receiver.receive(sender.push())

    let slots = try receiver.context.fetch(FetchRequest<ManagedObject>(entity: "Slot"))
    let lesser = try #require(slots.first { $0["ticdsSyncID"].text == "x" })
    #expect(["a", "b", "c"].map { lesser[$0] } == constraints.shown)
    let greater = try #require(slots.first { $0["ticdsSyncID"].text == "y" })
    #expect(["a", "b", "c"].map { greater[$0] } == [.integer(1), .integer(1), .integer(1)])
  }
}

extension AttributeValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
