/// Reads the object table of one binary property list.
///
/// Invariants that keep hostile input cheap: objects may not overlap (their lengths are charged to a budget of the
/// list's own size), every object is decoded once, and what sharing would unfold to is counted before it is built.
struct BinaryPropertyListReader {
  private enum Entry {
    case unread
    case underway
    case decoded(PropertyList, unfoldedSize: Int)
  }

  private let bytes: ArraySlice<UInt8>
  private let limits: DecodingLimits
  private let origin: Int
  private let tableStart: Int
  private let offsetSize: Int
  private let referenceSize: Int
  private let top: Int
  private var entries: [Entry]
  private var budget: Int

  init(_ bytes: ArraySlice<UInt8>, limits: DecodingLimits) throws(CoreDataFormatError) {
    let start = bytes.startIndex
    guard bytes.starts(with: BinaryPropertyList.magic) else {
      throw CoreDataFormatError(
        .otherFormat, in: .binaryPropertyList, at: start, expected: "the bytes “bplist00”")
    }
    guard bytes.count <= limits.bytes else {
      throw CoreDataFormatError(
        .limitExceeded, in: .binaryPropertyList, at: start, expected: "at most \(limits.bytes) bytes")
    }
    guard bytes.count > BinaryPropertyList.magic.count + BinaryPropertyList.trailerLength else {
      throw CoreDataFormatError(
        .truncated, in: .binaryPropertyList, at: bytes.endIndex,
        expected: "a trailer of 32 bytes after the objects")
    }
    let trailer = bytes.endIndex - BinaryPropertyList.trailerLength
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    let count = bytes.bigEndian(at: trailer + 8, size: 8)
    let topIndex = bytes.bigEndian(at: trailer + 16, size: 8)
    let table = bytes.bigEndian(at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: trailer + 6,
        expected: "offset and reference sizes from 1 to 8")
    }
    guard count > 0, count <= UInt64(limits.objects) else {
      throw CoreDataFormatError(
        count == 0 ? .malformed : .limitExceeded, in: .binaryPropertyList, at: trailer + 8,
        expected: "from 1 to \(limits.objects) objects")
    }
    guard topIndex < count else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: trailer + 16, expected: "a top object below \(count)")
    }
    let lastTable = UInt64(trailer - start)
    guard table > UInt64(BinaryPropertyList.magic.count), table <= lastTable,
      count * UInt64(offsetSize) <= lastTable - table
    else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: trailer + 24,
        expected: "an offset table of \(count) entries between the objects and the trailer")
    }
    self.bytes = bytes
    self.limits = limits
    origin = start
    tableStart = start + Int(table)
    top = Int(topIndex)
    entries = Array(repeating: .unread, count: Int(count))
    budget = Int(table) - BinaryPropertyList.magic.count
  }

  mutating func topObject() throws(CoreDataFormatError) -> PropertyList {
    try object(top, depth: 0).value
  }

  /// File offsets of the elements of an array that is a value of the top dictionary; call after ``topObject()``.
  func elementOffsets(underTopKey key: String) throws(CoreDataFormatError) -> [Int] {
    var cursor = try offset(of: top)
    guard bytes[cursor] >> 4 == 0xD else { return [] }
    let pairs = try length(at: &cursor)
    for pair in 0..<pairs {
      guard case .decoded(.string(key), _) = entries[reference(at: cursor, pair)] else { continue }
      var array = try offset(of: reference(at: cursor, pairs + pair))
      guard bytes[array] >> 4 == 0xA else { return [] }
      let count = try length(at: &array)
      var offsets: [Int] = []
      offsets.reserveCapacity(count)
      for index in 0..<count { offsets.append(try offset(of: reference(at: array, index))) }
      return offsets
    }
    return []
  }
}

// MARK: - Objects

extension BinaryPropertyListReader {
  private mutating func object(
    _ index: Int, depth: Int
  ) throws(CoreDataFormatError) -> (value: PropertyList, unfoldedSize: Int) {
    let start = try offset(of: index)
    switch entries[index] {
    case .decoded(let value, let size): return (value, size)
    case .underway:
      throw CoreDataFormatError(
        .cycle, in: .binaryPropertyList, at: start, expected: "no container inside itself")
    case .unread: break
    }
    guard depth <= limits.depth else {
      throw CoreDataFormatError(
        .limitExceeded, in: .binaryPropertyList, at: start,
        expected: "at most \(limits.depth) nested containers")
    }
    entries[index] = .underway
    let (value, size) = try decode(at: start, depth: depth)
    guard size <= limits.unfoldedSize else {
      throw CoreDataFormatError(
        .limitExceeded, in: .binaryPropertyList, at: start,
        expected: "an unfolded size of at most \(limits.unfoldedSize)")
    }
    entries[index] = .decoded(value, unfoldedSize: size)
    return (value, size)
  }

  private mutating func decode(at start: Int, depth: Int) throws(CoreDataFormatError) -> (PropertyList, Int) {
    let marker = bytes[start]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where low == 8: return (.boolean(false), 1)
    case 0x0 where low == 9: return (.boolean(true), 1)
    case 0x1 where low <= 4: return (try integer(at: start + 1, size: 1 << low), 1)
    case 0x2 where low == 2:
      try charge(5, at: start)
      return (
        .float(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.bigEndian(at: start + 1, size: 4)))), 1
      )
    case 0x2 where low == 3:
      try charge(9, at: start)
      return (.real(Double(bitPattern: bytes.bigEndian(at: start + 1, size: 8))), 1)
    case 0x3 where low == 3:
      try charge(9, at: start)
      return (.date(Double(bitPattern: bytes.bigEndian(at: start + 1, size: 8))), 1)
    case 0x4:
      let content = try content(at: start, unit: 1)
      return (.data(Array(bytes[content])), 1 + content.count / 16)
    case 0x5: return try asciiString(at: start)
    case 0x6:
      let content = try content(at: start, unit: 2)
      let units = (0..<content.count / 2).lazy
        .map { [bytes] in
          UInt16(truncatingIfNeeded: bytes.bigEndian(at: content.lowerBound + 2 * $0, size: 2))
        }
      return (.string(String(decoding: units, as: UTF16.self)), 1 + content.count / 16)
    case 0x8: return (try uid(at: start, size: low + 1), 1)
    case 0xA: return try array(at: start, depth: depth)
    case 0xD: return try dictionary(at: start, depth: depth)
    default:
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: start,
        expected: "a known object marker instead of 0x\(String(marker, radix: 16))")
    }
  }

  private mutating func integer(at start: Int, size: Int) throws(CoreDataFormatError) -> PropertyList {
    try charge(1 + size, at: start - 1)
    guard size == 16 else {
      let value = bytes.bigEndian(at: start, size: size)
      // Only the eight-byte form is signed; shorter ones hold 0 ... 2^(8*size)-1, so no sign is extended.
      return .integer(Int64(bitPattern: value))
    }
    let high = bytes.bigEndian(at: start, size: 8)
    let low = bytes.bigEndian(at: start + 8, size: 8)
    if high == 0 { return low <= UInt64(Int64.max) ? .integer(Int64(low)) : .unsigned(low) }
    if high == .max, low > UInt64(Int64.max) { return .integer(Int64(bitPattern: low)) }
    throw CoreDataFormatError(
      .unsupported, in: .binaryPropertyList, at: start - 1, expected: "an integer of 64 bits")
  }

  private mutating func asciiString(at start: Int) throws(CoreDataFormatError) -> (PropertyList, Int) {
    let content = try content(at: start, unit: 1)
    if let wrong = bytes[content].firstIndex(where: { $0 >= 0x80 }) {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: wrong, expected: "an ASCII character")
    }
    return (.string(String(decoding: bytes[content], as: UTF8.self)), 1 + content.count / 16)
  }

  private mutating func uid(at start: Int, size: Int) throws(CoreDataFormatError) -> PropertyList {
    try charge(1 + size, at: start)
    guard size <= 8, let value = UInt32(exactly: bytes.bigEndian(at: start + 1, size: size)) else {
      throw CoreDataFormatError(
        .unsupported, in: .binaryPropertyList, at: start, expected: "a reference of 32 bits")
    }
    return .uid(value)
  }

  private mutating func array(at start: Int, depth: Int) throws(CoreDataFormatError) -> (PropertyList, Int) {
    let content = try content(at: start, unit: referenceSize)
    let count = content.count / referenceSize
    var values: [PropertyList] = []
    values.reserveCapacity(count)
    var size = 1
    for position in 0..<count {
      let element = try object(try checkedReference(at: content.lowerBound, position), depth: depth + 1)
      size += element.unfoldedSize
      values.append(element.value)
    }
    return (.array(values), size)
  }

  private mutating func dictionary(at start: Int, depth: Int) throws(CoreDataFormatError) -> (
    PropertyList, Int
  ) {
    let content = try content(at: start, unit: 2 * referenceSize)
    let count = content.count / referenceSize / 2
    var values: [String: PropertyList] = [:]
    values.reserveCapacity(count)
    var size = 1
    for position in 0..<count {
      let place = content.lowerBound + position * referenceSize
      let key = try object(try checkedReference(at: content.lowerBound, position), depth: depth + 1)
      guard case .string(let name) = key.value else {
        throw CoreDataFormatError(
          .malformed, in: .binaryPropertyList, at: place, expected: "text as dictionary key")
      }
      let value = try object(try checkedReference(at: content.lowerBound, count + position), depth: depth + 1)
      guard values.updateValue(value.value, forKey: name) == nil else {
        throw CoreDataFormatError(
          .malformed, in: .binaryPropertyList, at: place, expected: "a key that occurs once")
      }
      size += key.unfoldedSize + value.unfoldedSize
    }
    return (.dictionary(values), size)
  }
}

// MARK: - Bounds

extension BinaryPropertyListReader {
  private func offset(of index: Int) throws(CoreDataFormatError) -> Int {
    let place = tableStart + index * offsetSize
    let value = bytes.bigEndian(at: place, size: offsetSize)
    guard value >= UInt64(BinaryPropertyList.magic.count), value < UInt64(tableStart - origin) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: place,
        expected: "the offset of an object before the offset table")
    }
    return origin + Int(value)
  }

  private func reference(at start: Int, _ position: Int) -> Int {
    Int(truncatingIfNeeded: bytes.bigEndian(at: start + position * referenceSize, size: referenceSize))
  }

  private func checkedReference(at start: Int, _ position: Int) throws(CoreDataFormatError) -> Int {
    let value = bytes.bigEndian(at: start + position * referenceSize, size: referenceSize)
    guard value < UInt64(entries.count) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: start + position * referenceSize,
        expected: "a reference below \(entries.count)")
    }
    return Int(value)
  }

  /// Takes the bytes of one object from the budget after checking that they lie before the offset table.
  private mutating func charge(_ length: Int, at start: Int) throws(CoreDataFormatError) {
    guard length <= tableStart - start else {
      throw CoreDataFormatError(
        .truncated, in: .binaryPropertyList, at: start, expected: "\(length) bytes before the offset table")
    }
    budget -= length
    guard budget >= 0 else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: start, expected: "objects that do not overlap")
    }
  }

  /// The range of the content of a counted object of `unit` bytes an element.
  private mutating func content(at start: Int, unit: Int) throws(CoreDataFormatError) -> Range<Int> {
    var cursor = start
    let count = try length(at: &cursor)
    guard count <= (tableStart - cursor) / unit else {
      throw CoreDataFormatError(
        .truncated, in: .binaryPropertyList, at: start, expected: "\(count) elements before the offset table")
    }
    try charge(cursor - start + count * unit, at: start)
    return cursor..<cursor + count * unit
  }

  /// Reads a marker's count and moves the cursor behind it.
  private func length(at cursor: inout Int) throws(CoreDataFormatError) -> Int {
    let start = cursor
    let low = Int(bytes[cursor] & 0x0F)
    cursor += 1
    guard low == 0x0F else { return low }
    guard cursor < tableStart, bytes[cursor] >> 4 == 0x1, bytes[cursor] & 0x0F <= 3 else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: start, expected: "an integer as element count")
    }
    let size = 1 << Int(bytes[cursor] & 0x0F)
    cursor += 1
    guard size <= tableStart - cursor else {
      throw CoreDataFormatError(.truncated, in: .binaryPropertyList, at: start, expected: "an element count")
    }
    let count = bytes.bigEndian(at: cursor, size: size)
    cursor += size
    guard let count = Int(exactly: count) else {
      throw CoreDataFormatError(
        .malformed, in: .binaryPropertyList, at: start, expected: "an element count of 63 bits")
    }
    return count
  }
}
