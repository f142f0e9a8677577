import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// What a new author says again at times at which others wrote too: the order of the stamps is another then.
@Suite struct IncarnationTieTests {
  private static let names = EntityNames(
    name: "Card", root: "Card",
    properties: [
      .init(name: "note", kind: .attribute), .init(name: "votes", kind: .attribute),
      .init(name: "next", kind: .toMany(destination: "Card")),
    ])

  private static let model = [
    EntityDeclaration(
      "Card",
      attributes: [
        RenamingTests.syncID, .init("note", .string),
        .init("votes", .integer64, userInfo: .merging(.counter)),
      ],
      relationships: [.toMany("next", to: "Card")])
  ]

  /// Says that card `c` was inserted once more, so that it shows what its deletion has not ended.
  private func insertAgain(_ devices: VersionedDevice...) throws {
    var author = ScriptedAuthor(3, entities: Self.names)
    let set = try author.set(Change("c", at: 1_900_000_000_000, .insert([])))
    for device in devices { _ = try device.replica.receive([set], policy: .always(.latest)) }
  }

  private struct Shown: Equatable {
    var note: AttributeValue
    var votes: AttributeValue
    var next: Set<String> = []
  }

  private func shown(_ device: VersionedDevice) throws -> Shown {
    let card = try #require(try device.object("Card", "c"))
    return Shown(note: card["note"], votes: card["votes"], next: try device.members("Card", "c", "next"))
  }

  @Test
  func `a deletion that is said under a new author ends what others wrote at its time, here as elsewhere`()
    throws
  {
    let here = try VersionedDevice("here", Self.model)
    let there = try VersionedDevice("there", Self.model)
    for id in ["c", "d"] { try here.insert("Card", id) }
    try VersionedDevice.synchronize(here, there)
    try here.edit { $0.delete(try #require(try here.object("Card", "c"))) }
    // Between the present author and every later one.
    var author = ScriptedAuthor(try here.replica.author.bits + 1, entities: Self.names)
    try here.replica.freeze()
    let frozen = try #require(try here.replica.outbox().last)
    let time = try #require(try CompactCodec.decode(frozen.bytes).changes.last?.time)
    let set = try author.set(
      [
        .update([Register(property: 0, content: .value(.string("late")))]),
        .contribute(property: 1, value: .integer(5), origin: nil), .link(property: 2, target: "d"),
      ].map { Change(entity: 0, object: "c", time: time, action: $0) })
    for device in [here, there] { _ = try device.replica.receive([set], policy: .always(.latest)) }

    try here.replica.beginNewIncarnation()
    try VersionedDevice.synchronize(here, there)
    try insertAgain(here, there)

    for device in [here, there] { #expect(try shown(device) == Shown(note: .null, votes: .null)) }
  }

  @Test(arguments: 0..<4, [true, false])
  func `what two devices have not sent and did at one time is the same everywhere once one says it for both`(
    number: Int, makerDeletes: Bool
  ) throws {
    let (one, maker, late) = (
      try VersionedDevice("one \(number)", Self.model), try VersionedDevice("maker \(number)", Self.model),
      try VersionedDevice("late \(number)", Self.model)
    )
    for id in ["c", "d"] { try one.insert("Card", id) }
    try VersionedDevice.synchronize(one, maker, late)
    one.clock.set(1_800_000_000_000)
    maker.clock.set(1_800_000_000_000)
    let (deleting, writing) = makerDeletes ? (maker, one) : (one, maker)
    try deleting.edit { $0.delete(try #require(try deleting.object("Card", "c"))) }
    try writing.edit { _ in
      let card = try #require(try writing.object("Card", "c"))
      card["note"] = .string("written")
      card["votes"] = .integer(2)
      card.setMembers([try #require(try writing.object("Card", "d"))], "next")
    }

    let folder = try TemporaryFolder()
    _ = try maker.replica.snapshot(to: folder.file("copy.sqlite"))
    let outcome = try one.replica.mergeCopy(
      at: folder.file("copy.sqlite"), policy: .always(.latest), along: { _, _, _ in })
    guard case .merged = outcome else {
      Issue.record("\(outcome)")
      return
    }
    try late.receive(from: one)
    let isThere = try late.object("Card", "c") != nil
    #expect(try (one.object("Card", "c") != nil) == isThere)
    try VersionedDevice.synchronize(one, maker, late)
    try insertAgain(one, maker, late)

    let expected = try shown(late)
    #expect(try shown(one) == expected)
    #expect(try shown(maker) == expected)
  }

  @Test(arguments: ["code", "partner"])
  func `a claim that is said under a new author outranks others of its time, here as elsewhere`(
    property: String
  ) throws {
    let model = [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID, .init("code", .string)],
        relationships: [
          .toOne("partner", to: "Card", inverse: "holder"), .toOne("holder", to: "Card", inverse: "partner"),
        ], uniquenessConstraints: [["code"]])
    ]
    let here = try VersionedDevice("here", model)
    let there = try VersionedDevice("there", model)
    for id in ["p", "q", "t"] { try here.insert("Card", id) }
    try VersionedDevice.synchronize(here, there)
    // Given a claim of ours that another object outranks, which somebody else has written at the very time.
    try here.edit { _ in
      let card = try #require(try here.object("Card", "p"))
      if property == "code" {
        card["code"] = .string("x")
      } else {
        card.setTarget(try here.object("Card", "t"), "holder")
      }
    }
    try here.replica.freeze()
    let frozen = try #require(try here.replica.outbox().last)
    let said = try CompactCodec.decode(frozen.bytes)
    let change = try #require(said.changes.last)
    guard case .update(let registers) = change.action else { throw NotAnUpdate() }
    let entity = said.entities[change.entity.rawValue]
    // The end that is recorded tells which object claims.
    let claimed = change.object == "p" ? "q" : change.object
    let content: Register.Content = change.object == "p" ? registers[0].content : .target("q")
    var author = ScriptedAuthor(try here.replica.author.bits + 1, entities: entity)
    let set = try author.set([
      Change(
        entity: 0, object: claimed, time: change.time,
        action: .update([Register(property: registers[0].property, content: content)]))
    ])
    for device in [here, there] { _ = try device.replica.receive([set], policy: .always(.latest)) }

    try here.replica.beginNewIncarnation()
    try VersionedDevice.synchronize(here, there)

    for device in [here, there] {
      #expect(try device.text("Card", "p", "code") == (property == "code" ? "x" : nil))
      #expect(try device.target("Card", "p", "holder") == (property == "code" ? nil : "t"))
    }
  }

  private struct NotAnUpdate: Error {}
}
