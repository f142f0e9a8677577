import Crypto
import ByteFixtures
import Testing

/// Storage is not trusted: whatever it does to a container is noticed, in memory and in a stream.
@Suite struct SealedTamperingTests {
  static let context = SealedContext(role: "test", identity: "a")
  static let segment = 256 + 16
  let keys: KeyRing
  /// Three segments, the last one not full.
  let container: [UInt8]

  init() throws {
    let key = try MasterKey.generate(random: SeededRandomSource(seed: 3))
    keys = KeyRing(key)
    container = try Self.seal(600, with: key, seed: 4)
  }

  private static func seal(_ size: Int, with key: MasterKey, seed: UInt64) throws -> [UInt8] {
    let segmentSize = try #require(SegmentSize(logarithm: 8))
    var generator = SeededGenerator(seed: seed)
    return try SealedContainer.seal(
      generator.bytes(size), as: context, with: key, segmentSize: segmentSize,
      random: SeededRandomSource(seed: seed))
  }

  /// Opens in memory and as a stream, which must agree, and gives the failure.
  private func failure(_ bytes: [UInt8]) -> CryptoError.Code? {
    func code(_ open: () throws(CryptoError) -> Void) -> CryptoError.Code? {
      do throws(CryptoError) {
        try open()
        return nil
      } catch { return error.code }
    }
    let whole = code { () throws(CryptoError) in
      _ = try SealedContainer.open(bytes, as: Self.context, with: keys)
    }
    let stream = code { () throws(CryptoError) in
      var reader = SealedReader(as: Self.context, with: keys)
      var output: [UInt8] = []
      try reader.update(bytes, appendingTo: &output)
      try reader.finish(appendingTo: &output)
    }
    // Both must refuse; a stream may meet another of two faults first.
    #expect((whole == nil) == (stream == nil))
    return whole
  }

  @Test func `the untouched container opens`() {
    #expect(failure(container) == nil)
  }

  @Test func `every changed byte is refused`() {
    for index in container.indices {
      for change: UInt8 in [0x01, 0x80, 0xff] {
        var changed = container
        changed[index] ^= change
        #expect(failure(changed) != nil, "byte \(index) ^ \(change)")
      }
    }
  }

  @Test func `every truncation is refused`() {
    for count in container.indices { #expect(failure(Array(container[..<count])) != nil, "\(count) bytes") }
  }

  @Test func `every truncation of whole segments is refused, even when all are full`() throws {
    let full = try Self.seal(768, with: keys.primary, seed: 5)
    #expect(failure(full) == nil)
    for count in full.indices { #expect(failure(Array(full[..<count])) != nil, "\(count) bytes") }
  }

  @Test func `extensions are refused`() {
    #expect(failure(container + [0]) != nil)
    #expect(failure(container + [UInt8](repeating: 0, count: 16)) != nil)
    #expect(failure(container + container[52...]) != nil)
    #expect(failure(container + container) != nil)
  }

  @Test func `segments that are exchanged, repeated or left out are refused`() {
    let header = container[..<52]
    let first = container[52..<52 + Self.segment]
    let second = container[52 + Self.segment..<52 + 2 * Self.segment]
    let last = container[(52 + 2 * Self.segment)...]
    #expect(failure(Array(header + first + second + last)) == nil)
    for order in [
      [second, first, last], [first, first, last], [first, last], [second, last], [last],
      [first, second, second, last],
      [first, second, last, last], [first, last, second],
    ] { #expect(failure(Array(header + order.joined())) != nil) }
  }

  @Test func `an empty last segment after others is refused, though its tag is genuine`() throws {
    // Given an empty container, whose only segment has a valid tag at position 0
    let empty = try Self.seal(0, with: keys.primary, seed: 6)
    #expect(failure(empty) == nil)
    #expect(empty.count == 68)

    // When such a segment follows a full one
    #expect(failure(Array(container[..<(52 + Self.segment)]) + empty[52...]) == .damaged)
  }

  @Test func `segments of another container under the same key are refused`() throws {
    let other = try Self.seal(600, with: keys.primary, seed: 7)
    #expect(failure(Array(container[..<52] + other[52...])) == .authenticationFailed)
    #expect(
      failure(Array(container[..<(52 + Self.segment)] + other[(52 + Self.segment)...]))
        == .authenticationFailed)
  }

  struct HostileHeader: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: CryptoError.Code
  }

  static let magic: [UInt8] = [0x89, 0x54, 0x49, 0x53, 0x45, 0x41, 0x4c, 0x0a]
  static let hostileHeaders = [
    HostileHeader(testDescription: "empty file", bytes: [], code: .unrecognizedFormat),
    HostileHeader(testDescription: "other file", bytes: Array("bplist00".utf8), code: .unrecognizedFormat),
    HostileHeader(testDescription: "part of the magic", bytes: Array(magic[..<5]), code: .truncated),
    HostileHeader(testDescription: "only the magic", bytes: magic, code: .truncated),
    HostileHeader(testDescription: "version 0", bytes: magic + [0, 1, 16, 0], code: .unsupportedVersion),
    HostileHeader(testDescription: "version 2", bytes: magic + [2], code: .unsupportedVersion),
    HostileHeader(testDescription: "algorithm 2", bytes: magic + [1, 2], code: .unsupportedVersion),
    HostileHeader(testDescription: "segments of 128 bytes", bytes: magic + [1, 1, 7, 0], code: .damaged),
    HostileHeader(testDescription: "segments of 2 MiB", bytes: magic + [1, 1, 21, 0], code: .damaged),
    HostileHeader(testDescription: "segments of 2^255", bytes: magic + [1, 1, 255, 0], code: .damaged),
    HostileHeader(testDescription: "reserved byte", bytes: magic + [1, 1, 16, 1], code: .damaged),
    HostileHeader(testDescription: "no salt", bytes: magic + [1, 1, 16, 0] + Array(0..<8), code: .truncated),
    HostileHeader(
      testDescription: "unknown key", bytes: magic + [1, 1, 16, 0] + [UInt8](repeating: 0, count: 56),
      code: .unknownKey),
  ]

  @Test(arguments: hostileHeaders) func `a hostile header has an error of its own`(header: HostileHeader) {
    #expect(failure(header.bytes) == header.code)
  }

  @Test func `a header without a body is truncated`() {
    for count in 52..<68 { #expect(failure(Array(container[..<count])) == .truncated) }
  }

  @Test func `a stream gives out only what is authenticated`() throws {
    var changed = container
    changed[52 + Self.segment] ^= 1
    var reader = SealedReader(as: Self.context, with: keys)
    var output: [UInt8] = []
    #expect(throws: CryptoError.self) {
      try reader.update(changed, appendingTo: &output)
    }
    #expect(output.count == 256)
    #expect(try SealedContainer.open(container, as: Self.context, with: keys).starts(with: output))
  }
}
