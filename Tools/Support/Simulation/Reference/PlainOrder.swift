import ChangeTracking
import Foundation
import ObjectStore

/// When and by whom, compared as `Docs/Architecture.md` says and without the module's own comparison.
struct PlainStamp: Hashable {
  var time: UInt64
  var author: UInt64

  static let never = PlainStamp(time: 0, author: 0)

  func isAfter(_ other: PlainStamp) -> Bool {
    time == other.time ? author > other.author : time > other.time
  }

  func later(_ other: PlainStamp?) -> PlainStamp { other.map { $0.isAfter(self) ? $0 : self } ?? self }
}

/// A sync ID as bytes: `String` takes texts for equal that are not.
public struct PlainID: Hashable {
  let bytes: [UInt8]

  /// Takes an identifier.
  public init(_ id: SyncID) { bytes = Array(id.string.utf8) }

  init(text: String) { bytes = Array(text.utf8) }

  /// Whether the text is a UUID in its canonical form, upper-case.
  private var isUUID: Bool {
    bytes.count == 36
      && bytes.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index)
          ? byte == 0x2d : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
      }
  }

  /// UUIDs before others, either by their bytes.
  func precedes(_ other: PlainID) -> Bool {
    if isUUID != other.isUUID { return isUUID }
    return bytes.lexicographicallyPrecedes(other.bytes)
  }

  var text: String { PlainText.escaped(String(decoding: bytes, as: UTF8.self)) }
}

/// Contents as the value column of `Docs/Formats/CompactChangeSet.md` writes them, which decides between two of one stamp.
enum PlainContent {
  static func bytes(of content: Register.Content) -> [UInt8] {
    switch content {
    case .target(let target): return [255] + (target.map { Array($0.string.utf8) } ?? [])
    case .longValue(let long): return Self.long(isText: long.kind == .text, long.length, long.hash)
    case .value(let value): return bytes(of: value)
    }
  }

  static func bytes(of value: AttributeValue) -> [UInt8] {
    switch value {
    case .null, .reference: return [0]
    case .boolean(let truth): return [truth ? 2 : 1]
    case .integer(let number): return [3] + zigzag(number)
    case .double(let number):
      if let whole = Int64(exactly: number), whole.magnitude < 1 << 52, number.sign == .plus || whole != 0 {
        return [5] + zigzag(whole)
      }
      return [4] + bigEndian(number.bitPattern, 8)
    case .float(let number): return [6] + bigEndian(UInt64(number.bitPattern), 4)
    case .decimal(let number): return text(7, number.description)
    case .string(let string):
      let utf8 = Array(string.utf8)
      return utf8.count > 16_384 ? long(isText: true, utf8.count, ContentHash(of: utf8)) : text(8, string)
    case .date(let seconds):
      let microseconds = (seconds * 1e6).rounded()
      if seconds.magnitude < 9e9, (microseconds / 1e6).bitPattern == seconds.bitPattern {
        return [10] + zigzag(Int64(microseconds))
      }
      return [9] + bigEndian(seconds.bitPattern, 8)
    case .data(let data):
      return data.count > 16_384
        ? long(isText: false, data.count, ContentHash(of: data)) : [11] + varint(UInt64(data.count)) + data
    case .uuid(let uuid): return [12] + withUnsafeBytes(of: uuid.uuid) { Array($0) }
    case .uri(let string): return text(13, string)
    }
  }

  private static func long(isText: Bool, _ length: Int, _ hash: ContentHash) -> [UInt8] {
    [isText ? 14 : 15] + varint(UInt64(length)) + hash.bytes
  }

  private static func text(_ tag: UInt8, _ string: String) -> [UInt8] {
    let utf8 = Array(string.utf8)
    return [tag] + varint(UInt64(utf8.count)) + utf8
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func zigzag(_ number: Int64) -> [UInt8] {
    varint(UInt64(bitPattern: number << 1) ^ UInt64(bitPattern: number >> 63))
  }

  private static func bigEndian(_ bits: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * (count - 1 - $0))) }
  }
}

/// Contents for people, and for comparing: what differs in a byte is another text.
enum PlainText {
  static func value(_ value: AttributeValue) -> String {
    switch value {
    case .null, .reference: "nothing"
    case .boolean(let truth): "\(truth)"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)f"
    case .decimal(let number): "\(number)d"
    case .string(let text) where text.utf8.count > 40: "text of \(text.utf8.count) bytes \(sum(text.utf8))"
    case .string(let text): "“\(escaped(text))”"
    case .date(let seconds): "date \(seconds)"
    case .data(let bytes) where bytes.count > 20: "data of \(bytes.count) bytes \(sum(bytes))"
    case .data(let bytes): "data \(bytes.map { String($0) }.joined(separator: " "))"
    case .uuid(let uuid): uuid.uuidString
    case .uri(let text): escaped(text)
    }
  }

  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.value >= 32 ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
  }

  /// FNV-1a.
  static func sum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
