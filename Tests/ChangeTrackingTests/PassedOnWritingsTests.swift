import ObjectStore
import Testing

@testable import ChangeTracking

/// What a new author says again of what his former self wrote, and what he leaves to others.
@Suite struct PassedOnWritingsTests {
  private static let names = EntityNames(
    name: "Card", root: "Card", properties: [.init(name: "next", kind: .toMany(destination: "Card"))])
  private static let model = [
    EntityDeclaration(
      "Card", attributes: [RenamingTests.syncID], relationships: [.toMany("next", to: "Card")])
  ]

  /// Two devices that know the cards `c` and `d`; on the first, `d` was linked to `c`, which nobody else knows.
  private struct Linked {
    let here: VersionedDevice
    let there: VersionedDevice
    /// When it was linked.
    let time: LogicalTime
    /// Authors between the present one of the first device and every later one.
    var (next, afterNext): (ScriptedAuthor, ScriptedAuthor)

    init() throws {
      here = try VersionedDevice("here", PassedOnWritingsTests.model)
      there = try VersionedDevice("there", PassedOnWritingsTests.model)
      let (here, there) = (here, there)
      for id in ["c", "d"] { try here.insert("Card", id) }
      try VersionedDevice.synchronize(here, there)
      try here.edit { _ in
        try #require(try here.object("Card", "c"))
          .setMembers([try #require(try here.object("Card", "d"))], "next")
      }
      try here.replica.freeze()
      let frozen = try #require(try here.replica.outbox().last)
      time = try #require(try CompactCodec.decode(frozen.bytes).changes.last).time
      let author = try here.replica.author
      next = ScriptedAuthor(author.bits + 1, entities: PassedOnWritingsTests.names)
      afterNext = ScriptedAuthor(author.bits + 2, entities: PassedOnWritingsTests.names)
    }

    func receive(_ set: ReceivedSet) throws {
      for device in [here, there] { _ = try device.replica.receive([set], policy: .always(.latest)) }
    }

    func beginNewIncarnation() throws {
      try here.replica.beginNewIncarnation()
      try VersionedDevice.synchronize(here, there)
    }

    func members() throws -> [Set<String>] {
      try [here, there].map { try $0.members("Card", "c", "next") }
    }
  }

  private func change(_ time: LogicalTime, _ action: Change.Action) -> Change {
    Change(entity: 0, object: "c", time: time, action: action)
  }

  @Test func `a link that a deletion at its very time has ended does not come back under a new author`()
    throws
  {
    var linked = try Linked()
    try linked.receive(linked.next.set(change(linked.time, .delete)))

    try linked.beginNewIncarnation()
    var other = ScriptedAuthor(3, entities: Self.names)
    try linked.receive(other.set(Change("c", at: 1_900_000_000_000, .insert([]))))

    #expect(try linked.members() == [[], []])
  }

  @Test func `a link that somebody removed at its very time does not come back under a new author`() throws {
    var linked = try Linked()
    try linked.receive(linked.next.set(change(linked.time, .unlink(property: 0, target: "d"))))

    try linked.beginNewIncarnation()

    #expect(try linked.members() == [[], []])
  }

  @Test func `a removal by somebody else stays his, so what outranks it still does under a new author`()
    throws
  {
    // Given a link of ours that somebody has removed since.
    var linked = try Linked()
    let time = LogicalTime(milliseconds: 1_800_000_000_000)
    try linked.receive(linked.next.set(change(time, .unlink(property: 0, target: "d"))))
    // When we go on as somebody else, and hear that a greater author has linked it again at the time of the removal.
    try linked.beginNewIncarnation()
    try linked.receive(linked.afterNext.set(change(time, .link(property: 0, target: "d"))))

    #expect(try linked.members() == [["d"], ["d"]])
  }

  // MARK: What was pushed

  /// A device that has pushed `p`, and something later.
  private func pushedTwice() throws -> PlainDevice {
    let here = try PlainDevice("here")
    try here.edit { try $0.insert("Person", "p", ["name": .string("early")]) }
    try here.push()
    here.clock.advance(1_000)
    try here.edit { try $0.insert("Person", "q", ["name": .string("late")]) }
    try here.push()
    return here
  }

  @Test func `who says again all that he wrote says what was pushed long ago too`() throws {
    let here = try pushedTwice()

    try here.replica.begin(newIncarnation: .own)

    let late = try PlainDevice("late")
    try late.receive(try here.push())
    #expect(try late.store.contents() == here.store.contents())
  }

  @Test func `what a new author has not pushed yet passes to the next one, however old it is`() throws {
    // Given an author who says again what a former one had pushed.
    let here = try pushedTwice()
    try here.replica.begin(newIncarnation: .everybody)
    // When another one comes in his place before anything of that is pushed.
    try here.replica.beginNewIncarnation()

    let late = try PlainDevice("late")
    try late.receive(try here.push())
    #expect(try late.store.contents() == here.store.contents())
  }
}
