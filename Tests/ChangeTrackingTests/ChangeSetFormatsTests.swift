import ByteFixtures
import Testing

@testable import ChangeTracking

@Suite struct ChangeSetFormatsTests {
  /// A format beside the library's own: the author alone, after a letter.
  private enum Letter: ChangeSetCodec {
    static let name = "letter"

    static func recognises(_ bytes: [UInt8]) -> Bool { bytes.first == UInt8(ascii: "L") }

    static func encode(_ set: ChangeSet) -> [UInt8] {
      var bytes = [UInt8(ascii: "L")]
      bytes.appendBigEndian(set.author.bits)
      return bytes
    }

    static func decode(_ bytes: [UInt8], limit: Int) throws(CodecError) -> ChangeSet {
      guard bytes.count == 9 else { throw CodecError(code: .damaged, offset: 0, expected: "9 bytes") }
      let author = bytes[1...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return ChangeSet(
        author: AuthorID(bits: author), client: "", sequence: 1, previous: nil, model: "", entities: [],
        changes: [])
    }
  }

  @Test func `a set is read in the format that its first bytes tell`() throws {
    var random = SeededGenerator(seed: 9)
    var set = ChangeSet.random(using: &random)
    set.changes = []
    let formats = ChangeSetFormats([CompactCodec.self, Letter.self])

    #expect(try formats.decode(CompactCodec.encode(set)) == set)
    #expect(try formats.decode(Letter.encode(set)).author == set.author)
  }

  @Test func `bytes that no format recognises are foreign, and the formats are named`() throws {
    let error = #expect(throws: CodecError.self) { try ChangeSetFormats.standard.decode([1, 2, 3]) }
    #expect(error?.code == .foreign)
    #expect(error?.expected.contains("compact") == true)
  }

  @Test func `a replica writes its sets in the format it was given`() throws {
    let store = try PlainStore()
    let replica = try Replica(
      store: store,
      configuration: Replica.Configuration(
        client: "here", random: { 10 }, codec: Letter.self))
    let recorder = try ChangeRecorder(schema: store.schema, database: store.database, now: { 1 })
    let row = try store.insertRow(PlainStore.person, syncID: "p", values: [])
    try recorder.recording().insert(RowReference(entity: PlainStore.person, row: row))

    try replica.freeze()

    #expect(try replica.outbox().map(\.bytes) == [Letter.encode(ChangeSet.empty(by: AuthorID(bits: 5)))])
  }
}

extension ChangeSet {
  fileprivate static func empty(by author: AuthorID) -> ChangeSet {
    ChangeSet(
      author: author, client: "", sequence: 1, previous: nil, model: "", entities: [], changes: [])
  }
}
