import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

final class Poll: ManagedObject {
  override class var entityOptions: EntityOptions? {
    EntityOptions(Poll.self, name: "Poll", userInfo: [SyncModelKey.naturalKey: "name"])
  }

  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = "poll"
  @Attribute(userInfo: .merging(.counter)) var votes: Int64 = 0
  @Attribute(userInfo: .merging(.counter)) var budget: Int64 = 100
  @Attribute(userInfo: .merging(.counter)) var paid: Decimal = 0
  @Attribute(userInfo: .merging(.counter)) var small: Int16 = 0
  @Attribute(userInfo: .merging(.greatest)) var lastSeen: Date?
  @Attribute(userInfo: .merging(.smallest)) var best: Int64?
  @Attribute(userInfo: .merging(.group("span"))) var start: Int64?
  @Attribute(userInfo: .merging(.group("span"))) var end: Int64?
  @Attribute(userInfo: [SyncModelKey.merge: "from a later version"]) var note: String?
}

@Suite struct MergeKindTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(Poll.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  private func share() throws {
    try here.edit { _ = try $0.insert(Poll.self) }
    try ManagedDevice.exchange(here, there)
  }

  private func edit(_ device: ManagedDevice, _ body: (Poll) -> Void) throws {
    try device.edit { _ in body(try device.the(Poll.self)) }
  }

  // MARK: Counters

  @Test func `a counter sums up what all devices added and took away`() throws {
    try share()
    for step in 1...3 { try edit(here) { $0.votes += Int64(step) } }
    try edit(there) { $0.votes -= 1 }
    try edit(there) { $0.paid += Decimal(string: "0.10") ?? 0 }
    try edit(here) { $0.paid += Decimal(string: "0.20") ?? 0 }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(Poll.self).votes == 5)
      #expect(try device.the(Poll.self).paid == Decimal(string: "0.30"))
    }
  }

  @Test func `several saves between two syncs make one contribution`() throws {
    try share()
    for _ in 0..<5 { try edit(here) { $0.votes += 1 } }
    let changes = try here.push().flatMap(\.set.syncChanges)
    #expect(changes.map(\.kind) == [.valueContributed])
    #expect(changes.map(\.value) == [.integer(5)])
  }

  @Test func `sets that come twice or in another order count once`() throws {
    try share()
    for _ in 0..<3 {
      try edit(here) { $0.votes += 1 }
      try here.push()
    }
    try there.receive(here.pushed)
    try there.receive(here.pushed)
    #expect(try there.the(Poll.self).votes == 3)
  }

  @Test func `of two who make the same object each counts from the initial value`() throws {
    // Each makes the poll by itself and votes in the same save; the key says that it is one poll.
    for (device, votes) in [(here, 1), (there, 2)] {
      try device.edit { context in
        let poll = try context.insert(Poll.self)
        poll.votes = Int64(votes)
        poll.budget -= 10
      }
    }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(Poll.self).votes == 3)
      #expect(try device.the(Poll.self).budget == 80)
    }
  }

  @Test func `a counter is never a conflict`() throws {
    try share()
    try edit(here) { $0.votes += 1 }
    try edit(there) { $0.votes += 1 }
    try edit(there) { $0.best = 5 }
    try edit(here) { $0.best = 4 }
    let report = try here.receive(try there.push(), policy: .answers([:]))
    #expect(report.conflicts.isEmpty)
    #expect(try here.the(Poll.self).votes == 2)
  }

  @Test func `a deletion ends a counter, and an object made anew begins again`() throws {
    try share()
    try edit(there) { $0.votes += 7 }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(try here.the(Poll.self)) }
    try here.edit { try $0.insert(Poll.self).votes = 2 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).votes == 2)
    #expect(try there.the(Poll.self).votes == 2)
  }

  @Test func `what was added after a deletion by one who did not know of it counts if the object comes back`()
    throws
  {
    try share()
    try edit(there) { $0.votes += 1 }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(try here.the(Poll.self)) }
    there.clock.advance(60_000)
    try edit(there) { $0.votes += 10 }
    try ManagedDevice.exchange(here, there)
    here.clock.advance(120_000)
    try here.edit { try $0.insert(Poll.self).votes = 2 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).votes == 12)
    #expect(try there.the(Poll.self).votes == 12)
  }

  @Test func `a sum that an attribute cannot hold stops at its bounds, and comes back below them`() throws {
    try share()
    try edit(here) { $0.small = 30_000 }
    try edit(there) { $0.small = 30_000 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).small == .max)
    #expect(try there.the(Poll.self).small == .max)
    // What was too much is still there: the sum is 60,000 − 1,000.
    try edit(there) { $0.small -= 1_000 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).small == .max)
    try edit(there) { $0.small -= 30_000 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).small == 29_000)
    #expect(try there.the(Poll.self).small == 29_000)
  }

  @Test(arguments: [true, false])
  func `a copy of the store that goes on as another counts what both had only once`(wasPushed: Bool) throws {
    try share()
    // Given something that is in a set but, as far as the copy knows, not pushed.
    try edit(here) { $0.votes += 3 }
    try here.replica.freeze()
    let target = here.folder.file("copy")
    for suffix in ["", "-wal"] {
      try? FileManager.default.copyItem(atPath: here.path + suffix, toPath: target + suffix)
    }
    let copy = try ManagedDevice("copy", model, path: target)
    // When the original goes on, and perhaps pushes it after all, and the copy finds that out.
    try edit(here) { $0.votes += 1 }
    if wasPushed { try here.push() }
    try edit(copy) { $0.votes += 10 }
    try copy.replica.beginNewIncarnation()
    let sets = try copy.push()
    #expect(sets.flatMap(\.set.syncChanges).map(\.kind).contains(.valueContributed))
    try copy.receive(here.pushed)
    // Then everybody counts the three once, whatever came first.
    try there.receive(sets)
    try there.receive(here.pushed)
    try here.receive(sets)
    let expected: Int64 = wasPushed ? 14 : 13
    #expect(try copy.the(Poll.self).votes == expected)
    #expect(try there.the(Poll.self).votes == expected)
    #expect(try here.the(Poll.self).votes == 14)
  }

  @Test func `copies of one file that was there before it was synchronised hold its amount once`() throws {
    // Given a file without bookkeeping, and a copy of it.
    let paths = ["first", "second"].map(here.folder.file)
    do {
      let context = try PersistentStore(model: model, path: paths[0]).newContext()
      let poll = try context.insert(Poll.self)
      poll.votes = 5
      poll.best = 3
      try context.save()
    }
    for suffix in ["", "-wal"] {
      try? FileManager.default.copyItem(atPath: paths[0] + suffix, toPath: paths[1] + suffix)
    }
    // When both begin to synchronise, and go on.
    let first = try ManagedDevice("first", model, path: paths[0])
    let second = try ManagedDevice("second", model, path: paths[1])
    try ManagedDevice.exchange(first, second)
    for device in [first, second] { try edit(device) { $0.votes += 1 } }
    try ManagedDevice.exchange(first, second)
    for device in [first, second] {
      #expect(try device.context.fetch(FetchRequest<Poll>()).count == 1)
      #expect(try device.the(Poll.self).votes == 7)
      #expect(try device.the(Poll.self).best == 3)
    }
  }

  // MARK: Greatest and smallest

  @Test func `the greatest and the smallest value stay, whoever wrote last`() throws {
    try share()
    let (early, late) = (
      Date(timeIntervalSinceReferenceDate: 1_000), Date(timeIntervalSinceReferenceDate: 2_000)
    )
    try edit(here) {
      $0.lastSeen = late
      $0.best = 9
    }
    there.clock.advance(60_000)
    try edit(there) {
      $0.lastSeen = early
      $0.best = 12
    }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(Poll.self).lastSeen == late)
      #expect(try device.the(Poll.self).best == 9)
    }
  }

  @Test func `a write that is not greater says nothing and is taken back`() throws {
    try share()
    try edit(here) { $0.best = 3 }
    try ManagedDevice.exchange(here, there)
    try edit(there) { $0.best = 4 }
    #expect(try there.push().isEmpty)
    #expect(try there.the(Poll.self).best == 3)
  }

  @Test func `of two who make the same object the better value stays`() throws {
    try here.edit { try $0.insert(Poll.self).best = 5 }
    there.clock.advance(60_000)
    try there.edit { try $0.insert(Poll.self).best = 8 }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).best == 5)
    #expect(try there.the(Poll.self).best == 5)
  }

  @Test func `a value that a deletion erased gives way to a lesser one written after it`() throws {
    try share()
    try edit(here) { $0.best = 1 }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(try here.the(Poll.self)) }
    try here.edit { try $0.insert(Poll.self).best = 6 }
    try ManagedDevice.exchange(here, there)
    #expect(try there.the(Poll.self).best == 6)
  }

  @Test func `a lesser value outlasts the deletion of a greater one, in whatever order they come`() throws {
    // Given a value, a deletion by somebody who knows it, and a lesser value by somebody who knows of neither.
    let first = try PlainDevice("first")
    try first.edit { try $0.insert("Person", "p", ["best": .integer(10)]) }
    let greater = try first.push()
    let second = try PlainDevice("second")
    try second.receive(greater)
    second.clock.advance(1_000)
    try second.edit { try $0.delete("Person", "p") }
    let deletion = try second.push()
    let third = try PlainDevice("third")
    third.clock.advance(2_000)
    try third.edit { try $0.insert("Person", "p", ["best": .integer(5)]) }
    let lesser = try third.push()

    for order in [[greater, deletion, lesser], [greater, lesser, deletion], [lesser, greater, deletion]] {
      let late = try PlainDevice("late")
      for sets in order { try late.receive(sets) }
      #expect(try late.store.contents() == ["Person p best=5"])
    }
  }

  // MARK: Groups

  @Test func `the properties of a group come from one write`() throws {
    try share()
    try edit(here) {
      $0.start = 1
      $0.end = 2
    }
    try ManagedDevice.exchange(here, there)
    // When one moves the start and the other, later, the end.
    try edit(here) { $0.start = 0 }
    there.clock.advance(60_000)
    try edit(there) { $0.end = 9 }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(Poll.self).start == 1)
      #expect(try device.the(Poll.self).end == 9)
    }
  }

  @Test func `an insertion that says something of a group says all of it`() throws {
    try here.edit {
      let poll = try $0.insert(Poll.self)
      poll.start = 1
      poll.end = 2
    }
    there.clock.advance(60_000)
    try there.edit { try $0.insert(Poll.self).start = 5 }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(Poll.self).start == 5)
      #expect(try device.the(Poll.self).end == nil)
    }
  }

  @Test(arguments: [ConflictAnswer.local, .remote, .latest])
  func `one answer decides the conflicts of a group`(answer: ConflictAnswer) throws {
    try share()
    try edit(here) {
      $0.start = 1
      $0.end = 2
    }
    try edit(there) {
      $0.start = 3
      $0.end = 4
    }
    let fromThere = try there.push()
    guard
      case .undecided(let open) = try here.replica.apply(
        fromThere, policy: .answers([:]))
    else {
      Issue.record("nobody was asked")
      return
    }
    #expect(open.count == 1)
    try here.receive(
      fromThere, policy: .answers(Dictionary(uniqueKeysWithValues: open.map { ($0.id, answer) })))
    try there.receive(try here.push())
    let poll = try here.the(Poll.self)
    #expect([poll.start, poll.end] == [1, 2] || [poll.start, poll.end] == [3, 4])
    #expect(try [there.the(Poll.self).start, there.the(Poll.self).end] == [poll.start, poll.end])
    if answer == .local { #expect(poll.start == 1) }
    if answer == .remote { #expect(poll.start == 3) }
  }

  // MARK: Models

  @Test func `a merge that the model does not know is that of the latest`() throws {
    try share()
    try edit(here) { $0.note = "first" }
    there.clock.advance(60_000)
    try edit(there) { $0.note = "second" }
    try ManagedDevice.exchange(here, there)
    #expect(try here.the(Poll.self).note == "second")
  }

  @Test func `of values that can never show again nothing is kept`() throws {
    let device = try PlainDevice("device")
    try device.edit { try $0.insert("Person", "p", ["best": .integer(1)]) }
    for value in 2...4 as ClosedRange<Int64> {
      try device.push()
      device.clock.advance(1_000)
      try device.edit { try $0.set("Person", "p", "best", .integer(value)) }
    }
    try device.push()
    #expect(
      try device.store.connection.first("SELECT count(*) FROM TICDS_CONTRIBUTION") == .integer(1))
  }

  @Test(arguments: [[1, 2], [2, 1]])
  func `what a later value outdoes is not kept, whichever is heard of first`(order: [UInt64]) throws {
    let device = try PlainDevice("device")
    try device.edit { try $0.insert("Person", "p", [:]) }
    try device.push()
    for time in order {
      var author = ScriptedAuthor(
        time,
        entities: EntityNames(
          name: "Person", root: "Person", properties: [.init(name: "best", kind: .attribute)]))
      let best = Change.Action.contribute(property: 0, value: .integer(Int64(time)), origin: nil)
      try device.receive([author.set(Change("p", at: 1_900_000_000_000 + time, best))])
    }
    #expect(
      try device.store.connection.first("SELECT count(*) FROM TICDS_CONTRIBUTION") == .integer(1))
  }
}
