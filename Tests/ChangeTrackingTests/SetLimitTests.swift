import ObjectStore
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
    body.appendText("E")
    body.append(0)
    body.appendText("E")
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
      targetLength, formerAuthors, formerNames, allFormerNames, formerNameLength

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
      case .formerNames:
        set.entities[0].formerNames = (0...SetLimits.formerNames).map { "e\($0)" }
      case .allFormerNames:
        let each = SetLimits.formerNames
        set.entities[0].properties = (0...SetLimits.allFormerNames / each).map { index in
          .init(name: "p\(index)", formerNames: (0..<each).map { "q\(index).\($0)" }, kind: .attribute)
        }
      case .formerNameLength: set.entities[0].formerNames = [long(SetLimits.nameLength)]
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

  @Test func `an object whose identifier is empty, which nobody could name, is refused`() throws {
    let device = try PlainDevice("here")
    var hostile = ScriptedAuthor(7, entities: .person)
    let set = try hostile.set(Change(.text(""), at: 1, .insert([])))
    let error = #expect(throws: ReplicaError.self) { try device.receive([set]) }
    #expect(error?.code == .invalidSet)
    #expect(try device.replica.vector().total == 0)
  }

  @Test(arguments: [0, 70] as [ChangeSet.PropertyIndex])
  func `a change that writes one property twice is refused, for what it means depends on what else is merged`(
    property: ChangeSet.PropertyIndex
  ) throws {
    let device = try PlainDevice("here")
    let names = (0...70).map { EntityNames.Property(name: "p\($0)", kind: .attribute) }
    var hostile = ScriptedAuthor(7, entities: EntityNames(name: "Person", root: "Person", properties: names))
    let registers = ["x", "y"].map { Register(property: property, content: .value(.string($0))) }
    let set = try hostile.set(Change("p", at: 1, .insert(registers)))

    let error = #expect(throws: ReplicaError.self) { try device.receive([set]) }

    #expect(error?.code == .invalidSet)
  }

  @Test func `a set of nobody is refused each time, and not only when it is the second`() throws {
    let device = try PlainDevice("here")
    var nobody = ScriptedAuthor(0, entities: .person)

    for _ in 0..<2 {
      let set = try nobody.set(Change("x", at: 1, .insert([])))
      #expect(throws: ReplicaError.self) { try device.receive([set]) }
    }

    #expect(try device.store.contents() == [])
  }

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
}
