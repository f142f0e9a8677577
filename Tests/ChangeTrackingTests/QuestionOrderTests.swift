import ObjectStore
import Testing

@testable import ChangeTracking

/// The order of the questions that one merge asks, whatever the order in which sets say things.
@Suite struct QuestionOrderTests {
  private let here: PlainDevice
  private var author = ScriptedAuthor(1 << 62, entities: .person)
  private static let now: UInt64 = 1_800_000_000_000

  /// A device that has changed the names of two people without anybody's knowledge.
  init() throws {
    here = try PlainDevice("here")
    for id in ["p", "q"] as [SyncID] { try here.edit { try $0.insert("Person", id) } }
    try here.push()
    here.clock.advance(1_000)
    for id in ["p", "q"] as [SyncID] {
      try here.edit { try $0.set("Person", id, "name", .string("mine")) }
    }
  }

  private func write(_ name: String, to object: SyncID, after delay: UInt64) -> Change {
    Change(
      object, at: Self.now + delay,
      .update([Register(property: 0, content: .value(.string(name)))]))
  }

  private func questions(_ sets: [ReceivedSet]) throws -> [Conflict] {
    let outcome = try here.replica.apply(sets, policy: .answers([:]))
    guard case .undecided(let conflicts) = outcome else { return [] }
    return conflicts
  }

  @Test mutating func `questions about one value come in the order in which it was written`() throws {
    let set = try author.set(write("second", to: "p", after: 2), write("first", to: "p", after: 1))

    #expect(
      try questions([set]).map(\.remoteContent) == [.value(.string("first")), .value(.string("second"))])
  }

  @Test mutating func `questions about one object come together`() throws {
    let set = try author.set(
      write("first", to: "q", after: 1), write("second", to: "p", after: 2),
      write("third", to: "q", after: 3))

    #expect(try questions([set]).map(\.id.object) == ["p", "q", "q"])
  }
}
