import ObjectStore
import Testing

@testable import ChangeTracking

/// Devices hear names of versions of the model that they do not have yet.
@Suite struct NamesAheadTests {
  private static let syncID = RenamingTests.syncID

  private static func media(_ attributes: AttributeDescription...) -> EntityDeclaration {
    EntityDeclaration("Media", attributes: [syncID, .init("note", .string)] + attributes)
  }

  private static let name = AttributeDescription("name", .string)
  private static let title = AttributeDescription("title", .string, renamingIdentifier: "name")

  private static func topmost(_ name: String) -> EntityDeclaration {
    EntityDeclaration(name, attributes: [syncID, .init("weight", .integer64)])
  }

  private static func below(_ name: String) -> EntityDeclaration {
    EntityDeclaration(name, parent: "Media", attributes: [.init("weight", .integer64)])
  }

  /// What the device with the former version hears first.
  enum Heard: CaseIterable { case nothing, parent, child, both }

  /// Two inserts, hears, is brought to another version, and hears more: all shows, and travels back.
  ///
  /// - Parameter attribute: what `two` calls the title in its next version.
  private func check(
    _ one: VersionedDevice, _ two: VersionedDevice, _ heard: Heard, _ child: String, shows attribute: String,
    _ upgrade: () throws -> Void
  ) throws {
    var expected: [(entity: String, id: String)] = []
    func insert(_ entity: String, _ id: String) throws {
      try one.insert(entity, id, ["title": .string("of \(id)")])
      expected.append((entity, id))
    }
    if heard == .child || heard == .both { try insert(child, "early child") }
    if heard == .parent || heard == .both { try insert("Media", "early parent") }
    try two.receive(from: one)

    try upgrade()
    try two.receive(from: one)
    for (entity, id) in expected { #expect(try two.text(entity, id, attribute) == "of \(id)") }

    try insert(child, "late child")
    try insert("Media", "late parent")
    try two.receive(from: one)
    for (entity, id) in expected {
      #expect(try two.text(entity, id, attribute) == "of \(id)")
      try two.set(entity, id, attribute, .string("again \(id)"))
    }
    try one.receive(from: two)
    for (entity, id) in expected { #expect(try one.text(entity, id, "title") == "again \(id)") }
  }

  // Whether the child's name comes before that of its parent decides which of them is looked at first.
  @Test(arguments: ["Book", "Paper"], Heard.allCases)
  func `what a moved entity inherits under a new name is shown, whatever was heard before the move`(
    child: String, heard: Heard
  ) throws {
    let apart = [Self.topmost(child), Self.media(Self.name)]
    let nested = [Self.below(child), Self.media(Self.title)]
    let (one, two) = (try VersionedDevice("one", nested), try VersionedDevice("two", apart))
    try check(one, two, heard, child, shows: "title") { try two.upgrade(to: nested, by: apart) }
  }

  @Test(arguments: ["Book", "Paper"], Heard.allCases)
  func `a version between the former and that of others shows what others call by a newer name`(
    child: String, heard: Heard
  ) throws {
    let apart = [Self.topmost(child), Self.media(Self.name)]
    let between = [Self.below(child), Self.media(Self.name)]
    let nested = [Self.below(child), Self.media(Self.title)]
    let (one, two) = (try VersionedDevice("one", nested), try VersionedDevice("two", apart))
    try check(one, two, heard, child, shows: "name") { try two.upgrade(to: between, by: apart) }
  }

  @Test(arguments: ["Book", "Paper"], Heard.allCases)
  func `an attribute that others have renamed shows what they wrote once the local model has it`(
    child: String, heard: Heard
  ) throws {
    let (former, next) = ([Self.below(child), Self.media()], [Self.below(child), Self.media(Self.name)])
    let (one, two) = (
      try VersionedDevice("one", [Self.below(child), Self.media(Self.title)]),
      try VersionedDevice("two", former)
    )
    try check(one, two, heard, child, shows: "name") { try two.upgrade(to: next, by: former) }
  }

  @Test func `an entity that others have renamed shows their objects once the local model has it`() throws {
    let former = [Self.media()]
    let next = former + [EntityDeclaration("Tag", attributes: [Self.syncID, Self.name])]
    let one = try VersionedDevice(
      "one",
      former + [EntityDeclaration("Mark", attributes: [Self.syncID, Self.name], renamingIdentifier: "Tag")])
    let two = try VersionedDevice("two", former)
    try one.insert("Mark", "early", ["name": .string("red")])
    try two.receive(from: one)
    try two.upgrade(to: next, by: former)
    try two.receive(from: one)
    #expect(try two.text("Tag", "early", "name") == "red")
    try one.insert("Mark", "late", ["name": .string("green")])
    try two.receive(from: one)
    #expect(try two.text("Tag", "late", "name") == "green")
    try two.set("Tag", "early", "name", .string("blue"))
    try one.receive(from: two)
    #expect(try one.text("Mark", "early", "name") == "blue")
  }
}
