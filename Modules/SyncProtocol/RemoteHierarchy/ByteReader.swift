/// A file whose content does not keep to its format.
public struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The format.
  public var format: String
  /// Where in the file, in bytes.
  public var offset: Int
  /// What should have been there.
  public var expected: String

  /// What a person can do about it.
  public var recovery: String { "Run ticds-inspect verify on the remote." }

  /// One line for a log or a terminal.
  public var description: String { "no valid \(format): expected \(expected) at offset \(offset)" }
}

/// Reads untrusted bytes front to back, never past their end.
struct ByteReader {
  private let source: [UInt8]
  private let format: String
  private(set) var offset = 0

  init(_ source: [UInt8], format: String) {
    self.source = source
    self.format = format
  }

  func failure(_ expected: String) -> FormatError {
    FormatError(format: format, offset: offset, expected: expected)
  }

  mutating func bytes(_ count: Int, _ what: String) throws(FormatError) -> [UInt8] {
    guard count <= source.count - offset else { throw failure("\(what) of \(count) bytes") }
    defer { offset += count }
    return Array(source[offset..<offset + count])
  }

  mutating func byte(_ what: String) throws(FormatError) -> UInt8 {
    guard offset < source.count else { throw failure(what) }
    defer { offset += 1 }
    return source[offset]
  }

  mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
    _ what: String
  ) throws(FormatError) -> Number {
    var number: Number = 0
    for byte in try bytes(MemoryLayout<Number>.size, what) { number = number << 8 | Number(byte) }
    return number
  }

  mutating func text(_ what: String, limit: Int) throws(FormatError) -> String {
    let count: UInt16 = try integer(what)
    guard count <= limit else { throw failure("\(what) of at most \(limit) bytes") }
    guard let text = String(validating: try bytes(Int(count), what), as: UTF8.self) else {
      throw failure("\(what) in UTF-8")
    }
    return text
  }
}
