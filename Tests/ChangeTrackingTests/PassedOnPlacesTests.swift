import ObjectStore
import Testing

@testable import ChangeTracking

/// Places that a new author says again though the member was deleted since.
@Suite struct PassedOnPlacesTests {
  @Test func `a new author does not bring up a place whose end others have forgotten`() throws {
    // Given the first of a team's members, whom somebody has deleted since, and who has forgotten that.
    let (here, there) = (try PlainDevice("here"), try PlainDevice("there"))
    try here.edit { edit in
      try edit.insert("Team", "t")
      for id in ["a", "b", "p"] as [SyncID] {
        try edit.insert("Person", id)
        try edit.link("t", id)
      }
    }
    try here.push()
    here.clock.advance(1_000)
    try here.edit { try $0.moveToFront("p", in: .members, of: "t") }
    try here.push()
    try there.receive(here.pushed)
    there.clock.advance(10_000)
    try there.edit { try $0.delete("Person", "p") }
    try here.receive(try there.push())
    let all = Horizon(positions: [try here.replica.position(), try there.replica.position()])
    try #require(try there.replica.collectTombstones(below: all).objects == 1)
    // When the first device says all that it wrote again, and somebody makes the person a member anew.
    try here.replica.begin(newIncarnation: .own)
    try there.receive(try here.push())
    var author = ScriptedAuthor(
      9,
      entities: EntityNames(
        name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))]
      ),
      EntityNames(name: "Person", root: "Person", properties: []))
    let time = LogicalTime(milliseconds: 1_800_000_000_000)
    let set = try author.set(
      Change(entity: 1, object: "p", time: time, action: .insert([])),
      Change(entity: 0, object: "t", time: time, action: .link(property: 0, target: "p")))
    for device in [here, there] { try device.receive([set]) }

    #expect(try there.store.contents() == here.store.contents())
  }
}
