import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Names that others invent, and the numbers that there are for names.
@Suite struct NameLimitTests {
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

  @Test func `names invented for what is known do not fill the bookkeeping either, and are understood`()
    throws
  {
    let device = try PlainDevice("here")
    for round in 0..<4 {
      var author = ScriptedAuthor(UInt64(round + 1), entities: .person)
      var received = try author.set(
        Change(
          .text("p\(round)"), at: 1,
          .insert([Register(property: 2_000, content: .value(.string("round \(round)")))])))
      let known = received.set.entities[0].properties.count
      received.set.entities[0].properties += (known...2_000).map {
        .init(name: "invented \(round) \($0)", formerNames: ["name"], kind: .attribute)
      }
      let report = try device.receive([received])
      #expect(report.parked.isEmpty && !report.warnings.contains { $0.kind == .exceedsLimit })
    }
    #expect(try count("TICDS_NAME", device) <= Int64(NameTable.aliasLimit) + 100)
    #expect(try device.store.contents().contains("Person p3 name=“round 3”"))
  }

  @Test func `an invalid set teaches no names`() throws {
    let device = try PlainDevice("here")
    var author = ScriptedAuthor(1, entities: .person)
    var received = try author.set(Change("p", at: 1, .insert([])))
    received.set.entities += (0...SetLimits.entities).map {
      EntityNames(name: "invented \($0)", formerNames: ["former \($0)"], root: "Person", properties: [])
    }
    let before = try count("TICDS_NAME", device)
    #expect(throws: ReplicaError.self) { try device.receive([received]) }
    #expect(try count("TICDS_NAME", device) == before)
  }

  @Test func `a property that the model learns has a number, though others have invented many before`() throws
  {
    let connection = try Connection(path: ":memory:")
    try Bookkeeping.prepare(connection, schema: SyncSchema(entities: [], model: "")) { _ in .none }
    let names = try NameTable(connection: connection, schema: SyncSchema(entities: [], model: ""))
    let number = try #require(try names.number(of: NamePath("Note"), below: nil))
    for index in 0..<10_000 {
      _ = try names.bit(
        of: NamePath("invented \(index)"), kind: .toMany(destination: "Note"), in: number,
        destination: number)
    }

    let schema = SyncSchema(
      entities: [
        SyncSchema.Entity(
          name: "Note", root: "Note",
          properties: (0..<1_000).map {
            .init(name: "own \($0)", kind: .toMany(destination: "Note", isSymmetric: false), index: $0)
          })
      ], model: "new")
    let learned = try NameTable.open(connection: connection, schema: schema)
    let last = try #require(learned[LocalEntity(rawValue: 0)].localBits.last)

    // A relationship is logged by its number in 13 bits.
    let log = try ChangeLog(connection: connection)
    try log.appendLink(
      entity: number, row: RowNumber(rawValue: 5), bit: last,
      target: ChangeLog.Row(entity: number, row: RowNumber(rawValue: 6)), added: true,
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

  @Test(arguments: ["\n", "\nPerson", "\n1", "a\0b"])
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
}
