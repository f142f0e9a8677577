import Testing
import UntrustedBytes

@Suite struct ByteReaderTests {
  private struct Unexpected: Error, Equatable {
    var position: Int
    var expected: String
  }

  private func reader<Bytes>(_ bytes: Bytes) -> ByteReader<Bytes, Unexpected> {
    ByteReader(bytes) { Unexpected(position: $0, expected: $1) }
  }

  @Test func `what is read comes front to back`() throws {
    var reader = reader([1, 0, 2, 0xFF, 0x41, 0x42, 7] as [UInt8])

    #expect(try reader.byte() == 1)
    let number: UInt16 = try reader.integer()
    #expect(number == 2)
    #expect(try reader.bigEndian(count: 1) == 255)
    #expect(try reader.string(2) == "AB")
    #expect(try reader.array(1) == [7])
    #expect(reader.isAtEnd)
  }

  @Test func `a slice is read by the positions of the whole`() throws {
    let bytes: [UInt8] = [9, 9, 1, 2]
    var reader = reader(bytes[2...])

    #expect(reader.position == 2)
    #expect(try reader.byte() == 1)
    #expect(try reader.slice(1) == [2])
    #expect(throws: Unexpected(position: 4, expected: "one more byte")) { try reader.byte() }
  }

  @Test(arguments: [-1, 4, Int.max])
  func `no more is read than is there, and nothing is taken then`(count: Int) throws {
    var reader = reader([1, 2, 3] as [UInt8])

    #expect(throws: Unexpected(position: 0, expected: "a name of \(count) bytes")) {
      try reader.slice(count, "a name")
    }
    #expect(reader.remaining == 3)
  }

  @Test func `a number of fixed size that is cut off is refused`() {
    var reader = reader([1, 2, 3] as [UInt8])

    #expect(throws: Unexpected(position: 0, expected: "a length of 4 bytes")) {
      let _: UInt32 = try reader.integer("a length")
    }
  }

  @Test func `text that is not UTF-8 is refused at its beginning`() throws {
    var reader = reader([0x20, 0xC3, 0x28] as [UInt8])
    _ = try reader.byte()

    #expect(throws: Unexpected(position: 1, expected: "a title in UTF-8")) { try reader.string(2, "a title") }
  }

  @Test(
    arguments: [
      ([0], 0), ([0x7F], 127), ([0x80, 0x01], 128), ([0xFF, 0x7F], 16383),
      ([UInt8](repeating: 0xFF, count: 9) + [1], UInt64.max),
    ] as [([UInt8], UInt64)])
  func `numbers in groups of seven bits are read`(bytes: [UInt8], number: UInt64) throws {
    var reader = reader(bytes)

    #expect(try reader.varint() == number)
    #expect(reader.isAtEnd)
  }

  @Test(arguments: [
    [UInt8](repeating: 0xFF, count: 9) + [2], [UInt8](repeating: 0x80, count: 11),
    [UInt8](repeating: 0xFF, count: 100_000),
  ])
  func `a number of more than 64 bits is refused after ten bytes`(bytes: [UInt8]) {
    var reader = reader(bytes)

    #expect(throws: Unexpected(position: 10, expected: "an integer of at most 64 bits")) {
      try reader.varint()
    }
  }

  @Test func `a number that does not end is refused`() {
    var reader = reader([0x80, 0x80] as [UInt8])

    #expect(throws: Unexpected(position: 2, expected: "one more byte")) { try reader.varint() }
  }

  @Test(
    arguments: [
      ([0], 0), ([1], -1), ([2], 1), ([UInt8](repeating: 0xFF, count: 9) + [1], Int64.min),
      ([0xFE] + [UInt8](repeating: 0xFF, count: 8) + [1], Int64.max),
    ] as [([UInt8], Int64)])
  func `numbers whose sign is their lowest bit are read`(bytes: [UInt8], number: Int64) throws {
    var reader = reader(bytes)

    #expect(try reader.zigzag() == number)
  }

  @Test func `a count that exceeds the bytes that are left is not believed`() throws {
    var honest = reader([2, 0, 0] as [UInt8])
    var boastful = reader([0xFF, 0xFF, 0x03, 0, 0] as [UInt8])

    #expect(try honest.count(of: "rows") == 2)
    #expect(throws: Unexpected(position: 3, expected: "at most 2 rows")) { try boastful.count(of: "rows") }
  }
}
