import ObjectStore
import Testing

@testable import ChangeTracking

/// Claims to one target that bear one stamp, as copies of one store can make them.
@Suite struct EqualClaimTests {
  @Test(arguments: [["a", "b"], ["b", "a"]])
  func `of two equal claims that of the greater identifier shows, in whatever order they come`(
    order: [String]
  ) throws {
    let device = try ManagedDevice("receiver", ManagedObjectModel(Knot.self, Loop.self))
    let exclusive = EntityNames.Property(name: "exclusive", kind: .toOne(destination: "Loop"))
    var author = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Knot", root: "Knot", properties: [exclusive]),
      EntityNames(name: "Loop", root: "Loop", properties: []))
    let now = LogicalTime(milliseconds: device.clock.milliseconds)
    let loop = Change(entity: 1, object: "loop", time: now, action: .insert([]))
    try device.receive([author.set(loop)])
    for name in order {
      let claim = Register(property: 0, content: .target("loop"))
      try device.receive([
        author.set(Change(entity: 0, object: SyncID(name), time: now.next, action: .insert([claim])))
      ])
    }

    #expect(try device.the(Loop.self).holder?.ticdsSyncID == "b")
  }
}
