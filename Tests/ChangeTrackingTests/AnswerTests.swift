import ObjectStore
import Testing

@testable import ChangeTracking

/// What becomes of answers to conflicts: also where no row can show them now.
@Suite struct AnswerTests {
  // MARK: Unique values

  private static let cards = [
    EntityDeclaration(
      "Card", attributes: [RenamingTests.syncID, .init("code", .string)], uniquenessConstraints: [["code"]])
  ]

  private func codes(_ device: VersionedDevice) throws -> [String?] {
    try ["p", "q"].map { try device.text("Card", $0, "code") }
  }

  @Test(arguments: [ConflictAnswer.local, .value(.string("x"))])
  func `an answer that claims what another object shows is said, and has it`(answer: ConflictAnswer) throws {
    let here = try VersionedDevice("here", Self.cards)
    let there = try VersionedDevice("there", Self.cards)
    let third = try VersionedDevice("third", Self.cards)
    for id in ["p", "q"] { try here.insert("Card", id) }
    try VersionedDevice.synchronize(here, there, third)
    // Given a value of ours that gave way to a later claim of another object.
    try here.set("Card", "p", "code", .string(answer == .local ? "x" : "y"))
    there.clock.advance(100_000)
    try there.set("Card", "q", "code", .string("x"))
    try here.receive(from: there)
    third.clock.advance(50_000)
    try third.set("Card", "p", "code", .string("z"))

    // When somebody else wrote the same attribute, and the answer is ours.
    let theirs = try third.replica.push()
    let report = try here.replica.receive(theirs, policy: .always(answer))
    #expect(report.conflicts.map(\.id.key) == ["code"])
    let mine = try here.replica.push()
    for device in [there, third] { _ = try device.replica.receive(mine, policy: .always(.latest)) }
    try third.receive(from: there)
    _ = try there.replica.receive(theirs, policy: .always(.latest))

    let shown = try [here, there, third].map(codes)
    #expect(shown == Array(repeating: ["x", nil], count: 3))
  }

  // MARK: Targets

  private func three() throws -> (here: PlainDevice, there: PlainDevice, third: PlainDevice) {
    let devices = (try PlainDevice("here"), try PlainDevice("there"), try PlainDevice("third"))
    try devices.0.edit { edit in for id in ["a", "b", "t", "u"] { try edit.insert("Person", .text(id)) } }
    let sets = try devices.0.push()
    try devices.1.receive(sets)
    try devices.2.receive(sets)
    devices.0.clock.advance(1_000)
    devices.2.clock.advance(50_000)
    devices.1.clock.advance(100_000)
    return devices
  }

  @Test func `a local answer for a target that another object shows is said, and has it`() throws {
    let (here, there, third) = try three()
    try here.edit { try $0.point("Person", "a", "partner", to: "t") }
    try third.edit { try $0.point("Person", "a", "partner", to: "u") }
    try there.edit { try $0.point("Person", "b", "partner", to: "t") }
    let theirs = try there.push()
    try here.receive(theirs)

    try here.receive(third.push(), policy: .always(.local))
    let mine = try here.push()
    for device in [there, third] { try device.receive(mine) }
    try third.receive(theirs)
    try there.receive(third.pushed)

    for device in [here, there, third] {
      #expect(try device.store.contents().contains { $0.hasPrefix("Person a") && $0.contains("partner→t") })
      #expect(try device.store.contents() == here.store.contents())
    }
  }

  @Test func `a local answer for a target that is deleted shows when it comes back`() throws {
    let (here, there, third) = try three()
    try here.edit { try $0.point("Person", "a", "boss", to: "t") }
    try third.edit { try $0.point("Person", "a", "boss", to: "u") }
    try there.edit { try $0.delete("Person", "t") }
    try here.receive(there.push())

    try here.receive(third.push(), policy: .always(.local))
    try there.receive(here.push())
    try there.receive(third.pushed)
    there.clock.advance(1_000_000)
    try there.edit { try $0.insert("Person", "t") }
    try here.receive(there.push())

    for device in [here, there] {
      #expect(try device.store.contents().contains { $0.hasPrefix("Person a") && $0.contains("boss→t") })
    }
  }

  // MARK: What the row cannot hold

  @Test func `an answer that the row cannot hold is what others are told`() throws {
    let (here, there, third) = try three()
    try here.edit { try $0.set("Person", "a", "age", .integer(1)) }
    try third.edit { try $0.set("Person", "a", "age", .integer(2)) }

    try here.receive(third.push(), policy: .always(.value(.string("three"))))
    let said = try here.push()
    try there.receive(said)

    let contents = said.flatMap(\.set.changes).flatMap { change -> [Register.Content] in
      if case .update(let registers) = change.action { registers.map(\.content) } else { [] }
    }
    #expect(contents.last == .value(.string("three")))
  }

  // MARK: Several changes to one register

  @Test(arguments: [true, false], [true, false])
  func `a local answer stands against all changes to a register that come, in one go or one by one`(
    inOneGo: Bool, isAsked: Bool
  ) throws {
    let (here, there, _) = try three()
    try here.edit { try $0.set("Person", "a", "name", .string("mine")) }
    var sets: [ReceivedSet] = []
    for text in ["theirs 1", "theirs 2"] {
      there.clock.advance(5_000)
      try there.edit { try $0.set("Person", "a", "name", .string(text)) }
      sets += try there.push()
    }

    for batch in inOneGo ? [sets] : sets.map({ [$0] }) {
      var answers: [Conflict.ID: ConflictAnswer] = [:]
      let policy = { isAsked ? ConflictPolicy.answers(answers) : .always(.local) }
      while case .undecided(let conflicts) = try here.replica.apply(batch, policy: policy()) {
        for conflict in conflicts { answers[conflict.id] = .local }
      }
    }
    try there.receive(here.push())

    for device in [here, there] {
      #expect(try device.store.contents().contains("Person a name=“mine”"))
    }
  }

  @Test func `an answer about what was written says nothing of what was written since`() throws {
    let (here, there, _) = try three()
    try here.edit { try $0.set("Person", "a", "name", .string("mine 1")) }
    try there.edit { try $0.set("Person", "a", "name", .string("theirs")) }
    let sets = try there.push()
    guard case .undecided(let asked) = try here.replica.apply(sets, policy: .answers([:])) else {
      Issue.record("nothing was asked")
      return
    }
    let answers = Dictionary(uniqueKeysWithValues: asked.map { ($0.id, ConflictAnswer.remote) })
    here.clock.advance(60_000)
    try here.edit { try $0.set("Person", "a", "name", .string("mine 2")) }

    guard case .undecided(let again) = try here.replica.apply(sets, policy: .answers(answers)) else {
      Issue.record("it was not asked again")
      return
    }

    #expect(again.map(\.localContent) == [.value(.string("mine 2"))])
    #expect(try here.store.contents().contains("Person a name=“mine 2”"))
  }
}
