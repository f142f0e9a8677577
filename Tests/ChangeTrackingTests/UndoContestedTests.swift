import ObjectStore
import Testing

@testable import ChangeTracking

/// Merges taken back where something waits until a value or a target is free.
@Suite struct UndoContestedTests {
  private static let model = [
    EntityDeclaration(
      "Item", attributes: [RenamingTests.syncID, .init("code", .integer64), .init("note", .string)],
      uniquenessConstraints: [["code"]])
  ]

  @Test func `a value that cannot be taken back goes on waiting, and shows once it is free`() throws {
    let one = try VersionedDevice("one", Self.model)
    let two = try VersionedDevice("two", Self.model)
    try one.insert("Item", "x", ["code": .integer(1)])
    two.clock.advance(60_000)
    try two.insert("Item", "y", ["code": .integer(1)])
    let sets = try two.replica.push()
    let outcome = try one.replica.apply(sets, policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { throw ManagedDevice.NothingToSave() }
    let inverse = try #require(report.inverse)
    one.clock.advance(120_000)
    try one.set("Item", "y", "note", .string("mine"))

    let undone = try one.replica.undo(inverse)
    try one.edit { context in if let y = try one.object("Item", "y") { context.delete(y) } }
    try VersionedDevice.synchronize(one, two)

    #expect(undone.kept.contains { $0.object == "x" })
    for device in [one, two] { #expect(try device.value("Item", "x", "code") == .integer(1)) }
  }
}
