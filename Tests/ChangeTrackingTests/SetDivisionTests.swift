import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// What is more than one set can hold goes into several; what no set can hold stays here.
@Suite struct SetDivisionTests {
  @Test(arguments: 0..<20)
  func `whatever is said goes into sets that can be read, each within its limits, and together all of it`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let entity = EntityNames(
      name: "E", root: "E",
      properties: (0..<400).map { .init(name: "p\($0)", kind: .attribute) } + [
        .init(name: "r", kind: .toMany(destination: "E"))
      ])
    func value() -> AttributeValue {
      Int.random(in: 0..<4, using: &random) == 0
        ? .string(
          String(repeating: "x", count: Int.random(in: 0...LongValue.threshold, using: &random)))
        : .random(using: &random)
    }
    let many = seed % 10 == 0 ? 70_000 : Int.random(in: 1...150, using: &random)
    let changes = (0..<many).map { index -> Change in
      let object = SyncID.uuid(7, UInt64(index))
      let width = seed % 10 == 0 ? 0 : [0, 1, 3, 400].randomElement(using: &random) ?? 1
      let registers = (0..<width).map {
        Register(property: ChangeSet.PropertyIndex(rawValue: $0), content: .value(value()))
      }
      let action: Change.Action =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .insert(registers)
        case 1: .update(registers)
        case 2: .place(property: 400, target: .random(using: &random), isInverse: false, bytes: [1, 2])
        default:
          .contribute(property: 0, value: .integer(1), origin: AuthorID(bits: random.next() % 300))
        }
      return Change(object, at: UInt64(index) + 1, action)
    }

    let division = SetDivision(changes)

    var read: [Change] = []
    for part in division.sets {
      let set = ChangeSet(
        author: AuthorID(bits: 1), client: "c", sequence: 1, previous: nil, model: "m", entities: [entity],
        changes: part)
      read += try CompactCodec.decode(try CompactCodec.encode(set)).changes
    }
    func elementary(_ changes: [Change]) -> [SyncChange: Int] {
      let set = ChangeSet(
        author: AuthorID(bits: 1), client: "c", sequence: 1, previous: nil, model: "m", entities: [entity],
        changes: changes)
      return set.syncChanges.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(elementary(read) == elementary(changes))
    for (index, bound) in division.bounds.enumerated() {
      let later = division.sets[(index + 1)...].joined().map(\.time).min()
      #expect((bound == nil) == (later == nil))
      if let bound, let later { #expect(bound < later) }
    }
  }

  @Test func `one row with more than a set can hold is said in several, and shows as one`() throws {
    let values = (0..<1_000).map {
      Register(
        property: ChangeSet.PropertyIndex(rawValue: $0),
        content: .value(.string(String(repeating: "x", count: LongValue.threshold))))
    }
    let change = Change("a", at: 5, .insert(values))
    let division = SetDivision([change])
    #expect(division.sets.count > 3)
    #expect(division.sets.joined().map { $0.registers.count }.reduce(0, +) == values.count)
    let kinds = division.sets.joined().map { if case .insert = $0.action { true } else { false } }
    #expect(kinds.filter(\.self).count == 1 && kinds.first == true)
  }

  @Test func `texts that are too much for one set travel in several, and what is not pushed stays so`() throws
  {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    let text = String(repeating: "x", count: LongValue.threshold - 4)
    try here.edit { edit in
      for index in 0..<1_200 {
        try edit.insert("Person", .text("\(index)"), ["name": .string("\(text)\(index)")])
      }
    }
    try here.replica.freeze()
    let sets = try here.replica.outbox()
    #expect(sets.count > 1)
    // Nothing of what a later set says counts as pushed.
    try here.replica.acknowledge(through: 1)
    let pushed = try here.replica.state.time(.pushedTime)
    let later = try CompactCodec.decode(sets[1].bytes)
    #expect(later.changes.allSatisfy { $0.time > pushed })
    let received = try sets.map {
      ReceivedSet(set: try CompactCodec.decode($0.bytes), hash: $0.hash)
    }
    try there.receive(received)
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `long values wait for the last set that mentions them, also where one batch makes several sets`()
    throws
  {
    let here = try PlainDevice("here")
    let text = String(repeating: "x", count: LongValue.threshold - 4)
    try here.edit { edit in
      for index in 0..<600 {
        let isLong = index == 0 || index == 599
        try edit.insert(
          "Person", .text("\(1_000 + index)"), ["name": .string(isLong ? text + text : "\(text)\(index)")])
      }
    }
    try here.replica.freeze()
    let sets = try here.replica.outbox()
    #expect(sets.count > 1)
    for set in sets.dropLast() { try here.replica.acknowledge(through: set.sequence) }
    let last = try #require(sets.last)
    let missing = try CompactCodec.decode(last.bytes).missingLongValues
    #expect(missing.count == 1)
    for value in missing { #expect(try here.replica.unsentLongValue(value.hash) != nil) }
  }

  @Test(arguments: [SyncID.text(String(repeating: "i", count: SetLimits.identifierLength + 1)), .text("")])
  func `an object whose identifier no set can hold stays here, and the next report says so`(
    unsayable: SyncID
  ) throws {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { edit in
      try edit.insert("Person", unsayable, ["name": .string("unsayable")])
      try edit.insert("Person", "p", ["name": .string("sayable")])
      try edit.point("Person", "p", "boss", to: unsayable)
      try edit.insert("Team", "t")
      try edit.link("t", unsayable)
      try edit.link("t", "p")
    }
    let sets = try here.push()
    try there.receive(sets)
    #expect(try there.row("Person", "p") != nil && there.row("Person", unsayable) == nil)

    try there.edit { try $0.set("Person", "p", "name", .string("seen")) }
    let report = try here.receive(try there.push())
    let left = report.warnings.filter { $0.kind == .exceedsLimit }
    #expect(left.contains { $0.object == unsayable && $0.entity == "Person" })
    #expect(left.contains { $0.object == "p" && $0.key == "boss" })
    #expect(left.contains { $0.object == "t" && $0.key == "members" })
    #expect(left.allSatisfy { $0.client == "here" })
    // It is said once.
    try there.edit { try $0.set("Person", "p", "name", .string("again")) }
    #expect(try here.receive(try there.push()).warnings.isEmpty)
  }
}
