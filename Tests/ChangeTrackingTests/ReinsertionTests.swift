import ObjectStore
import Testing

@testable import ChangeTracking

/// Objects come back under the sync IDs that they had before they were deleted.
@Suite struct ReinsertionTests {
  private static let people = [
    EntityDeclaration(
      "Person", attributes: [RenamingTests.syncID],
      relationships: [.init("friend", to: "Person", inverse: nil, isToMany: false)])
  ]

  /// Somebody who has not heard of the deletion has written what the insertion writes anew.
  @Test(arguments: [["target", "source"], ["source", "target"]])
  func `a relationship that is inserted shows rather than what was written before`(order: [String]) throws {
    let here = try VersionedDevice("here", Self.people)
    let there = try VersionedDevice("there", Self.people)
    try here.insert("Person", "source")
    try here.insert("Person", "target")
    try VersionedDevice.synchronize(here, there)
    try here.edit { context in
      for id in order { if let person = try here.object("Person", id) { context.delete(person) } }
    }
    there.clock.advance(60_000)
    try there.setTarget("Person", "source", "friend", there.object("Person", "target"))
    try here.receive(from: there)
    here.clock.advance(120_000)

    try here.edit { context in
      for id in order {
        let person = try context.insert(entity: "Person")
        person[SyncModelKey.syncID] = .string(id)
        if id == "source" { person.setTarget(person, "friend") }
      }
    }
    try VersionedDevice.synchronize(here, there)

    #expect(try here.target("Person", "source", "friend") == "source")
    #expect(try there.target("Person", "source", "friend") == "source")
  }

  @Test
  func `the place that an object had before its deletion is gone, though the deletion is heard of last`()
    throws
  {
    var author = ScriptedAuthor(
      7,
      entities: EntityNames(
        name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))]
      ),
      .person)
    var deleting = ScriptedAuthor(8, entities: .person)
    func insert(_ person: SyncID, at milliseconds: UInt64) -> Change {
      Change(entity: 1, object: person, time: LogicalTime(milliseconds: milliseconds), action: .insert([]))
    }
    func members(_ person: SyncID, _ key: UInt8) -> [Change] {
      [
        Change("t", at: 10, .link(property: 0, target: person)),
        Change("t", at: 10, .place(property: 0, target: person, isInverse: false, bytes: [key])),
      ]
    }
    let team = [Change("t", at: 5, .insert([])), insert("a", at: 5), insert("b", at: 5)]
    let first = try author.set(team + members("b", 1) + members("a", 2))
    let again = try author.set(insert("b", at: 30))
    let deletion = try deleting.set(Change("b", at: 20, .delete))
    let inOrder = try PlainDevice("in order")
    let late = try PlainDevice("late")

    try inOrder.receive([first, deletion, again])
    try late.receive([first, again])
    try late.receive([deletion])

    #expect(try late.store.contents() == inOrder.store.contents())
  }
}
