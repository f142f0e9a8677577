import ObjectStore
import Testing

@testable import ChangeTracking

/// Cells that bear times which clocks do not follow: what is done to them next is later all the same.
@Suite struct FarTimeTests {
  private let here: PlainDevice
  private let there: PlainDevice

  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for person in ["p", "q", "r"] {
        try edit.insert("Person", .text(person), ["name": .string("before"), "score": .integer(1)])
      }
      try edit.point("Person", "q", "boss", to: "p")
      try edit.point("Person", "r", "boss", to: "p")
      for team in ["t", "u"] { try edit.insert("Team", .text(team)) }
      for person in ["p", "q"] { try edit.link("t", .text(person)) }
      try edit.link("u", "r")
    }
    try there.receive(try here.push())
  }

  /// What somebody says with a far time, and what the user does next.
  enum Meeting: CaseIterable, Sendable {
    case name, boss, insertion, deletion, deletionTwice, link, unlink, place, score, group, claim

    var said: Change.Action {
      switch self {
      case .name, .insertion: .update([Register(property: 0, content: .value(.string("theirs")))])
      case .boss: .update([Register(property: 1, content: .target("q"))])
      case .deletion, .deletionTwice: .delete
      case .link: .link(property: 0, target: "r")
      case .unlink: .unlink(property: 0, target: "q")
      case .place: .place(property: 0, target: "q", isInverse: false, bytes: [0x60, 1, 0x40])
      case .score: .contribute(property: 2, value: .integer(5), origin: nil)
      case .group:
        .update([
          Register(property: 3, content: .value(.integer(1))),
          Register(property: 4, content: .value(.integer(2))),
        ])
      case .claim: .update([Register(property: 5, content: .target("q"))])
      }
    }

    var isOfTeam: Bool { [.link, .unlink, .place].contains(self) }

    func edit(_ edit: borrowing PlainDevice.Edit) throws {
      switch self {
      case .name: try edit.set("Person", "p", "name", .string("ours"))
      case .boss: try edit.point("Person", "p", "boss", to: "r")
      case .insertion: try edit.delete("Person", "p")
      case .deletion: try edit.insert("Person", "p", ["name": .string("ours"), "score": .integer(7)])
      case .deletionTwice:
        try edit.insert("Person", "p", ["name": .string("ours"), "score": .integer(7)])
        try edit.link("t", "p")
        try edit.moveToFront("p", in: .members, of: "t")
      case .link: try edit.link("t", "r", added: false)
      case .unlink: try edit.link("t", "q")
      case .place: try edit.moveToFront("q", in: .members, of: "t")
      case .score: try edit.set("Person", "p", "score", .integer(10))
      case .group: try edit.set("Person", "p", "start", .integer(8))
      case .claim: try edit.point("Person", "r", "partner", to: "q")
      }
    }
  }

  private func set(_ meeting: Meeting, at time: LogicalTime) throws -> ReceivedSet {
    var author = ScriptedAuthor(
      .max,
      entities: EntityNames(
        name: "Person", root: "Person",
        properties: [
          .init(name: "name", kind: .attribute), .init(name: "boss", kind: .toOne(destination: "Person")),
          .init(name: "score", kind: .attribute), .init(name: "start", kind: .attribute),
          .init(name: "end", kind: .attribute), .init(name: "partner", kind: .toOne(destination: "Person")),
        ]),
      EntityNames(
        name: "Team", root: "Team",
        properties: [.init(name: "members", kind: .toMany(destination: "Person"))]))
    return try author.set(
      Change(
        entity: meeting.isOfTeam ? 1 : 0, object: meeting.isOfTeam ? "t" : "p", time: time,
        action: meeting.said))
  }

  private static let times = [
    LogicalTime(milliseconds: 1 << 46 + 1_001), LogicalTime(milliseconds: 3 << 45),
    LogicalTime(bits: LogicalTime.latest.bits - 100),
  ]

  @Test(arguments: Meeting.allCases, times)
  func `what the user does next shows everywhere`(_ meeting: Meeting, time: LogicalTime) throws {
    let far = try set(meeting, at: time)
    try here.receive([far])
    try here.edit(meeting.edit)
    let sets = try here.push()
    let shown = try here.store.contents()
    if meeting == .name { #expect(shown.joined().contains("ours")) }
    if meeting == .insertion { try #require(here.row("Person", "p") == nil) }
    if meeting == .deletion { try #require(here.row("Person", "p") != nil) }

    // In either order, and as another device has them that joins.
    try there.receive(sets)
    try there.receive([far])
    let newcomer = try PlainDevice("newcomer")
    try newcomer.receive(here.pushed)
    try newcomer.receive([far])
    for device in [here, there, newcomer] { #expect(try device.store.contents() == shown) }
    #expect(sets.flatMap(\.set.changes).allSatisfy { LogicalTime.valid.contains($0.time) })
    #expect(try here.replica.state.time(.clock) < HybridLogicalClock.far)
  }

  @Test(arguments: Meeting.allCases, times)
  func `devices that do so by turns agree`(_ meeting: Meeting, time: LogicalTime) throws {
    for device in [here, there] { try device.receive([set(meeting, at: time)]) }
    for round in 0..<6 {
      let (writer, reader) = round % 2 == 0 ? (here, there) : (there, here)
      writer.clock.advance(1)
      switch meeting {
      case .insertion:
        if round % 2 == 0 { try writer.edit(meeting.edit) } else { try writer.edit(Meeting.deletion.edit) }
      case .deletion, .deletionTwice:
        if round % 2 == 0 { try writer.edit(meeting.edit) } else { try writer.edit(Meeting.insertion.edit) }
      case .link: try writer.edit { try $0.link("t", "r", added: round % 2 == 1) }
      case .unlink: try writer.edit { try $0.link("t", "q", added: round % 2 == 0) }
      case .score: try writer.edit { try $0.set("Person", "p", "score", .integer(Int64(20 + round))) }
      case .name: try writer.edit { try $0.set("Person", "p", "name", .string("round \(round)")) }
      default: try writer.edit(meeting.edit)
      }
      let sets = try writer.push()
      let shown = try writer.store.contents()
      try reader.receive(sets)
      #expect(try reader.store.contents() == shown)
      #expect(try writer.store.contents() == shown)
    }
  }

  @Test func `equal amounts that are counted up beyond the clock all count`() throws {
    // Given an object that came back after a deletion with a far time, so that what is counted up bears far times too.
    try here.receive([set(.deletion, at: Self.times[1])])
    try here.edit { try $0.insert("Person", "p", ["score": .integer(1)]) }
    try here.push()
    for score in Int64(2)...4 {
      try here.edit { try $0.set("Person", "p", "score", .integer(score)) }
      try here.push()
    }

    try there.receive([set(.deletion, at: Self.times[1])])
    try there.receive(here.pushed)
    #expect(
      try there.store.connection.first("SELECT score FROM person WHERE syncid = 'p'") == .integer(4))
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a deletion with a far time is not forgotten, for what comes later bears lesser times`() throws {
    let far = try set(.deletion, at: Self.times[1])
    for device in [here, there] { try device.receive([far]) }
    let positions = [
      try here.replica.position(), try there.replica.position(),
      ReplicaPosition(author: AuthorID(bits: .max), sequence: 1, applied: VersionVector()),
    ]
    #expect(
      try here.replica.collectTombstones(below: Horizon(positions: positions))
        == CollectedTombstones(objects: 0, links: 0))
    try here.edit { try $0.insert("Person", "p", ["name": .string("again")]) }
    try there.receive(here.push())
    #expect(try there.row("Person", "p") != nil)
  }

  @Test(arguments: Meeting.allCases)
  func `what no time is left for is reported, and work goes on`(_ meeting: Meeting) throws {
    let last = try set(meeting, at: .latest)
    for device in [here, there] { try device.receive([last]) }
    try here.edit(meeting.edit)
    let sets = try here.push()
    #expect(sets.flatMap(\.set.changes).allSatisfy { LogicalTime.valid.contains($0.time) })
    let report = try here.receive(there.push())
    // A sum has no last one, and what moves in a list or claims a target need not be what bears the time.
    // An object dies after its insertion, however late its registers are.
    if ![.score, .claim, .place, .insertion].contains(meeting) {
      #expect(report.warnings.contains { $0.kind == .noLaterTime })
    }
    try there.receive(sets)
    try here.edit { try $0.set("Person", "q", "name", .string("after")) }
    try there.receive(here.push())
    #expect(
      try there.store.connection.first("SELECT name FROM person WHERE syncid = 'q'") == .text("after"))
  }

  @Test func `an object can be deleted everywhere though a register bears the last time`() throws {
    let last = try set(.name, at: .latest)
    for device in [here, there] { try device.receive([last]) }
    try here.edit { try $0.delete("Person", "p") }
    try there.receive(here.push())
    for device in [here, there] { #expect(try device.row("Person", "p") == nil) }
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a clock follows what it can of a set that also has times it cannot follow`() throws {
    let soon = LogicalTime(milliseconds: here.clock.milliseconds + 100_000)
    var received = try set(.name, at: Self.times[1])
    received.set.changes.append(
      Change(
        entity: 0, object: "q", time: soon,
        action: .update([Register(property: 0, content: .value(.string("soon")))])))
    try here.receive([received])
    #expect(try here.replica.state.time(.clock) == soon)
  }

  @Test func `a wall clock that shows a far time is not believed`() throws {
    here.clock.advance(1 << 47)
    try here.edit { try $0.set("Person", "p", "name", .string("from the future")) }
    let sets = try here.push()
    #expect(sets.flatMap(\.set.changes).allSatisfy { $0.time < HybridLogicalClock.far })
    try there.receive(sets)
    #expect(try there.store.contents() == here.store.contents())
  }
}
