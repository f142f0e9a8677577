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
}
