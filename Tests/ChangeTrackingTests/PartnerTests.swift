import ObjectStore
import Testing

@testable import ChangeTracking

final class Dancer: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToOne(isOwnInverse: true) var partner: Dancer?
}

/// To-one relationships that are their own inverse show where both sides say so.
@Suite struct PartnerTests {
  @Test func `a merge that is taken back leaves nobody with a partner who shows another`() throws {
    let here = try ManagedDevice("here", ManagedObjectModel(Dancer.self))
    try here.edit { context in
      let dancers = try ["a", "b", "c"].map { name in
        try context.insert(Dancer.self) { $0.ticdsSyncID = name }
      }
      dancers[0].partner = dancers[1]
    }
    try here.push()
    let partner = EntityNames.Property(name: "partner", kind: .toOne(destination: "Dancer"))
    var there = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Dancer", root: "Dancer", properties: [partner]))
    let now = here.clock.milliseconds
    func says(_ object: SyncID, _ partner: SyncID?, after delay: UInt64) -> Change {
      Change(object, at: now + delay, .update([Register(property: 0, content: .target(partner))]))
    }
    // What one save wrote came in two sets, of which the second is taken back.
    try here.receive([there.set(says("c", "a", after: 1), says("b", nil, after: 1))])
    let outcome = try here.replica.apply(
      [there.set(says("a", "c", after: 2))], policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome, let inverse = report.inverse else {
      Issue.record("\(outcome)")
      return
    }
    func partners() throws -> [String: String] {
      here.context.mergePendingChanges()
      let all = try here.context.fetch(FetchRequest<Dancer>())
      return Dictionary(
        uniqueKeysWithValues: all.compactMap { dancer in
          dancer.partner.map { (dancer.ticdsSyncID ?? "", $0.ticdsSyncID ?? "") }
        })
    }
    try #require(try partners() == ["a": "c", "c": "a"])

    _ = try here.replica.undo(inverse)
    try here.push()

    // What "a" says again, "b" does not say any more.
    #expect(try partners() == [:])
  }
}
