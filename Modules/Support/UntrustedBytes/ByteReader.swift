/// Reads bytes front to back that may be cut off or hostile: every read is checked, and no count is believed before the bytes for
/// it are there.
///
/// What it throws is the error of the format that is read:
///
/// ```swift
/// var reader = ByteReader(bytes) { FormatError(format: "head", offset: $0, expected: $1) }
/// let version = try reader.byte("a version")
/// ```
///
/// The methods are inlinable, because change sets are decoded through them, millions of values in a second.
@frozen
public struct ByteReader<Bytes: RandomAccessCollection, Failure: Error>
where Bytes.Element == UInt8, Bytes.Index == Int {
  /// What is read.
  public let bytes: Bytes
  @usableFromInline var next: Int
  @usableFromInline let fail: (_ position: Int, _ expected: String) -> Failure

  /// Reads bytes from the first to the last.
  ///
  /// - Parameters:
  ///   - bytes: what is read.
  ///   - fail: makes the error that says what was expected where.
  @inlinable
  public init(_ bytes: Bytes, fail: @escaping (_ position: Int, _ expected: String) -> Failure) {
    self.bytes = bytes
    next = bytes.startIndex
    self.fail = fail
  }

  /// The position of the next byte.
  @inlinable public var position: Int { next }
  /// How many bytes are left.
  @inlinable public var remaining: Int { bytes.endIndex - position }
  /// Whether all has been read.
  @inlinable public var isAtEnd: Bool { position >= bytes.endIndex }

  /// The error that says what was expected here.
  @inlinable
  public func failure(_ expected: String) -> Failure { fail(position, expected) }

  /// Reads one byte.
  @inlinable @inline(__always)
  public mutating func byte(_ what: @autoclosure () -> String = "one more byte") throws(Failure) -> UInt8 {
    guard position < bytes.endIndex else { throw failure(what()) }
    defer { next += 1 }
    return bytes[position]
  }

  /// Reads some bytes, without copying them.
  @inlinable
  public mutating func slice(
    _ count: Int, _ what: @autoclosure () -> String? = nil
  ) throws(Failure) -> Bytes.SubSequence {
    guard count >= 0, count <= remaining else {
      throw failure(what().map { "\($0) of \(count) bytes" } ?? "\(count) more bytes")
    }
    defer { next += count }
    return bytes[position..<position + count]
  }

  /// Reads some bytes.
  @inlinable
  public mutating func array(
    _ count: Int, _ what: @autoclosure () -> String? = nil
  ) throws(Failure) -> [UInt8] {
    Array(try slice(count, what()))
  }

  /// Reads text of so many bytes.
  @inlinable
  public mutating func string(
    _ count: Int, _ what: @autoclosure () -> String = "text"
  ) throws(Failure) -> String {
    let start = position
    let part = try slice(count, what())
    // A slice of memory that hands out its bytes one by one is copied before it is looked at.
    let text =
      part.withContiguousStorageIfAvailable { Self.validated($0) }
      ?? String(validating: part, as: UTF8.self)
    guard let text else { throw fail(start, "\(what()) in UTF-8") }
    return text
  }

  @inlinable
  static func validated(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    // Most texts are short, and this takes a quarter of the time; Apple's systems have had it for less long than what else is used here.
    guard #available(macOS 26, iOS 26, *) else { return String(validating: bytes, as: UTF8.self) }
    return try? String(copying: UTF8Span(validating: bytes.span))
  }

  // MARK: - Numbers

  /// Reads a number of fixed size, its most significant byte first.
  @inlinable @inline(__always)
  public mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
    _ what: @autoclosure () -> String? = nil
  ) throws(Failure) -> Number {
    Number(truncatingIfNeeded: try bigEndian(count: MemoryLayout<Number>.size, what()))
  }

  /// Reads a number of 0 to 8 bytes, its most significant byte first.
  @inlinable @inline(__always)
  public mutating func bigEndian(
    count: Int = 8, _ what: @autoclosure () -> String? = nil
  ) throws(Failure) -> UInt64 {
    var number: UInt64 = 0
    for byte in try slice(count, what()) { number = number << 8 | UInt64(byte) }
    return number
  }

  /// Reads a number in groups of seven bits, the least significant first (LEB128).
  @inlinable @inline(__always)
  public mutating func varint() throws(Failure) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw failure("an integer of at most 64 bits") }
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// Reads a number whose sign is its lowest bit.
  @inlinable @inline(__always)
  public mutating func zigzag() throws(Failure) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a count of things that take at least one byte each.
  @inlinable
  public mutating func count(of what: String) throws(Failure) -> Int {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw failure("at most \(remaining) \(what)") }
    return Int(count)
  }
}
