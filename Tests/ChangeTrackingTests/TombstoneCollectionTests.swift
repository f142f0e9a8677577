import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

@Suite struct TombstoneCollectionTests {
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that agree, after one has deleted a person and removed another from a team.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for name in ["gone", "kept"] { try edit.insert("Person", .text(name), ["name": .string(name)]) }
      try edit.insert("Team", "t")
      for name in ["gone", "kept"] { try edit.link("t", .text(name)) }
    }
    try there.receive(try here.push())
    try there.edit { edit in
      try edit.link("t", "kept", added: false)
      try edit.delete("Person", "gone")
    }
    try here.receive(try there.push())
  }

  private var horizon: Horizon {
    get throws { Horizon(positions: [try here.replica.position(), try there.replica.position()]) }
  }

  private func count(_ table: String, on device: PlainDevice) throws -> Int64 {
    guard case .integer(let count)? = try device.store.connection.first("SELECT count(*) FROM \(table)")
    else {
      return -1
    }
    return count
  }

  @Test func `what everybody has merged is forgotten, and nothing shows it`() throws {
    let before = try here.store.contents()

    let collected = try here.replica.collectTombstones(below: horizon)

    #expect(collected == CollectedTombstones(objects: 1, links: 2))
    #expect(try count("TICDS_OBJECT", on: here) == 2)
    #expect(try count("TICDS_LINK", on: here) == 0)
    #expect(try here.store.contents() == before)
    #expect(try here.replica.collectTombstones(below: horizon) == CollectedTombstones())
  }

  @Test func `a deletion that somebody has not merged is remembered`() throws {
    let third = try PlainDevice("third")
    let positions = try [here, there, third].map { try $0.replica.position() }

    let collected = try here.replica.collectTombstones(below: Horizon(positions: positions))

    #expect(collected == CollectedTombstones())
    #expect(try count("TICDS_OBJECT", on: here) == 3)
  }

  @Test func `a deletion that was not pushed yet is remembered`() throws {
    try here.edit { try $0.delete("Person", "kept") }
    try here.replica.freeze()
    let tombstones = try here.replica.collectTombstones(below: horizon).objects
    #expect(tombstones == 1, "only the one that both know")
  }

  @Test func `nobody forgets who has not merged what was made before the others had merged`() throws {
    // Made before the deletion was known, and on its way: nobody may forget what it would bring back.
    let third = try PlainDevice("third")
    try third.edit { try $0.insert("Person", "gone", ["name": .string("again")]) }
    let early = try third.push()
    try third.receive(here.pushed + there.pushed)
    let positions = try [here, there, third].map { try $0.replica.position() }

    #expect(try here.replica.collectTombstones(below: Horizon(positions: positions)).objects == 0)
    try here.receive(early)
    try there.receive(early)
    #expect(try here.store.contents() == there.store.contents())
    #expect(try third.store.contents() == there.store.contents())
  }

  @Test func `a set below the horizon that arrives again resurrects nothing`() throws {
    try here.replica.collectTombstones(below: horizon)
    try there.replica.collectTombstones(below: horizon)
    let before = try here.store.contents()

    try there.receive(here.pushed)
    try here.receive(there.pushed)

    #expect(try here.store.contents() == before)
    #expect(try there.store.contents() == before)
  }

  @Test func `a set below the horizon from a forgotten copy is left out with a warning`() throws {
    try there.replica.collectTombstones(below: horizon)
    var forged = try #require(here.pushed.first)
    forged.hash = ContentHash(of: [1])

    let report = try there.receive([forged])

    #expect(report.warnings.map(\.kind) == [.belowHorizon])
    #expect(report.warnings.first?.client == "here")
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `an object that is inserted again after its deletion was forgotten is the same for all`() throws
  {
    try here.replica.collectTombstones(below: horizon)
    try there.edit { try $0.insert("Person", "gone", ["age": .integer(1)]) }
    try here.receive(try there.push())
    #expect(try here.store.contents() == there.store.contents())
    #expect(try here.store.contents().contains("Person gone age=1"))
  }

  @Test func `a deleted object that something still points at is remembered`() throws {
    try here.edit { try $0.insert("Person", "boss") }
    try there.receive(try here.push())
    try here.edit { try $0.delete("Person", "boss") }
    try there.edit { try $0.point("Person", "kept", "boss", to: "boss") }
    let pointing = try there.push()
    try there.receive(try here.push())
    try here.receive(pointing)

    #expect(try here.replica.collectTombstones(below: horizon).objects == 1, "the other one")
    try there.edit { try $0.insert("Person", "boss") }
    try here.receive(try there.push())

    #expect(try here.store.contents() == there.store.contents())
    #expect(try here.store.contents().contains { $0.hasSuffix("boss→boss") })
  }

  @Test func `a deleted object that was edited by somebody who did not know is remembered`() throws {
    try here.edit { try $0.delete("Person", "kept") }
    there.clock.advance(5_000)
    try there.edit { try $0.set("Person", "kept", "name", .string("later")) }
    let edit = try there.push()
    try there.receive(try here.push())
    try here.receive(edit)

    try here.replica.collectTombstones(below: horizon)
    try there.edit { try $0.insert("Person", "kept") }
    try here.receive(try there.push())

    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `a replica that lacks something below the horizon knows that it must begin anew`() throws {
    try here.replica.collectTombstones(below: horizon)
    let late = try PlainDevice("late")
    #expect(try late.replica.isBehind(here.replica.horizon()))
    try late.receive(here.pushed + there.pushed)
    #expect(try !late.replica.isBehind(here.replica.horizon()))
  }

  @Test func `a deletion in a set that not everybody has is remembered though a former set reaches further`()
    throws
  {
    // Given two copies of one store that made sets under one author, the slower one the later set.
    var author = ScriptedAuthor(7, entities: .person)
    let common = [
      try author.set(Change("p", at: 10, .insert([])), Change("q", at: 10, .insert([]))),
      try author.set(Change("q", at: 20, .delete)),
    ]
    let reachingBack = try author.set(Change("p", at: 16, .delete))
    let here = try PlainDevice("collects")
    let there = try PlainDevice("lacks the last set")
    try here.receive(common + [reachingBack])
    try there.receive(common)
    let all = Horizon(positions: [
      try here.replica.position(), try there.replica.position(),
      ReplicaPosition(author: author.id, sequence: 3, applied: VersionVector()),
    ])

    #expect(try here.replica.collectTombstones(below: all) == CollectedTombstones())
  }

  @Test func `a deleted object that somebody counted up without knowing is remembered`() throws {
    try here.edit { try $0.delete("Person", "kept") }
    there.clock.advance(5_000)
    try there.edit { try $0.set("Person", "kept", "score", .integer(3)) }
    let edit = try there.push()
    try there.receive(try here.push())
    try here.receive(edit)

    try here.replica.collectTombstones(below: horizon)
    try there.edit { try $0.insert("Person", "kept") }
    try here.receive(try there.push())

    #expect(try here.store.contents() == ["Person kept score=3", "Team t"])
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `a link is forgotten with the source that was deleted`() throws {
    try there.edit { try $0.link("t", "kept") }
    try here.receive(try there.push())
    try there.edit { try $0.delete("Team", "t") }
    try here.receive(try there.push())

    try here.replica.collectTombstones(below: horizon)

    #expect(try count("TICDS_LINK", on: here) == 0)
    #expect(try count("TICDS_OBJECT", on: here) == 1, "but for the person that is kept")
  }

  @Test func `the removal of an erased link is remembered until everybody has merged it`() throws {
    // Given a link whose source was deleted, which everybody knows, and a later removal, which not everybody knows.
    let names = [
      EntityNames(
        name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))]
      ),
      EntityNames(name: "Person", root: "Person", properties: []),
    ]
    var deleting = ScriptedAuthor(7, entities: names[0], names[1])
    var removing = ScriptedAuthor(8, entities: names[0])
    var restoring = ScriptedAuthor(9, entities: names[0], names[1])
    let here = try PlainDevice("collects")
    try here.receive([
      deleting.set(
        Change(entity: 1, object: "p", time: LogicalTime(milliseconds: 10), action: .insert([])),
        Change("t", at: 10, .insert([])), Change("t", at: 10, .link(property: 0, target: "p")),
        Change("t", at: 20, .delete)),
      removing.set(Change("t", at: 40, .unlink(property: 0, target: "p"))),
    ])
    var known = VersionVector()
    known[deleting.id] = 1
    let all = Horizon(positions: [
      try here.replica.position(),
      ReplicaPosition(author: deleting.id, sequence: 1, applied: VersionVector()),
      ReplicaPosition(author: removing.id, sequence: 1, applied: known),
      ReplicaPosition(author: restoring.id, sequence: 0, applied: known),
    ])
    try here.replica.collectTombstones(below: all)

    // When somebody who knows of the deletion and not of the removal has brought back both team and link before it.
    try here.receive([
      restoring.set(Change("t", at: 30, .insert([])), Change("t", at: 30, .link(property: 0, target: "p")))
    ])

    #expect(try here.store.contents() == ["Person p", "Team t"])
  }
}
