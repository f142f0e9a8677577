import ObjectStore
import Testing

@testable import ChangeTracking

/// What one author wrote at one time under two names that turn out to be of one property.
@Suite struct TwoNamesOfOneTimeTests {
  private static let model = [
    EntityDeclaration(
      "Note", attributes: [RenamingTests.syncID, .init("name", .string)],
      relationships: [
        .init("above", to: "Note", inverse: "below", isToMany: false),
        .init("below", to: "Note", inverse: "above", isToMany: true),
      ])
  ]

  /// A set that inserts a note with both, and two that tell of one former name each.
  private func sets(_ kind: EntityNames.Property.Kind, _ name: String, _ contents: [Register.Content]) throws
    -> [ReceivedSet]
  {
    var writer = ScriptedAuthor(
      9,
      entities: EntityNames(
        name: "Note", root: "Note",
        properties: [.init(name: "alpha", kind: kind), .init(name: "beta", kind: kind)]))
    let registers = contents.enumerated().map {
      Register(property: ChangeSet.PropertyIndex(rawValue: $0), content: $1)
    }
    let written = try writer.set(
      Change("x", at: 5, .insert([])), Change("y", at: 5, .insert([])),
      Change("n", at: 10, .insert(registers)))
    return try [written]
      + ["alpha", "beta"].enumerated().map { index, former in
        var teller = ScriptedAuthor(
          10 + UInt64(index),
          entities: EntityNames(
            name: "Note", root: "Note",
            properties: [.init(name: name, formerNames: [former], kind: kind)]))
        return try teller.set()
      }
  }

  static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

  @Test(arguments: orders, [["a", "b"], ["b", "a"]])
  func `the greater value shows, whenever somebody learns that both are one`(order: [Int], values: [String])
    throws
  {
    let sets = try sets(.attribute, "name", values.map { .value(.string($0)) })
    let device = try VersionedDevice("device", Self.model)

    for index in order { _ = try device.replica.receive([sets[index]], policy: .always(.latest)) }

    #expect(try device.text("Note", "n", "name") == "b")
  }

  @Test(arguments: orders, [["x", "y"], ["y", "x"]])
  func `the greater target shows, whenever somebody learns that both are one`(order: [Int], targets: [SyncID])
    throws
  {
    let sets = try sets(.toOne(destination: "Note"), "above", targets.map { .target($0) })
    let device = try VersionedDevice("device", Self.model)

    for index in order { _ = try device.replica.receive([sets[index]], policy: .always(.latest)) }

    #expect(try device.target("Note", "n", "above") == "y")
  }
}
