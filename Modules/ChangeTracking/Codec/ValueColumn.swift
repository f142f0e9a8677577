import Foundation
import ObjectStore

/// A column of attribute values: first the tags of all, then the contents of all.
///
/// Tags of one column are mostly equal and compress to almost nothing.
enum ValueColumn {
  private enum Tag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 3
    static let double: UInt8 = 4
    static let wholeDouble: UInt8 = 5
    static let float: UInt8 = 6
    static let decimal: UInt8 = 7
    static let string: UInt8 = 8
    static let date: UInt8 = 9
    static let microsecondDate: UInt8 = 10
    static let data: UInt8 = 11
    static let uuid: UInt8 = 12
    static let uri: UInt8 = 13
    static let longText: UInt8 = 14
    static let longData: UInt8 = 15
  }

  static func append(_ values: some Collection<AttributeValue>, to output: inout [UInt8]) {
    append(values.lazy.map { Register.Content.value($0) }, to: &output)
  }

  /// Appends attribute values and descriptions of long ones.
  static func append(_ column: some Collection<Register.Content>, to output: inout [UInt8]) {
    var lengths: [UInt8] = []
    var contents: [UInt8] = []
    var previousDate: Int64 = 0
    for content in column {
      let value: AttributeValue
      switch content {
      case .value(let inline): value = inline
      case .target: value = .null
      case .longValue(let long):
        output.append(long.kind == .text ? Tag.longText : Tag.longData)
        lengths.appendVarint(UInt64(long.length))
        contents += long.hash.bytes
        continue
      }
      switch value {
      case .null:
        output.append(Tag.null)
      case .boolean(let value):
        output.append(value ? Tag.yes : Tag.no)
      case .integer(let value):
        output.append(Tag.integer)
        lengths.appendZigzag(value)
      case .double(let value):
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 52, value.sign == .plus || whole != 0 {
          output.append(Tag.wholeDouble)
          lengths.appendZigzag(whole)
        } else {
          output.append(Tag.double)
          contents.appendBigEndian(value.bitPattern)
        }
      case .float(let value):
        output.append(Tag.float)
        contents.appendBigEndian(UInt64(value.bitPattern), count: 4)
      case .decimal(let value):
        output.append(Tag.decimal)
        appendBytes(of: value.description, to: &contents, &lengths)
      case .string(let value):
        output.append(Tag.string)
        appendBytes(of: value, to: &contents, &lengths)
      case .date(let value):
        if let microseconds = microseconds(of: value) {
          output.append(Tag.microsecondDate)
          lengths.appendZigzag(microseconds &- previousDate)
          previousDate = microseconds
        } else {
          output.append(Tag.date)
          contents.appendBigEndian(value.bitPattern)
        }
      case .data(let value):
        output.append(Tag.data)
        lengths.appendVarint(UInt64(value.count))
        contents.append(contentsOf: value)
      case .uuid(let value):
        output.append(Tag.uuid)
        withUnsafeBytes(of: value.uuid) { contents.append(contentsOf: $0) }
      case .uri(let value):
        output.append(Tag.uri)
        appendBytes(of: value, to: &contents, &lengths)
      case .reference:
        // References travel as targets; a row number means nothing elsewhere.
        output.append(Tag.null)
      }
    }
    output.append(contentsOf: lengths)
    output.append(contentsOf: contents)
  }

  private static func appendBytes(of text: String, to contents: inout [UInt8], _ lengths: inout [UInt8]) {
    var text = text
    text.withUTF8 {
      lengths.appendVarint(UInt64($0.count))
      contents.append(contentsOf: $0)
    }
  }

  /// The date as whole microseconds, if reading it back gives the same bits.
  private static func microseconds(of seconds: Double) -> Int64? {
    guard seconds.magnitude < 9e9 else { return nil }
    let rounded = (seconds * 1e6).rounded()
    guard (rounded / 1e6).bitPattern == seconds.bitPattern else { return nil }
    return Int64(rounded)
  }

  /// Reads a column in which every value is there.
  static func readValues(_ count: Int, from reader: inout SetReader) throws(CodecError) -> [AttributeValue] {
    var values: [AttributeValue] = []
    values.reserveCapacity(count)
    for content in try read(count, from: &reader) {
      guard case .value(let value) = content else { throw reader.failure("values that are there") }
      values.append(value)
    }
    return values
  }

  static func read(_ count: Int, from reader: inout SetReader) throws(CodecError) -> [Register.Content] {
    let tags = try reader.slice(count)
    // Numbers of all rows stand before the contents of all rows, so both are read with one pass each.
    var numbers: [UInt64] = []
    numbers.reserveCapacity(count)
    for tag in tags where hasNumber(tag) { numbers.append(try reader.varint()) }
    var values: [Register.Content] = []
    values.reserveCapacity(count)
    var next = 0
    var previousDate: Int64 = 0
    for tag in tags {
      var number: UInt64 = 0
      if hasNumber(tag) {
        number = numbers[next]
        next += 1
      }
      let signed = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
      let length = Int(clamping: number)
      switch tag {
      case Tag.null: values.append(.value(.null))
      case Tag.no: values.append(.value(.boolean(false)))
      case Tag.yes: values.append(.value(.boolean(true)))
      case Tag.integer: values.append(.value(.integer(signed)))
      case Tag.wholeDouble: values.append(.value(.double(Double(signed))))
      case Tag.double: values.append(.value(.double(Double(bitPattern: try reader.bigEndian()))))
      case Tag.float:
        values.append(
          .value(.float(Float(bitPattern: UInt32(truncatingIfNeeded: try reader.bigEndian(count: 4))))))
      case Tag.string: values.append(.value(.string(try reader.string(length))))
      case Tag.uri: values.append(.value(.uri(try reader.string(length))))
      case Tag.data: values.append(.value(.data(try reader.array(length))))
      case Tag.date: values.append(.value(.date(Double(bitPattern: try reader.bigEndian()))))
      case Tag.microsecondDate:
        previousDate = previousDate &+ signed
        values.append(.value(.date(Double(previousDate) / 1e6)))
      case Tag.decimal:
        let text = try reader.string(length)
        guard length <= 200, let decimal = Decimal(string: text, locale: nil) else {
          throw reader.failure("a decimal number")
        }
        values.append(.value(.decimal(decimal)))
      case Tag.uuid:
        let bytes = UnsafeRawBufferPointer(rebasing: try reader.slice(16))
        values.append(.value(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))))
      case Tag.longText, Tag.longData:
        guard LongValue.lengths.contains(length),
          let hash = ContentHash(bytes: try reader.array(ContentHash.byteCount))
        else { throw reader.failure("a long value of more than \(LongValue.threshold) bytes") }
        values.append(
          .longValue(LongValue(kind: tag == Tag.longText ? .text : .data, length: length, hash: hash)))
      default:
        throw reader.failure("the tag of a value")
      }
    }
    return values
  }

  private static func hasNumber(_ tag: UInt8) -> Bool {
    switch tag {
    case Tag.integer, Tag.wholeDouble, Tag.decimal, Tag.string, Tag.microsecondDate, Tag.data, Tag.uri,
      Tag.longText, Tag.longData:
      true
    default: false
    }
  }
}

extension Register.Content {
  /// The value on its own, as a column of one.
  var parkedBytes: [UInt8] {
    var bytes: [UInt8] = []
    ValueColumn.append(CollectionOfOne(self), to: &bytes)
    return bytes
  }

  init?(parked bytes: [UInt8]) {
    let content = bytes.withUnsafeBytes { buffer in
      var reader = SetReader(buffer)
      return try? ValueColumn.read(1, from: &reader).first
    }
    guard let content else { return nil }
    self = content
  }

  /// An arbitrary but fixed order, which decides between two values with one stamp.
  public func precedes(_ other: Register.Content) -> Bool {
    switch (self, other) {
    case (.target(let left?), .target(let right?)):
      left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    case (.target(nil), .target(let right)): right != nil
    case (.target, _): false
    case (_, .target): true
    default: tieOrder.precedes(other.tieOrder)
    }
  }

  private var tieOrder: TieOrder {
    switch self {
    case .value(let value): TieOrder(value)
    case .longValue(let value): TieOrder(value)
    // What is one is told apart before.
    case .target: TieOrder(.null)
    }
  }
}

extension AttributeValue {
  /// The value on its own, as a column of one.
  var parkedBytes: [UInt8] { Register.Content.value(self).parkedBytes }

  init?(parked bytes: [UInt8]) {
    guard case .value(let value)? = Register.Content(parked: bytes) else { return nil }
    self = value
  }
}
