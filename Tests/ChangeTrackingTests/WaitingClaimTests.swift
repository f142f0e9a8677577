import ObjectStore
import Testing

@testable import ChangeTracking

/// Several objects that claim one target, which only one of them can show.
@Suite struct WaitingClaimTests {
  private static let names = EntityNames(
    name: "Person", root: "Person",
    properties: [.init(name: "partner", kind: .toOne(destination: "Person"))])

  private func claim(_ object: SyncID, _ target: SyncID?, at time: UInt64) -> Change {
    Change(object, at: time, .update([Register(property: 0, content: .target(target))]))
  }

  @Test func `claims go on waiting when one of them gets what another has left`() throws {
    // Given four people of whom three claim the fourth; the latest shows it, and came first.
    let here = try PlainDevice("here")
    try here.edit { edit in for id in ["a", "b", "c", "x"] { try edit.insert("Person", SyncID(id)) } }
    try here.push()
    var author = ScriptedAuthor(9, entities: Self.names)
    let now = here.clock.milliseconds
    try here.receive([author.set(claim("c", "x", at: now + 3_000))])
    try here.receive([author.set(claim("a", "x", at: now + 1_000), claim("b", "x", at: now + 2_000))])
    try #require(try here.store.contents().contains("Person c partner→x"))
    // When that one leaves it by a merge, and the next one by the user.
    try here.receive([author.set(claim("c", nil, at: now + 4_000))])
    try #require(try here.store.contents().contains("Person b partner→x"))
    here.clock.advance(10_000)
    try here.edit { try $0.point("Person", "b", "partner", to: nil) }
    try here.push()

    #expect(try here.store.contents().contains("Person a partner→x"))
  }
}
