/// Reads values from bytes that may be cut off or hostile: every read is checked, and no count is believed before the
/// bytes for it are there.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }
  var remaining: Int { bytes.count - position }

  func damaged(_ expected: String) -> CodecError {
    CodecError(code: .damaged, offset: position, expected: expected)
  }

  @inline(__always)
  mutating func byte() throws(CodecError) -> UInt8 {
    guard position < bytes.count else { throw damaged("one more byte") }
    defer { position += 1 }
    return bytes[position]
  }

  @inline(__always)
  mutating func varint() throws(CodecError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw damaged("an integer of at most 64 bits") }
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
  }

  @inline(__always)
  mutating func zigzag() throws(CodecError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @inline(__always)
  mutating func bigEndian(count: Int = 8) throws(CodecError) -> UInt64 {
    guard remaining >= count else { throw damaged("\(count) more bytes") }
    var value: UInt64 = 0
    for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
    position += count
    return value
  }

  func exceeded(_ limit: String) -> CodecError {
    CodecError(code: .exceedsLimit, offset: position, expected: "at most \(limit)")
  }

  /// A count of things that take at least one byte each, and of which there may be only so many.
  mutating func count(of what: String, limit: Int) throws(CodecError) -> Int {
    let count = try count(of: what)
    guard count <= limit else { throw exceeded("\(limit) \(what)") }
    return count
  }

  /// A count of things that take at least one byte each.
  mutating func count(of what: String) throws(CodecError) -> Int {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw damaged("at most \(remaining) \(what)") }
    return Int(count)
  }

  mutating func slice(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw damaged("\(count) more bytes") }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  mutating func array(_ count: Int) throws(CodecError) -> [UInt8] {
    [UInt8](try slice(count))
  }

  mutating func string(_ count: Int) throws(CodecError) -> String {
    let start = self
    guard let text = String(validating: try slice(count), as: UTF8.self) else {
      throw start.damaged("valid UTF-8")
    }
    return text
  }

  mutating func text(limit: Int) throws(CodecError) -> String {
    try string(try count(of: "bytes of text", limit: limit))
  }
}
