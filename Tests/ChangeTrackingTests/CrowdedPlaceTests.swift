import ObjectStore
import Testing

@testable import ChangeTracking

/// An author may give any bytes as places, so that there is no room between two members.
@Suite struct CrowdedPlaceTests {
  @Test(
    arguments: [([0x41], [0x41, 0]), ([0x20], [0x41, 0]), ([], [0]), ([0x20], [0])] as [([UInt8], [UInt8])])
  func `what is put between two members stands there everywhere`(left: [UInt8], right: [UInt8]) throws {
    let model = [
      EntityDeclaration(
        "Team", attributes: [RenamingTests.syncID],
        relationships: [.toMany("members", to: "Person", inverse: "teams", isOrdered: true)]),
      EntityDeclaration(
        "Person", attributes: [RenamingTests.syncID],
        relationships: [.toMany("teams", to: "Team", inverse: "members")]),
    ]
    var author = ScriptedAuthor(
      7,
      entities: EntityNames(
        name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))]
      ),
      EntityNames(name: "Person", root: "Person", properties: []))
    func person(_ id: SyncID) -> Change {
      Change(entity: 1, object: id, time: LogicalTime(milliseconds: 1), action: .insert([]))
    }
    func member(_ id: SyncID, _ bytes: [UInt8]) -> [Change] {
      [
        Change("t", at: 2, .link(property: 0, target: id)),
        Change("t", at: 2, .place(property: 0, target: id, isInverse: false, bytes: bytes)),
      ]
    }
    let set = try author.set(
      [Change("t", at: 1, .insert([])), person("a"), person("b")] + member("a", left) + member("b", right))
    let (one, two) = (try VersionedDevice("one", model), try VersionedDevice("two", model))
    for device in [one, two] { _ = try device.replica.receive([set], policy: .always(.latest)) }

    try one.edit { context in
      let new = try context.insert(entity: "Person")
      new[SyncModelKey.syncID] = .string("x")
      let team = try #require(try one.object("Team", "t"))
      var members = team.members("members")
      members.insert(new, at: 1)
      team.setMembers(members, "members")
    }
    try VersionedDevice.synchronize(one, two)

    func order(_ device: VersionedDevice) throws -> [AttributeValue] {
      try #require(try device.object("Team", "t")).members("members").map { $0[SyncModelKey.syncID] }
    }
    #expect(try order(one) == order(two))
    #expect(try order(two)[1] == .string("x"))
  }
}
