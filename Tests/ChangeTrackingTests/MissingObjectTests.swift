import ObjectStore
import Testing

@testable import ChangeTracking

/// Warnings that an object is missing hold when the merge ends, not while it goes on.
@Suite struct MissingObjectTests {
  private let writer: PlainDevice
  private let editor: PlainDevice

  /// Somebody who makes objects, and somebody else who edits and deletes them.
  init() throws {
    writer = try PlainDevice("writer")
    editor = try PlainDevice("editor")
    try writer.edit { edit in
      for index in 0..<20 { try edit.insert("Person", .text("p\(index)"), ["age": .integer(1)]) }
      try edit.insert("Team", "t")
    }
    try editor.receive(try writer.push())
    editor.clock.advance(10_000)
    try editor.edit { edit in
      for index in 0..<20 {
        try edit.set("Person", .text("p\(index)"), "age", .integer(2))
        try edit.point("Person", .text("p\(index)"), "boss", to: "p0")
        try edit.link("t", .text("p\(index)"))
      }
    }
    try editor.push()
  }

  @Test func `a device that joins is not warned of what comes with the same merge`() throws {
    let joining = try Replica(
      store: PlainStore(),
      configuration: Replica.Configuration(client: "joining", sliceLimit: 3))
    // Fifteen years of edits may come before the objects: here the objects are in the slices after them.
    let report = try joining.receive(editor.pushed + writer.pushed, policy: .always(.latest))
    #expect(report.warnings.isEmpty)
    #expect(report.parked.isEmpty)
  }

  @Test func `warnings of one merge are void when a later one has brought the objects`() throws {
    let joining = try PlainDevice("joining")
    let first = try joining.receive(editor.pushed)
    #expect(
      Set(first.warnings.map(\.kind)) == [.objectNotFoundForAttribute, .objectNotFoundForRelationship])
    #expect(!first.parked.isEmpty)
    let still = try joining.replica.unresolved(first.warnings, first.parked)
    #expect(still.warnings == first.warnings)
    #expect(still.parked == first.parked)

    let second = try joining.receive(writer.pushed)
    #expect(second.warnings.isEmpty)
    let left = try joining.replica.unresolved(first.warnings, first.parked)
    #expect(left.warnings.isEmpty)
    #expect(left.parked.isEmpty)
  }

  @Test func `what nobody has brought stays in the report`() throws {
    let joining = try PlainDevice("joining")
    var stranger = ScriptedAuthor(7, entities: .person)
    let first = try joining.receive([
      try stranger.set(
        Change(
          "nobody knows", at: 5, .update([Register(property: 0, content: .value(.string("new")))])),
        Change("never came", at: 6, .delete))
    ])
    #expect(first.warnings.map(\.kind).count == 2)
    try joining.receive(writer.pushed)
    let left = try joining.replica.unresolved(first.warnings, first.parked)
    #expect(Set(left.warnings.map(\.kind)) == [.objectNotFoundForAttribute, .objectNotFoundForDeletion])
    #expect(left.parked.map(\.object) == ["nobody knows"])
  }
}
