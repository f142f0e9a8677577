import ByteFixtures
import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct CompactCodecTests {
  @Test(arguments: 0..<200)
  func `decoding what was encoded gives the same set, apart from the order of its changes`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: UInt64(seed))
    let set = ChangeSet.random(using: &random)

    let decoded = try CompactCodec.decode(try CompactCodec.encode(set))

    #expect(Set(decoded.changes) == Set(set.changes))
    #expect(decoded.changes.count == set.changes.count)
    var unordered = (decoded, set)
    unordered.0.changes = []
    unordered.1.changes = []
    #expect(unordered.0 == unordered.1)
  }

  @Test func `equal sets have equal bytes whatever the order of their changes`() throws {
    var random = SeededGenerator(seed: 1)
    var set = ChangeSet.random(using: &random)
    let bytes = try CompactCodec.encode(set)
    set.changes.reverse()
    #expect(try CompactCodec.encode(set) == bytes)
  }

  @Test func `every truncation is answered with an error`() throws {
    var random = SeededGenerator(seed: 2)
    let bytes = try CompactCodec.encode(ChangeSet.random(using: &random))
    for length in 0..<bytes.count {
      #expect(throws: CodecError.self) { try CompactCodec.decode(Array(bytes[..<length])) }
    }
  }

  @Test(arguments: 0..<2_000)
  func `a damaged body is answered with a set or an error`(seed: UInt64) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var encoder = SetEncoder()
    encoder.append(ChangeSet.random(using: &random))
    var body = encoder.bytes
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      body[Int.random(in: body.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    let outcome = body.withUnsafeBytes { bytes in
      Result { () throws(CodecError) in
        var decoder = SetDecoder(bytes)
        return try decoder.set()
      }
    }
    if case .success(let set) = outcome { #expect(set.changes.count <= body.count) }
  }

  @Test func `a body that claims to be too large is refused before anything is allocated`() throws {
    var bytes = CompactCodec.magic + [CompactCodec.version]
    bytes.appendVarint(.max)
    let error = #expect(throws: CodecError.self) { try CompactCodec.decode(bytes) }
    #expect(error?.code == .exceedsLimit)
  }

  @Test(arguments: [(UInt8(99), CodecError.Code.newerVersion), (1, .olderVersion)])
  func `a set of another version is told from a damaged one`(version: UInt8, code: CodecError.Code) throws {
    let error = #expect(throws: CodecError.self) {
      try CompactCodec.decode(CompactCodec.magic + [version, 0])
    }
    #expect(error?.code == code)
  }

  @Test func `a group of more values than memory holds is refused before they are allocated`() throws {
    let count = 100_000
    var body: [UInt8] = []
    body.appendBigEndian(1)
    body += [0, 1, 0, 0]
    // One entity with one property.
    body.appendVarint(1)
    body.appendText("E")
    body.append(0)
    body.appendText("E")
    body.appendVarint(1)
    body.appendText("p")
    body += [0, 0]
    // No targets, one group of insertions that write the property again and again.
    body += [0, 0, 1, 0, SetEncoder.Action.insert]
    body.appendVarint(UInt64(count))
    body += [UInt8](repeating: 0, count: count)
    body.appendVarint(UInt64(count))
    body.append(0)
    body += [UInt8](repeating: 9, count: count)
    let error = #expect(throws: CodecError.self) { try CompactCodec.decodeBody(body) }
    #expect(error?.code == .exceedsLimit)
  }

  @Test func `identifiers that were made together take few bytes`() throws {
    var source = SyncIDSource(random: SeededGenerator(seed: 3))
    let identifiers = (0..<1_000).map { _ in source.next(milliseconds: 5) }
    #expect(identifiers == identifiers.sorted())
    #expect(Set(identifiers).count == 1_000)
    var column: [UInt8] = []
    IdentifierColumn.append(identifiers, to: &column)
    #expect(column.count < 1_000 * 4)
  }

  @Test func `identifiers made at a later time sort later, and a clock that goes back changes nothing`()
    throws
  {
    var source = SyncIDSource(random: SeededGenerator(seed: 4))
    let identifiers = [7, 7, 9, 8, 9, 10].map { source.next(milliseconds: $0) }
    #expect(identifiers == identifiers.sorted())
    for identifier in identifiers {
      #expect(Array(identifier.string)[14] == "7")
      #expect("89AB".contains(Array(identifier.string)[19]))
    }
  }

  @Test(arguments: [-0x1p63, 0x1p63, -0x1p52, 0x1p52, 0x1p52 - 1, -.greatestFiniteMagnitude])
  func `whole numbers at the ends of their range travel`(number: Double) throws {
    #expect(AttributeValue(parked: AttributeValue.double(number).parkedBytes) == .double(number))
  }

  @Test func `a number is read back bit for bit, also a negative zero`() throws {
    let numbers: [Double] = [0, -0.0, 1, -1, 0.1, .infinity, -.infinity, 4_503_599_627_370_496, 1e300]
    let set = ChangeSet(
      author: AuthorID(bits: 1), client: "c", sequence: 1, previous: nil, model: "m", entities: [.person],
      changes: numbers.indices.map {
        Change(
          .uuid(0, UInt64($0)), at: 1, .update([Register(property: 0, content: .value(.double(numbers[$0])))])
        )
      })
    let decoded = try CompactCodec.decode(try CompactCodec.encode(set))
    let read = decoded.changes.sorted { $0.object < $1.object }.compactMap { change -> UInt64? in
      guard case .update(let registers) = change.action,
        case .value(.double(let number))? = registers.first?.content
      else { return nil }
      return number.bitPattern
    }
    #expect(read == numbers.map(\.bitPattern))
  }

  @Test(arguments: [1, 28, 29, 30, 31, 40, 64, 300])
  func `a set of many entities with little to say of each is read again`(count: Int) throws {
    let author = AuthorID(bits: 7)
    let set = ChangeSet(
      author: author, client: "client", sequence: 1, previous: nil, model: "model",
      entities: (0..<count).map { EntityNames(name: "E\($0)", root: "E\($0)", properties: []) },
      changes: (0..<count).map {
        Change(
          entity: ChangeSet.EntityIndex(rawValue: $0), object: "x", time: LogicalTime(milliseconds: 1),
          action: .delete)
      })
    #expect(try CompactCodec.decode(CompactCodec.encode(set)) == set)
  }
}
