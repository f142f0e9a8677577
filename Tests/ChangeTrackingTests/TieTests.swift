import ObjectStore
import Testing

@testable import ChangeTracking

/// What happens at one and the same time.
@Suite struct TieTests {
  @Test func `of two writes at one time the greater author's shows`() throws {
    // Given two devices whose clocks agree, that write one register in the same millisecond.
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p") }
    try there.receive(try here.push())
    for device in [here, there] { device.clock.advance(1_000) }
    try here.edit { try $0.set("Person", "p", "name", .string("of here")) }
    try there.edit { try $0.set("Person", "p", "name", .string("of there")) }
    let (mine, theirs) = (try here.push(), try there.push())
    try #require(mine.first?.set.changes.map(\.time) == theirs.first?.set.changes.map(\.time))

    try here.receive(theirs)
    try there.receive(mine)

    let greater = try here.replica.author > there.replica.author ? "of here" : "of there"
    #expect(try here.store.contents() == ["Person p name=“\(greater)”"])
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a register written at the very time of its object's deletion does not outlast it`() throws {
    // Given an author who writes and deletes at one time, and whom everybody has merged.
    let here = try PlainDevice("here")
    var author = ScriptedAuthor(7, entities: .person)
    try here.receive([
      try author.set(
        Change("p", at: 1, .insert([])),
        Change("p", at: 5, .update([Register(property: 0, content: .value(.string("late")))])),
        Change("p", at: 5, .delete))
    ])
    let all = Horizon(positions: [
      try here.replica.position(),
      ReplicaPosition(author: author.id, sequence: 1, applied: VersionVector()),
    ])
    // Then the deletion can be forgotten like any other.
    #expect(try here.replica.collectTombstones(below: all) == CollectedTombstones(objects: 1, links: 0))
  }

  @Test func `a register written at the very time of a deletion does not come back with the object`() throws {
    // Given an object that was deleted and inserted again.
    let here = try PlainDevice("here")
    var author = ScriptedAuthor(7, entities: .person)
    try here.receive([
      try author.set(
        Change("p", at: 1, .insert([])), Change("p", at: 5, .delete), Change("p", at: 9, .insert([])))
    ])

    // When another copy of its author's store says what was written then.
    try here.receive([
      try author.set(
        Change("p", at: 5, .update([Register(property: 0, content: .value(.string("erased")))])))
    ])

    #expect(try here.store.contents() == ["Person p"])
  }

  @Test func `a link added at the very time of a deletion goes with it, though its source lives on`() throws {
    // Given a team that was inserted once more after a deletion that has not come yet.
    let here = try PlainDevice("here")
    var author = ScriptedAuthor(
      7,
      entities: EntityNames(
        name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))]
      ),
      EntityNames(name: "Person", root: "Person", properties: []))
    try here.receive([
      author.set(
        Change(entity: 1, object: "p", time: LogicalTime(milliseconds: 1), action: .insert([])),
        Change("t", at: 5, .link(property: 0, target: "p")), Change("t", at: 9, .insert([])))
    ])
    try #require(try here.store.contents() == [#"Person p ←members→["t"]"#, #"Team t members→["p"]"#])

    try here.receive([author.set(Change("t", at: 5, .delete))])

    #expect(try here.store.contents() == ["Person p", "Team t"])
  }

  @Test
  func `what a row shows does not give way to a lesser value of that time that came under its new name`()
    throws
  {
    func card(_ title: AttributeDescription) -> [EntityDeclaration] {
      [EntityDeclaration("Card", attributes: [RenamingTests.syncID, title])]
    }
    let names = EntityNames(
      name: "Card", root: "Card",
      properties: [.init(name: "name", kind: .attribute), .init(name: "title", kind: .attribute)])
    var author = ScriptedAuthor(7, entities: names)
    func says(_ text: String, _ property: ChangeSet.PropertyIndex) -> Change {
      Change("c", at: 20, .update([Register(property: property, content: .value(.string(text)))]))
    }
    let device = try VersionedDevice("device", card(.init("name", .string)))
    _ = try device.replica.receive(
      [
        author.set(Change("c", at: 10, .insert([]))), author.set(says("greater", 0)),
        author.set(says("a", 1)),
      ],
      policy: .always(.latest))

    try device.upgrade(to: card(.init("title", .string, renamingIdentifier: "name")))
    try device.replica.freeze()

    #expect(try device.text("Card", "c", "title") == "greater")
  }
}
