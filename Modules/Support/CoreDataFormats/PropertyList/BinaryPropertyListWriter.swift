/// Lays a property list out as objects, offset table and trailer.
struct BinaryPropertyListWriter {
  private enum Item {
    case scalar(PropertyList)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  private var items: [Item] = []
  private var indexOfScalar: [PropertyList: Int] = [:]

  mutating func encode(_ value: PropertyList) -> [UInt8] {
    let top = add(value)
    let referenceSize = Self.width(of: UInt64(items.count - 1))
    var bytes = BinaryPropertyList.magic
    var offsets: [Int] = []
    offsets.reserveCapacity(items.count)
    for item in items {
      offsets.append(bytes.count)
      Self.append(item, to: &bytes, referenceSize: referenceSize)
    }
    let table = bytes.count
    let offsetSize = Self.width(of: UInt64(table))
    for offset in offsets { bytes.appendBigEndian(UInt64(offset), size: offsetSize) }
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    bytes.appendBigEndian(UInt64(items.count), size: 8)
    bytes.appendBigEndian(UInt64(top), size: 8)
    bytes.appendBigEndian(UInt64(table), size: 8)
    return bytes
  }

  /// Assigns object numbers in the order of first visit, so that the top object is number 0.
  private mutating func add(_ value: PropertyList) -> Int {
    switch value {
    case .array(let elements):
      let index = items.count
      items.append(.array([]))
      items[index] = .array(elements.map { add($0) })
      return index
    case .dictionary(let pairs):
      let index = items.count
      items.append(.array([]))
      let sorted = pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      let keys = sorted.map { add(.string($0.key)) }
      items[index] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
      return index
    case .real, .float, .date:
      // Never shared: 0.0 and -0.0 are equal but not the same.
      items.append(.scalar(value))
      return items.count - 1
    default:
      if let index = indexOfScalar[value] { return index }
      let index = items.count
      items.append(.scalar(value))
      indexOfScalar[value] = index
      return index
    }
  }

  private static func append(_ item: Item, to bytes: inout [UInt8], referenceSize: Int) {
    switch item {
    case .scalar(let value): append(scalar: value, to: &bytes)
    case .array(let references):
      appendMarker(0xA0, count: references.count, to: &bytes)
      for reference in references { bytes.appendBigEndian(UInt64(reference), size: referenceSize) }
    case .dictionary(let keys, let values):
      appendMarker(0xD0, count: keys.count, to: &bytes)
      for reference in keys + values { bytes.appendBigEndian(UInt64(reference), size: referenceSize) }
    }
  }

  private static func append(scalar: PropertyList, to bytes: inout [UInt8]) {
    switch scalar {
    case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
    case .integer(let value): append(integer: value, to: &bytes)
    case .unsigned(let value):
      // Above Int64.max only the sixteen-byte form is unambiguous, because the eight-byte form is signed.
      bytes.append(0x14)
      bytes.appendBigEndian(0, size: 8)
      bytes.appendBigEndian(value, size: 8)
    case .real(let value):
      bytes.append(0x23)
      bytes.appendBigEndian(value.bitPattern, size: 8)
    case .float(let value):
      bytes.append(0x22)
      bytes.appendBigEndian(UInt64(value.bitPattern), size: 4)
    case .date(let value):
      bytes.append(0x33)
      bytes.appendBigEndian(value.bitPattern, size: 8)
    case .data(let value):
      appendMarker(0x40, count: value.count, to: &bytes)
      bytes.append(contentsOf: value)
    case .string(let value): append(string: value, to: &bytes)
    case .uid(let value):
      let size = width(of: UInt64(value))
      bytes.append(0x80 | UInt8(size - 1))
      bytes.appendBigEndian(UInt64(value), size: size)
    // Containers never become scalars, see `add`.
    case .array, .dictionary: break
    }
  }

  private static func append(integer value: Int64, to bytes: inout [UInt8]) {
    let size = value < 0 ? 8 : width(of: UInt64(value))
    bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
    bytes.appendBigEndian(UInt64(bitPattern: value), size: size)
  }

  private static func append(string value: String, to bytes: inout [UInt8]) {
    if value.utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, count: value.utf8.count, to: &bytes)
      bytes.append(contentsOf: value.utf8)
    } else {
      appendMarker(0x60, count: value.utf16.count, to: &bytes)
      for unit in value.utf16 { bytes.appendBigEndian(UInt64(unit), size: 2) }
    }
  }

  private static func appendMarker(_ marker: UInt8, count: Int, to bytes: inout [UInt8]) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 0x0F)
      append(integer: Int64(count), to: &bytes)
    }
  }

  /// Bytes needed for a value: 1, 2, 4 or 8, the widths every reader knows.
  private static func width(of value: UInt64) -> Int {
    switch value {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }
}
