import ByteFixtures
import Foundation
import ObjectStore
import SQLite
import Testing

@testable import ChangeTracking

/// What one set may declare and make, for those who read it, merge it and write it.
@Suite struct SetLimitTests {
  // MARK: Reading

  /// The body of a set that deletes ever the same object, as small as such a body can be.
  private static func deletions(_ count: Int) -> [UInt8] {
    var body: [UInt8] = []
    body.appendBigEndian(1)
    body += [0, 1, 0, 0]
    body.appendVarint(1)
    for name in ["E", "E"] { body.appendText(name) }
    body += [0, 0, 0, 1, 0, SetEncoder.Action.delete, 0]
    body.appendVarint(UInt64(count))
    // Each identifier is the one before, and so is each time.
    body.append(0)
    body += [UInt8](repeating: 9, count: count)
    body += [UInt8](repeating: 0, count: 2 * count)
    return body
  }

  @Test func `four million deletions in a few compressed bytes are refused`() throws {
    let error = #expect(throws: CodecError.self) {
      try CompactCodec.decodeBody(Self.deletions(4_000_000))
    }
    #expect(error?.code == .exceedsLimit)
    #expect(try CompactCodec.decodeBody(Self.deletions(SetLimits.changes)).changes.count == SetLimits.changes)
  }

  enum Excess: CaseIterable, Sendable {
    case changes, values, entities, properties, nameLength, clientLength, modelLength, identifierLength,
      targetLength, formerAuthors

    var set: ChangeSet {
      var set = ChangeSet(
        author: AuthorID(bits: 1), client: "c", sequence: 1, previous: nil, model: "m",
        entities: [EntityNames(name: "E", root: "E", properties: [.init(name: "p", kind: .attribute)])],
        changes: [])
      func long(_ limit: Int) -> String { String(repeating: "x", count: limit + 1) }
      switch self {
      case .changes:
        set.changes = (0...SetLimits.changes).map { Change(.uuid(0, UInt64($0)), at: 1, .delete) }
      case .values:
        let registers = (0..<64).map {
          Register(property: ChangeSet.PropertyIndex(rawValue: $0), content: .value(.null))
        }
        set.entities[0].properties = (0..<64).map { .init(name: "p\($0)", kind: .attribute) }
        set.changes = (0..<SetLimits.values / 64).map {
          Change(.uuid(0, UInt64($0)), at: 1, .update(registers))
        }
      case .entities:
        set.entities += (0..<SetLimits.entities).map {
          EntityNames(name: "E\($0)", root: "E", properties: [])
        }
      case .properties:
        set.entities[0].properties = (0...SetLimits.properties).map {
          .init(name: "p\($0)", kind: .attribute)
        }
      case .nameLength: set.entities[0].name = long(SetLimits.nameLength)
      case .clientLength: set.client = long(SetLimits.identifierLength)
      case .modelLength: set.model = long(SetLimits.identifierLength)
      case .identifierLength: set.changes = [Change(.text(long(SetLimits.identifierLength)), at: 1, .delete)]
      case .targetLength:
        set.entities[0].properties = [.init(name: "r", kind: .toMany(destination: "E"))]
        set.changes = [
          Change("a", at: 1, .link(property: 0, target: .text(long(SetLimits.identifierLength))))
        ]
      case .formerAuthors:
        set.changes = (0...SetLimits.formerAuthors).map {
          Change(
            "a", at: 1,
            .contribute(property: 0, value: .integer(1), origin: AuthorID(bits: UInt64($0))))
        }
      }
      return set
    }
  }

  @Test(arguments: Excess.allCases.filter { $0 != .values })
  func `a set with more than one may have is refused by who reads it`(excess: Excess) throws {
    let bytes = try CompactCodec.encode(excess.set)
    let error = #expect(throws: CodecError.self) { try CompactCodec.decode(bytes) }
    #expect(error?.code == .exceedsLimit)
  }

  @Test(arguments: Excess.allCases)
  func `a set with more than one may have, in whatever format it came, is refused by who merges it`(
    excess: Excess
  ) throws {
    let device = try PlainDevice("here")
    let error = #expect(throws: ReplicaError.self) {
      try device.receive([ReceivedSet(set: excess.set, hash: ContentHash(of: [1]))])
    }
    #expect(error?.code == .invalidSet)
    #expect(error?.author == AuthorID(bits: 1))
    #expect(try device.replica.vector().total == 0)
  }

  // MARK: Merging

  @Test func `a set that names what it does not declare has no effect, whatever stands before that`() throws {
    let device = try PlainDevice("here")
    var author = ScriptedAuthor(3, entities: .person)
    let good = (0..<5_000).map { Change(.uuid(1, UInt64($0)), at: 1, .insert([])) }
    var received = try author.set(Change("x", at: 2, .insert([])))
    received.set.changes =
      good + [Change("z", at: 3, .update([Register(property: 7, content: .value(.null))]))]

    let error = #expect(throws: ReplicaError.self) { try device.receive([received]) }

    #expect(error?.code == .invalidSet)
    #expect(error?.author == AuthorID(bits: 3) && error?.sequence == 1)
    #expect(try device.store.contents() == PlainDevice("other").store.contents())
    #expect(try device.store.connection.first("SELECT count(*) FROM TICDS_OBJECT") == .integer(0))
  }

  private func count(_ table: String, _ device: PlainDevice) throws -> Int64 {
    guard case .integer(let count)? = try device.store.connection.first("SELECT count(*) FROM \(table)")
    else {
      return -1
    }
    return count
  }

  @Test func `invented entities do not fill the bookkeeping for ever, and are reported`() throws {
    let device = try PlainDevice("here")
    for round in 0..<4 {
      var author = ScriptedAuthor(UInt64(round + 1), entities: .person)
      var received = try author.set(
        Change(.text("p\(round)"), at: 1, .insert([])),
        Change(entity: 500, object: "z", time: LogicalTime(milliseconds: 2), action: .insert([])))
      received.set.entities += (0..<500).map {
        EntityNames(name: "invented \(round) \($0)", root: "root \(round) \($0)", properties: [])
      }
      let report = try device.receive([received])
      #expect(report.warnings.map(\.kind).contains(.exceedsLimit))
      #expect(try device.row("Person", .text("p\(round)")) != nil)
    }
    #expect(try count("TICDS_ENTITY", device) <= Int64(NameTable.foreignEntityLimit) + 2)
  }

  @Test func `invented properties and destinations do not fill the bookkeeping for ever either`() throws {
    let device = try PlainDevice("here")
    for round in 0..<3 {
      var author = ScriptedAuthor(UInt64(round + 1), entities: .person)
      var received = try author.set(
        Change(
          .text("p\(round)"), at: 1,
          .insert([
            Register(property: 0, content: .value(.string("name"))),
            Register(property: 8_000, content: .value(.integer(1))),
          ])))
      received.set.entities[0].properties += (0..<8_000).map {
        .init(name: "invented \(round) \($0)", kind: .attribute)
      }
      received.set.entities[0].properties += (0..<500).map {
        .init(name: "to \(round) \($0)", kind: .toOne(destination: "D \(round) \($0)"))
      }
      let report = try device.receive([received])
      #expect(report.warnings.contains { $0.kind == .exceedsLimit && $0.entity == "Person" })
      #expect(try device.row("Person", .text("p\(round)")) != nil)
    }
    #expect(try count("TICDS_PROPERTY", device) <= Int64(NameTable.foreignPropertyLimit) + 10)
    #expect(try count("TICDS_ENTITY", device) <= Int64(NameTable.foreignEntityLimit) + 2)
    // What the log packs into 13 bits still fits.
    try device.edit { try $0.set("Person", "p0", "name", .string("edited")) }
    let changes = try device.push().flatMap(\.set.syncChanges)
    #expect(changes.map(\.key) == ["name"])
  }

  @Test func `a property that the model learns has a number, though others have invented many before`() throws
  {
    let connection = try Connection(path: ":memory:")
    try Bookkeeping.prepare(connection, schema: SyncSchema(entities: [], model: "")) { _ in .none }
    let names = try NameTable(connection: connection, schema: SyncSchema(entities: [], model: ""))
    let number = try #require(try names.foreignNumber(of: "Note", root: "Note"))
    for index in 0..<10_000 {
      _ = try names.foreignBit(of: "invented \(index)", kind: .toMany(destination: "Note"), in: number)
    }

    let schema = SyncSchema(
      entities: [
        SyncSchema.Entity(
          name: "Note", root: "Note",
          properties: (0..<1_000).map {
            .init(name: "own \($0)", kind: .toMany(destination: "Note", isSymmetric: false), index: $0)
          })
      ], model: "new")
    let learned = try NameTable(connection: connection, schema: schema)
    let last = try #require(learned[LocalEntity(rawValue: 0)].localBits.last)

    // A relationship is logged by its number in 13 bits.
    let log = try ChangeLog(connection: connection)
    try log.appendLink(
      entity: number, row: RowNumber(rawValue: 5), bit: last, target: RowNumber(rawValue: 6), added: true,
      time: LogicalTime(milliseconds: 1))
    let entry = try #require(try ChangeLog.entries(connection, after: 0, limit: 1).first)
    #expect(entry.firstBit == last && entry.entity == number && entry.kind == .link)
  }

  @Test func `a model with more properties in one family than have numbers is refused when it is opened`()
    throws
  {
    let connection = try Connection(path: ":memory:")
    let schema = SyncSchema(
      entities: [
        SyncSchema.Entity(
          name: "Note", root: "Note",
          properties: (0...NameTable.propertyLimit).map {
            .init(name: "p\($0)", kind: .attribute, index: $0)
          })
      ], model: "m")
    let error = #expect(throws: ReplicaError.self) {
      try Bookkeeping.prepare(connection, schema: schema) { _ in .none }
      _ = try NameTable(connection: connection, schema: schema)
    }
    #expect(error?.code == .modelTooLarge)
  }

  @Test(arguments: ["\n", "\nPerson", "\n1", "", "a\0b"])
  func `names are only names, whatever they begin with`(name: String) throws {
    let device = try PlainDevice("here")
    try device.edit { try $0.insert("Person", "p", ["name": .string("mine")]) }
    let before = try device.store.contents()
    var author = ScriptedAuthor(
      9, entities: EntityNames(name: name, root: name, properties: [.init(name: name, kind: .attribute)]))
    let report = try device.receive([
      try author.set(
        Change("q", at: 1, .insert([Register(property: 0, content: .value(.string("theirs")))])))
    ])
    #expect(report.warnings.allSatisfy { $0.kind == .unknownToModel })
    #expect(try device.store.contents() == before)
    try device.edit { try $0.set("Person", "p", "name", .string("later")) }
    #expect(try device.push().flatMap(\.set.syncChanges).allSatisfy { $0.entity == "Person" })
  }

  // MARK: Writing

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

  @Test func `an object whose identifier no set can hold stays here, and the next report says so`() throws {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    let long = SyncID.text(String(repeating: "i", count: SetLimits.identifierLength + 1))
    try here.edit { edit in
      try edit.insert("Person", long, ["name": .string("unsayable")])
      try edit.insert("Person", "p", ["name": .string("sayable")])
      try edit.point("Person", "p", "boss", to: long)
      try edit.insert("Team", "t")
      try edit.link("t", long)
      try edit.link("t", "p")
    }
    let sets = try here.push()
    try there.receive(sets)
    #expect(try there.row("Person", "p") != nil && there.row("Person", long) == nil)

    try there.edit { try $0.set("Person", "p", "name", .string("seen")) }
    let report = try here.receive(try there.push())
    let left = report.warnings.filter { $0.kind == .exceedsLimit }
    #expect(left.contains { $0.object == long && $0.entity == "Person" })
    #expect(left.contains { $0.object == "p" && $0.key == "boss" })
    #expect(left.contains { $0.object == "t" && $0.key == "members" })
    #expect(left.allSatisfy { $0.client == "here" })
    // It is said once.
    try there.edit { try $0.set("Person", "p", "name", .string("again")) }
    #expect(try here.receive(try there.push()).warnings.isEmpty)
  }

  // MARK: Generations

  @Test func `a store may change its author two hundred times, each time to a greater one`() throws {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p", ["name": .string("0")]) }
    try there.receive(try here.push())
    var author = try here.replica.author
    for generation in 1...200 {
      // The same instant: the author alone decides.
      try here.replica.beginNewIncarnation()
      let next = try here.replica.author
      #expect(next > author)
      author = next
      if generation % 50 == 0 {
        here.clock.advance(1)
        try here.edit { try $0.set("Person", "p", "name", .string("\(generation)")) }
        try there.receive(try here.push())
        #expect(try there.store.contents() == here.store.contents())
      }
    }
  }
}
