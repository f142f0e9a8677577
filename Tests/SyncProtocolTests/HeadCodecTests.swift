import ChangeTracking
import Testing

@testable import SyncProtocol

@Suite struct HeadCodecTests {
  private func head() -> Head {
    var vector = VersionVector()
    vector[AuthorID(bits: 7)] = 3
    vector[AuthorID(bits: .max)] = 4
    return Head(
      name: HeadName(author: AuthorID(bits: 1), sequence: 2, seen: 7, hash: ContentHash(of: [9])),
      client: "client", clientDescription: "Gerät 🙂", vector: vector, wholeStore: RemoteName("store-1"),
      model: "model", time: 1_700_000_000_000)
  }

  @Test func `a head comes back as it was written`() throws {
    let head = head()
    #expect(try HeadCodec.decode(HeadCodec.encode(head), named: head.name) == head)
  }

  @Test func `every torn or changed head is refused`() {
    let head = head()
    let bytes = HeadCodec.encode(head)
    for count in 0..<bytes.count {
      #expect(throws: FormatError.self) { try HeadCodec.decode(Array(bytes[..<count]), named: head.name) }
      var changed = bytes
      changed[count] ^= 1
      #expect(throws: FormatError.self) { try HeadCodec.decode(changed, named: head.name) }
    }
    #expect(throws: FormatError.self) { try HeadCodec.decode(bytes + [0], named: head.name) }
  }

  @Test func `a head under another name is refused`() {
    let head = head()
    let other = HeadName(author: AuthorID(bits: 2), sequence: 2, seen: 7, hash: head.name.hash)
    #expect(throws: FormatError.self) { try HeadCodec.decode(HeadCodec.encode(head), named: other) }
  }

  @Test(arguments: [[7, 7], [9, 7]] as [[UInt64]])
  func `a head that names an author twice, or out of order, is refused`(authors: [UInt64]) {
    let head = head()
    var bytes = Array(HeadCodec.encode(head).dropLast(2 * 16 + 16))
    for author in authors {
      bytes += withUnsafeBytes(of: author.bigEndian, Array.init) + [0, 0, 0, 0, 0, 0, 0, 1]
    }
    bytes += ContentHash(of: bytes).bytes

    #expect(throws: FormatError.self) { try HeadCodec.decode(bytes, named: head.name) }
  }

  @Test(arguments: [1 << 62, UInt64.max, 10_000_000_000])
  func `a head that names a set whose number no name can say is refused`(sequence: UInt64) {
    var head = head()
    head.vector[AuthorID(bits: 7)] = sequence

    #expect(throws: FormatError.self) {
      try HeadCodec.decode(HeadCodec.encode(head), named: head.name)
    }
  }

  @Test func `a text that is too long is cut between characters`() throws {
    var head = head()
    head.clientDescription = String(repeating: "🙂", count: 1_000)
    let decoded = try HeadCodec.decode(HeadCodec.encode(head), named: head.name)
    #expect(decoded.clientDescription == String(repeating: "🙂", count: 256))
  }
}
