import ObjectStore
import Testing

@testable import ChangeTracking

class Work: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var code: String = ""

  class override var entityOptions: EntityOptions? {
    EntityOptions(Work.self, userInfo: ["TICDSNaturalKey": "code"])
  }
}

final class Novel: Work {
  @ToMany(inverse: \Critic.novel) var critics: Set<Critic>
  @ToOne var anthology: Anthology?
  @ToMany(inverse: \Critic.admired) var admirers: Set<Critic>
  class override var entityOptions: EntityOptions? {
    EntityOptions(Novel.self, userInfo: ["TICDSNaturalKey": "code"])
  }
}

final class Play: Work {
  class override var entityOptions: EntityOptions? {
    EntityOptions(Play.self, userInfo: ["TICDSNaturalKey": "code"])
  }
}

final class Critic: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToOne var novel: Novel?
  @ToMany var admired: Set<Novel>
}

final class Anthology: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany(inverse: \Novel.anthology) var novels: [Novel]
}

/// Relationships to an entity that has a parent: an object may become one of a sibling, which they cannot show.
@Suite struct NarrowRelationshipTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that know a critic of a novel.
  init() throws {
    model = try ManagedObjectModel(Work.self, Novel.self, Play.self, Critic.self, Anthology.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      let novel = try context.insert(Novel.self)
      novel.code = "Orlando"
      let critic = try context.insert(Critic.self)
      critic.novel = novel
      critic.admired = [novel]
      try context.insert(Anthology.self).novels = [novel]
    }
    try ManagedDevice.exchange(here, there)
  }

  /// What somebody says who makes an object of the same key and has heard of nobody.
  private func sets<T: Work>(ofStranger name: String, _ type: T.Type, after lead: UInt64) throws
    -> [ReceivedSet]
  {
    let stranger = try ManagedDevice(name, model)
    stranger.clock.advance(lead)
    try stranger.edit { try $0.insert(type).code = "Orlando" }
    return try stranger.push()
  }

  private func critic(on device: ManagedDevice) throws -> Critic {
    device.context.mergePendingChanges()
    return try device.the(Critic.self)
  }

  @Test func `a relationship does not show an object that became one of another entity than it leads to`()
    throws
  {
    let sets = try sets(ofStranger: "stranger", Play.self, after: 60_000)
    for device in [here, there] { try device.receive(sets) }
    let newcomer = try ManagedDevice("newcomer", model)
    try newcomer.receive(sets)
    try newcomer.receive(here.pushed)

    for device in [here, there, newcomer] {
      let critic = try critic(on: device)
      #expect(critic.novel == nil && critic.admired.isEmpty)
      #expect(try device.context.fetch(Novel.self).isEmpty)
      #expect(try device.the(Play.self).code == "Orlando")
    }
  }

  @Test func `it shows the object again when that is of its entity again`() throws {
    let first = try sets(ofStranger: "first", Play.self, after: 60_000)
    let second = try sets(ofStranger: "second", Novel.self, after: 120_000)
    for device in [here, there] {
      try device.receive(first)
      try device.receive(second)
    }

    for device in [here, there] {
      let critic = try critic(on: device)
      let novel = try device.the(Novel.self)
      #expect(critic.novel === novel && critic.admired == [novel])
      #expect(novel.critics == [critic] && novel.admirers == [critic])
    }
  }

  @Test func `a relationship that cannot be shown is not said to be cleared`() throws {
    let play = try sets(ofStranger: "stranger", Play.self, after: 60_000)
    try here.receive(play)
    here.clock.advance(90_000)
    try here.edit { try $0.fetch(Play.self).first?.code = "Orlando, a play" }

    let said = try here.push().flatMap { $0.set.changes }
    #expect(said.count == 1)
  }

  @Test func `an earlier deletion of what was in a list may come after it became something that no list has`()
    throws
  {
    try here.receive(sets(ofStranger: "stranger", Play.self, after: 60_000))
    try there.edit { try $0.delete(there.the(Novel.self)) }

    try here.receive(there.push())
    #expect(try here.context.fetch(Play.self).count == 1)
  }

  @Test func `who takes a merge back shows nothing that the relationship cannot lead to any more`() throws {
    there.clock.advance(30_000)
    try there.edit { _ in
      let critic = try critic(on: there)
      (critic.novel, critic.admired) = (nil, [])
    }
    let outcome = try here.replica.apply(there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { throw Undecided() }
    let play = try sets(ofStranger: "stranger", Play.self, after: 60_000)
    for device in [here, there] { try device.receive(play) }

    let undone = try here.replica.undo(try #require(report.inverse))
    try there.receive(here.push())

    #expect(Set(undone.kept.map(\.key)) == ["novel", "admired"])
    for device in [here, there] {
      let context = try device.context.store.newContext()
      let critic = try #require(try context.fetch(Critic.self).first)
      #expect(critic.target("novel") == nil && critic.members("admired").isEmpty)
    }
  }

  private struct Undecided: Error {}
}
