import ObjectStore
import Testing

@testable import ChangeTracking

/// Merges that are taken back once a version of the model has given names to something else.
@Suite struct UndoAfterVersionTests {
  private func model(title: String? = nil, remark: String? = nil) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Note",
        attributes: [
          RenamingTests.syncID,
          .init("title", .string, isOptional: true, renamingIdentifier: title, versionHashModifier: title),
          .init("remark", .string, isOptional: true, renamingIdentifier: remark, versionHashModifier: remark),
          .init("code", .string, isOptional: true),
        ])
    ]
  }

  /// Two devices that agree, and of which the second goes on later.
  private func devicesWithNote() throws -> (VersionedDevice, VersionedDevice) {
    let one = try VersionedDevice("one", model())
    let two = try VersionedDevice("two", model())
    try one.insert("Note", "n", ["title": .string("T"), "remark": .string("R"), "code": .string("C")])
    try VersionedDevice.synchronize(one, two)
    two.clock.advance(60_000)
    return (one, two)
  }

  private func merge(_ sets: [ReceivedSet], into device: VersionedDevice) throws -> MergeInverse {
    let outcome = try device.replica.apply(sets, policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { return MergeInverse() }
    return try #require(report.inverse)
  }

  @Test func `a value comes back under the name that its attribute has now`() throws {
    let (one, two) = try devicesWithNote()
    try two.set("Note", "n", "title", .string("changed"))
    try two.set("Note", "n", "code", .string("changed"))
    let inverse = try merge(try two.replica.push(), into: one)

    // When title and remark exchange their names, and the merge is taken back.
    try one.upgrade(to: model(title: "remark", remark: "title"), by: model())
    let report = try one.replica.undo(inverse)

    #expect(try one.value("Note", "n", "title") == .string("R"))
    #expect(try one.value("Note", "n", "remark") == .string("T"))
    #expect(try one.value("Note", "n", "code") == .string("C"))
    #expect(report.kept == [])
  }

  @Test func `an object that a merge deleted comes back under the names that there are now`() throws {
    let (one, two) = try devicesWithNote()
    try two.edit { context in if let note = try two.object("Note", "n") { context.delete(note) } }
    let inverse = try merge(try two.replica.push(), into: one)

    try one.upgrade(to: model(title: "remark", remark: "title"), by: model())
    let report = try one.replica.undo(inverse)

    #expect(try one.value("Note", "n", "title") == .string("R"))
    #expect(try one.value("Note", "n", "remark") == .string("T"))
    #expect(try one.value("Note", "n", "code") == .string("C"))
    #expect(report.kept == [])
  }

  @Test func `an object comes back to what it was though its entity has another name now`() throws {
    func model(_ first: String, _ second: String) -> [EntityDeclaration] {
      [("Film", first), ("Book", second)].map { name, former in
        EntityDeclaration(
          name, attributes: [RenamingTests.syncID, .init("title", .string)], renamingIdentifier: former,
          versionHashModifier: former)
      }
    }
    let one = try VersionedDevice("one", model("Film", "Book"))
    let two = try VersionedDevice("two", model("Film", "Book"))
    for entity in ["Film", "Book"] { try one.insert(entity, "n", ["title": .string(entity)]) }
    try VersionedDevice.synchronize(one, two)
    two.clock.advance(60_000)
    try two.set("Film", "n", "title", .string("changed"))
    let inverse = try merge(try two.replica.push(), into: one)

    try one.upgrade(to: model("Book", "Film"), by: model("Film", "Book"))
    let report = try one.replica.undo(inverse)

    #expect(try one.value("Film", "n", "title") == .string("Book"))
    #expect(try one.value("Book", "n", "title") == .string("Film"))
    #expect(report.kept == [])
  }

  @Test func `what a version has dropped is not written to anything`() throws {
    let (one, two) = try devicesWithNote()
    try two.set("Note", "n", "title", .string("changed"))
    try two.set("Note", "n", "code", .string("changed"))
    let inverse = try merge(try two.replica.push(), into: one)

    let rest: [AttributeDescription] = [RenamingTests.syncID, .init("code", .string, isOptional: true)]
    try one.upgrade(to: [EntityDeclaration("Note", attributes: rest)], by: model())
    let report = try one.replica.undo(inverse)

    #expect(try one.value("Note", "n", "code") == .string("C"))
    #expect(report.kept == [.init(entity: "Note", object: "n", key: "title")])
  }

  @Test func `a value comes back though others have told an older name of its attribute since`() throws {
    let (one, two) = try devicesWithNote()
    try two.set("Note", "n", "title", .string("changed"))
    let inverse = try merge(try two.replica.push(), into: one)
    var author = ScriptedAuthor(
      1 << 62,
      entities: EntityNames(
        name: "Note", root: "Note",
        properties: [.init(name: "title", formerNames: ["headline"], kind: .attribute)]))
    _ = try one.replica.receive(
      [author.set(Change("other", at: 1, .insert([])))], policy: .always(.latest))

    let report = try one.replica.undo(inverse)

    #expect(try one.value("Note", "n", "title") == .string("T"))
    #expect(report.kept == [])
  }
}
