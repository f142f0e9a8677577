/// The first 64 bytes of a binary store. All integers are big-endian.
struct BinaryStoreHeader {
  static let length = 64
  static let magic: [UInt8] = Array("CoreData".utf8)
  static let containerVersion: UInt64 = 1
  static let databaseVersion: UInt64 = 0x0804_0800

  var metadata: Range<Int>
  var map: Range<Int>
  var lastPrimaryKey: Int64

  init(metadata: Range<Int>, map: Range<Int>, lastPrimaryKey: Int64) {
    self.metadata = metadata
    self.map = map
    self.lastPrimaryKey = lastPrimaryKey
  }

  init(_ bytes: ArraySlice<UInt8>) throws(CoreDataFormatError) {
    let start = bytes.startIndex
    guard bytes.starts(with: Self.magic) else {
      throw CoreDataFormatError(.otherFormat, in: .binaryStore, at: start, expected: "the bytes “CoreData”")
    }
    guard bytes.count >= Self.length else {
      throw CoreDataFormatError(
        .truncated, in: .binaryStore, at: bytes.endIndex, expected: "a header of 64 bytes")
    }
    let container = bytes.bigEndian(at: start + 8, size: 4)
    guard container == Self.containerVersion else {
      throw CoreDataFormatError(
        .unsupported, in: .binaryStore, at: start + 8, expected: "container version 1 instead of \(container)"
      )
    }
    let database = bytes.bigEndian(at: start + 12, size: 4)
    guard database == Self.databaseVersion else {
      throw CoreDataFormatError(
        .unsupported, in: .binaryStore, at: start + 12,
        expected: "database version 0x8040800 instead of 0x\(String(database, radix: 16))")
    }
    metadata = try Self.section("metadata archive", at: start + 16, of: bytes)
    map = try Self.section("map archive", at: start + 32, of: bytes)
    let generation = bytes.bigEndian(at: start + 48, size: 8)
    guard let lastPrimaryKey = Int64(exactly: generation) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryStore, at: start + 48, expected: "a primary key of 63 bits")
    }
    self.lastPrimaryKey = lastPrimaryKey
  }

  private static func section(
    _ name: String, at place: Int, of bytes: ArraySlice<UInt8>
  ) throws(CoreDataFormatError) -> Range<Int> {
    let offset = bytes.bigEndian(at: place, size: 8)
    let length = bytes.bigEndian(at: place + 8, size: 8)
    let available = UInt64(bytes.count)
    guard offset >= UInt64(Self.length) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryStore, at: place, expected: "the \(name) behind the header")
    }
    guard offset <= available, length <= available - offset else {
      throw CoreDataFormatError(
        .truncated, in: .binaryStore, at: place,
        expected: "\(length) bytes of \(name) at \(offset) within \(available) bytes")
    }
    let start = bytes.startIndex + Int(offset)
    return start..<start + Int(length)
  }

  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.appendBigEndian(Self.containerVersion, size: 4)
    bytes.appendBigEndian(Self.databaseVersion, size: 4)
    for section in [metadata, map] {
      bytes.appendBigEndian(UInt64(section.lowerBound), size: 8)
      bytes.appendBigEndian(UInt64(section.count), size: 8)
    }
    bytes.appendBigEndian(UInt64(lastPrimaryKey), size: 8)
    bytes.appendBigEndian(0, size: 8)
    return bytes
  }
}
