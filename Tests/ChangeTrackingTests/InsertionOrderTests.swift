import ObjectStore
import Testing

@testable import ChangeTracking

/// Rows whose identifiers tell other times than their keys: the first was inserted when the wall clock was ahead.
@Suite struct InsertionOrderTests {
  private static let model = [
    EntityDeclaration("Base", attributes: [RenamingTests.syncID, .init("label", .string)]),
    EntityDeclaration("Left", parent: "Base"),
    EntityDeclaration("Right", parent: "Base"),
  ]
  private static let hour: UInt64 = 3_600_000

  private let here: VersionedDevice
  /// Lets time pass until nothing lies ahead.
  private func pass() { here.clock.advance(2 * Self.hour) }

  /// A device with a row of an entity that was inserted under a clock which was ahead, and is right now.
  init() throws {
    here = try VersionedDevice("here", Self.model, setLimit: 2)
    here.clock.advance(Self.hour)
    try Self.insert("Right", "ahead", on: here)
    here.clock.set(here.clock.milliseconds - Self.hour)
    // Who has made an identifier goes on from its time; who starts anew does not know it.
    try here.upgrade(to: Self.model)
  }

  private static func insert(_ entity: String, _ label: String, on device: VersionedDevice) throws {
    try device.edit { try $0.insert(entity: entity)["label"] = .string(label) }
  }

  @Test func `rows are said that lie before others of their family which were inserted earlier`() throws {
    for label in ["one", "two", "three", "four"] { try Self.insert("Left", label, on: here) }
    pass()

    let late = try VersionedDevice("late", Self.model)
    try late.receive(from: here)

    #expect(try late.count("Right") == 1)
    #expect(try late.count("Base") == 5)
  }

  @Test
  func `what is written to an object before its insertion is said is part of it, and it is said once`() throws
  {
    // Given an object whose row lies behind one that counts as inserted later, and which is edited.
    try Self.insert("Right", "before", on: here)
    try here.edit { context in
      let rows = try context.fetch(FetchRequest<ManagedObject>(entity: "Right"))
      try #require(rows.first { $0["label"] == .string("before") })["label"] = .string("edited")
    }
    let edited = LogicalTime(milliseconds: here.clock.milliseconds)
    pass()

    let changes = try here.replica.push().flatMap(\.set.changes)

    #expect(changes.count == 2, "\(changes)")
    let first = try #require(changes.first { $0.time == edited })
    #expect(first.action == .insert([Register(property: 0, content: .value(.string("edited")))]))
  }
}
