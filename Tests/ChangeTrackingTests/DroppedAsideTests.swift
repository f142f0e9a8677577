import ObjectStore
import Testing

@testable import ChangeTracking

/// Properties that one version of a model drops and a later one has again, whose rows show something else than what was written.
@Suite struct DroppedAsideTests {
  private static func model(_ notes: AttributeDescription...) -> [EntityDeclaration] {
    [EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("name", .string)] + notes)]
  }

  private static let full = model(.init("note", .string))
  private static let without = model()

  @Test func `what a row shows while a value is awaited does not take its place when a version drops both`()
    throws
  {
    // Given a card that shows what it showed before a long value was written, which has not arrived.
    let one = try VersionedDevice("one", Self.full)
    let other = try VersionedDevice("other", Self.full)
    try one.insert("Card", "c", ["note": .string("before")])
    try VersionedDevice.synchronize(one, other)
    let text = String(repeating: "x", count: 100_000)
    try other.set("Card", "c", "note", .string(text))
    var sent: [ContentHash: [UInt8]] = [:]
    let sets = try other.replica.push { sent[$0] = $1 }
    _ = try one.replica.receive(sets, policy: .always(.latest))
    try #require(try one.text("Card", "c", "note") == "before")
    // When a version has dropped the property and the next one has it again, and the value arrives.
    try one.upgrade(to: Self.without, by: Self.full)
    try one.upgrade(to: Self.full, by: Self.without)
    var fetched = FetchedLongValues()
    for reference in try one.replica.awaitedLongValues() {
      _ = fetched.add(try #require(sent[reference.hash]), as: reference)
    }
    try one.replica.receive(fetched)

    #expect(try one.text("Card", "c", "note") == text)
  }

  @Test func `a default that nobody wrote does not come back with a property that a version had dropped`()
    throws
  {
    let first = Self.model(
      .init("note", .string, isOptional: false, defaultValue: .string("default")))
    let device = try VersionedDevice("device", first)
    var author = ScriptedAuthor(7, entities: EntityNames(name: "Card", root: "Card", properties: []))
    let set = try author.set(Change("c", at: 10, .insert([])))
    _ = try device.replica.receive([set], policy: .always(.latest))
    try #require(try device.text("Card", "c", "note") == "default")

    try device.upgrade(to: Self.without, by: first)
    try device.upgrade(to: Self.full, by: Self.without)

    let late = try VersionedDevice("late", Self.full)
    _ = try late.replica.receive([set], policy: .always(.latest))
    #expect(try device.text("Card", "c", "note") == late.text("Card", "c", "note"))
  }
}
