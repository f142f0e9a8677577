import ObjectStore
import Testing

@testable import ChangeTracking

/// A set may name two entities alike: its author knows both from versions of a model that tell different things of what came before.
@Suite struct EntityNamedTwiceTests {
  private func set(_ entities: [EntityNames], objectOf entity: Int) throws -> ReceivedSet {
    var author = ScriptedAuthor(1, entities)
    return try author.set([
      Change(
        entity: ChangeSet.EntityIndex(rawValue: entity), object: .text("a"),
        time: LogicalTime(milliseconds: 3), action: .insert([]))
    ])
  }

  private func shown(_ set: ReceivedSet) throws -> [String] {
    let device = try PlainDevice("device")
    try device.receive([set])
    return try device.store.contents()
  }

  @Test(arguments: [true, false])
  func `an object is of the entity of which it is said`(isFirst: Bool) throws {
    let present = EntityNames(name: "Person", root: "Person", properties: [])
    let renamed = EntityNames(name: "Person", formerNames: ["Team"], root: "Person", properties: [])
    let entities = isFirst ? [renamed, present] : [present, renamed]

    #expect(try shown(set(entities, objectOf: isFirst ? 0 : 1)) == shown(set([renamed], objectOf: 0)))
    #expect(try shown(set(entities, objectOf: isFirst ? 1 : 0)) == ["Person a"])
    #expect(try shown(set([renamed], objectOf: 0)) != ["Person a"])
  }
}
