import ObjectStore
import Testing

@testable import ChangeTracking

/// Times that no honest clock shows: whoever merges them must be able to go on.
@Suite struct InvalidTimeTests {
  private let here: PlainDevice
  private let there: PlainDevice

  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for person in ["p", "q"] { try edit.insert("Person", .text(person), ["name": .string("before")]) }
      try edit.insert("Team", "t")
      try edit.link("t", "p")
    }
    try there.receive(try here.push())
  }

  private static let person = EntityNames(
    name: "Person", root: "Person",
    properties: [
      .init(name: "name", kind: .attribute), .init(name: "boss", kind: .toOne(destination: "Person")),
      .init(name: "score", kind: .attribute),
    ])
  private static let team = EntityNames(
    name: "Team", root: "Team", properties: [.init(name: "members", kind: .toMany(destination: "Person"))])

  enum Action: CaseIterable, Sendable {
    case insert, update, point, delete, link, unlink, place, contribute, contributeOfFormer

    func change(at time: LogicalTime) -> Change {
      let (entity, object, action): (ChangeSet.EntityIndex, SyncID, Change.Action) =
        switch self {
        case .insert: (0, "new", .insert([Register(property: 0, content: .value(.string("new")))]))
        case .update: (0, "p", .update([Register(property: 0, content: .value(.string("theirs")))]))
        case .point: (0, "p", .update([Register(property: 1, content: .target("q"))]))
        case .delete: (0, "p", .delete)
        case .link: (1, "t", .link(property: 0, target: "q"))
        case .unlink: (1, "t", .unlink(property: 0, target: "p"))
        case .place: (1, "t", .place(property: 0, target: "p", isInverse: false, bytes: [0x60, 1, 0x40]))
        case .contribute: (0, "p", .contribute(property: 2, value: .integer(5), origin: nil))
        case .contributeOfFormer:
          (0, "p", .contribute(property: 2, value: .integer(5), origin: AuthorID(bits: 77)))
        }
      return Change(entity: entity, object: object, time: time, action: action)
    }
  }

  private func set(_ changes: [Change]) throws -> ReceivedSet {
    var author = ScriptedAuthor(0x42, entities: Self.person, Self.team)
    var received = try author.set(Change("never", at: 1, .update([])))
    received.set.changes = changes
    received.hash = ContentHash(of: try CompactCodec.encode(received.set))
    return received
  }

  private static let greatest = LogicalTime(bits: .max)
  private static let firstInvalid = LogicalTime.valid.upperBound

  @Test(arguments: Action.allCases, [greatest, firstInvalid])
  func `what bears such a time is left out everywhere, touches no clock, and is reported`(
    action: Action, time: LogicalTime
  ) throws {
    let before = try here.store.contents()
    let received = try set([action.change(at: time)])
    for device in [here, there] {
      let clock = try device.replica.state.time(.clock)
      let report = try device.receive([received])
      #expect(try device.store.contents() == before)
      #expect(try device.replica.state.time(.clock) == clock)
      let warning = try #require(report.warnings.first { $0.kind == .timeInvalid })
      #expect(warning.client == "scripted")
      #expect(warning.lead == time.milliseconds - device.clock.milliseconds)
      #expect(report.effective == 0)
    }
    // The set counts as applied, and work goes on.
    #expect(try here.replica.vector()[AuthorID(bits: 0x42)] == 1)
    here.clock.advance(1_000)
    try here.edit { try $0.set("Person", "p", "name", .string("after")) }
    try there.receive(try here.push())
    #expect(try there.store.contents() == here.store.contents())
    #expect(try there.store.contents() != before)
  }

  @Test func `what else such a set says is merged`() throws {
    let valid = LogicalTime(milliseconds: here.clock.milliseconds + 10_000)
    let received = try set([
      Action.update.change(at: Self.greatest), Action.contribute.change(at: valid),
      Action.delete.change(at: Self.firstInvalid),
    ])
    for device in [here, there] { try device.receive([received]) }
    #expect(try here.store.contents() == there.store.contents())
    #expect(try here.row("Person", "p") != nil)
    #expect(
      try here.store.connection.first("SELECT score FROM person WHERE syncid = 'p'") == .integer(5))
  }

  @Test func `after a set just below the bound the edits of others still win over each other`() throws {
    let last = LogicalTime(bits: Self.firstInvalid.bits - 1)
    let received = try set([
      Change(
        entity: 0, object: "q", time: last,
        action: .update([Register(property: 0, content: .value(.string("for ever")))]))
    ])
    for device in [here, there] {
      let report = try device.receive([received])
      #expect(report.warnings.map(\.kind) == [.clockAhead])
      #expect(try device.replica.state.time(.clock) < LogicalTime(milliseconds: 1 << 46))
    }
    // Both go on by turns, and the later edit shows.
    for round in 0..<20 {
      let (writer, reader) = round % 2 == 0 ? (here, there) : (there, here)
      writer.clock.advance(1)
      try writer.edit { edit in
        try edit.set("Person", "p", "name", .string("round \(round)"))
        try edit.insert("Person", .text("new \(round)"))
      }
      let sets = try writer.push()
      #expect(sets.flatMap(\.set.changes).allSatisfy { LogicalTime.valid.contains($0.time) })
      try reader.receive(sets)
      #expect(
        try reader.store.connection.first("SELECT name FROM person WHERE syncid = 'p'")
          == .text("round \(round)"))
    }
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `a clock that has come far follows others in small steps, so that it never comes to the end`()
    throws
  {
    var clock = HybridLogicalClock(last: LogicalTime(milliseconds: 1_700_000_000_000))
    for _ in 0..<10_000 {
      clock.receive(LogicalTime(bits: Self.firstInvalid.bits - 1))
      _ = clock.next(now: 1_700_000_000_000)
    }
    #expect(LogicalTime.valid.contains(clock.last))
    // An honest step beyond is followed.
    var far = HybridLogicalClock(last: LogicalTime(milliseconds: 1 << 46))
    far.receive(LogicalTime(milliseconds: 1 << 46 + 900))
    #expect(far.next(now: 0) > LogicalTime(milliseconds: 1 << 46))
  }
}
