import ObjectStore
import Testing

@testable import ChangeTracking

/// Names of something that a version has dropped, given to something else.
@Suite struct TakenNameTests {
  private static func note(_ attributes: AttributeDescription...) -> [EntityDeclaration] {
    [EntityDeclaration("Note", attributes: [RenamingTests.syncID] + attributes)]
  }

  private static let before = note(.init("title", .string), .init("code", .string))
  private static let taken = note(
    .init("title", .string, renamingIdentifier: "code", versionHashModifier: "taken"))

  @Test func `a version that gives the name of what it drops to something else is refused`() throws {
    let device = try VersionedDevice("one", Self.before)
    try device.insert("Note", "n", ["title": .string("T"), "code": .string("C")])
    try device.push()

    let error = #expect(throws: ReplicaError.self) { try device.upgrade(to: Self.taken, by: Self.before) }

    #expect(error?.code == .unsuitableModel)
    #expect(error?.subject == "Note.title")
  }

  @Test func `what was refused is taken up as soon as a version has a name for it that is free`() throws {
    let (one, two) = (try VersionedDevice("one", Self.before), try VersionedDevice("two", Self.before))
    try one.insert("Note", "n", ["title": .string("T"), "code": .string("C")])
    try VersionedDevice.synchronize(one, two)
    _ = try? one.upgrade(to: Self.taken, by: Self.before)
    let mended = Self.note(.init("heading", .string, renamingIdentifier: "code"))

    try one.upgrade(to: mended, by: Self.taken)
    two.clock.advance(60_000)
    try two.set("Note", "n", "title", .string("of the dropped one"))
    try two.set("Note", "n", "code", .string("changed"))
    try one.receive(from: two)

    #expect(try one.text("Note", "n", "heading") == "changed")
  }

  @Test func `a version that gives the name of an entity that it drops to another is refused`() throws {
    func model(_ names: (name: String, former: String?)...) -> [EntityDeclaration] {
      names.map {
        EntityDeclaration(
          $0.name, attributes: [RenamingTests.syncID], renamingIdentifier: $0.former,
          versionHashModifier: $0.former)
      }
    }
    let before = model(("Film", nil), ("Book", nil))
    let device = try VersionedDevice("one", before)
    for entity in ["Film", "Book"] { try device.insert(entity, "n") }

    let error = #expect(throws: ReplicaError.self) {
      try device.upgrade(to: model(("Film", "Book")), by: before)
    }

    #expect(error?.code == .unsuitableModel)
    #expect(error?.subject == "Film")
  }
}
