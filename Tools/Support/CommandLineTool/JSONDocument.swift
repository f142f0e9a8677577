/// A JSON text (RFC 8259) that was read, with the line at which each value begins: for files that people may have edited.
///
/// Whatever the text is, reading it ends, uses memory in proportion to it, and goes no deeper than ``depthLimit``.
public struct JSONDocument: Sendable {
  /// Lists and objects within each other at most.
  public static let depthLimit = 64

  /// A value and where it begins.
  public struct Node: Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// The value.
    public let content: Content

    /// The member of an object; `nil` if this is no object, or has none of the name.
    public subscript(key: String) -> Node? {
      guard case .object(let members) = content else { return nil }
      return members[key]
    }
  }

  /// A value of which the parts know their lines.
  public enum Content: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number, as it is written.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([Node])
    /// Members; no key comes twice.
    case object([String: Node])
  }

  /// What is wrong with a text, and where.
  public struct Failure: Error, Equatable {
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong, as part of a sentence.
    public let reason: String

    /// Returns what is wrong at a line.
    public init(line: Int, _ reason: String) {
      self.line = line
      self.reason = reason
    }
  }

  /// The outermost value.
  public let root: Node

  /// Reads a text in UTF-8.
  ///
  /// - Parameter valueLimit: How many values it may hold, those within others among them. Each takes some hundred bytes of memory, however
  ///   short it is written.
  /// - Throws: ``Failure``.
  public init(_ bytes: [UInt8], valueLimit: Int = .max) throws(Failure) {
    var reader = JSONReader(bytes, valueLimit: valueLimit)
    root = try reader.document()
  }
}

/// Reads JSON, byte by byte.
private struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private let valueLimit: Int
  private var values = 0

  init(_ bytes: [UInt8], valueLimit: Int) {
    self.bytes = bytes
    self.valueLimit = valueLimit
  }

  mutating func document() throws(JSONDocument.Failure) -> JSONDocument.Node {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    let root = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw failure("there is something after the end") }
    return root
  }

  private func failure(_ reason: String) -> JSONDocument.Failure {
    JSONDocument.Failure(line: line, position < bytes.count ? reason : "the text ends too early")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      if byte == 0x0a { line += 1 }
      position += 1
    }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONDocument.Failure) -> JSONDocument.Node {
    guard depth <= JSONDocument.depthLimit else {
      throw failure("lists are within each other more than \(JSONDocument.depthLimit) deep")
    }
    guard values < valueLimit else { throw failure("it holds more than \(valueLimit) values") }
    values += 1
    skipSpace()
    let start = line
    let content: JSONDocument.Content
    switch next {
    case UInt8(ascii: "{"): content = .object(try members(depth: depth))
    case UInt8(ascii: "["): content = .array(try elements(depth: depth))
    case UInt8(ascii: "\""): content = .string(try string())
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): content = .number(try number())
    default: content = try word()
    }
    return JSONDocument.Node(line: start, content: content)
  }

  private mutating func members(depth: Int) throws(JSONDocument.Failure) -> [String: JSONDocument.Node] {
    position += 1
    var members: [String: JSONDocument.Node] = [:]
    skipSpace()
    if take("}") { return members }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a key in quotation marks is missing") }
      let start = line
      let key = try string()
      skipSpace()
      guard take(":") else { throw failure("a colon is missing") }
      let value = try value(depth: depth + 1)
      guard members.updateValue(value, forKey: key) == nil else {
        throw JSONDocument.Failure(line: start, "the key “\(key)” comes twice")
      }
      skipSpace()
      if take("}") { return members }
      guard take(",") else { throw failure("a comma or } is missing") }
    }
  }

  private mutating func elements(depth: Int) throws(JSONDocument.Failure) -> [JSONDocument.Node] {
    position += 1
    var elements: [JSONDocument.Node] = []
    skipSpace()
    if take("]") { return elements }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw failure("a comma or ] is missing") }
    }
  }

  private mutating func word() throws(JSONDocument.Failure) -> JSONDocument.Content {
    for (word, content) in [
      ("null", JSONDocument.Content.null), ("true", .boolean(true)), ("false", .boolean(false)),
    ] where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return content
    }
    throw failure("a value is missing")
  }

  private mutating func number() throws(JSONDocument.Failure) -> String {
    let start = position
    _ = take("-")
    let isZero = next == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0, !isZero || digits == 1 else { throw failure("a number is not written as JSON wants") }
    if take("."), skipDigits() == 0 { throw failure("a number lacks digits after its point") }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      if skipDigits() == 0 { throw failure("a number lacks digits in its exponent") }
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  // MARK: Texts

  private mutating func string() throws(JSONDocument.Failure) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw failure("a text is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): try escape(&text)
      case 0..<0x20: throw failure("a text holds a control character, or lacks its quotation mark")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw failure("")
  }

  private mutating func escape(_ text: inout [UInt8]) throws(JSONDocument.Failure) {
    position += 1
    let letters: [UInt8: UInt8] = [
      UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09, UInt8(ascii: "b"): 0x08,
      UInt8(ascii: "f"): 0x0c, UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "/"): 0x2f,
    ]
    if let byte = next, let letter = letters[byte] {
      text.append(letter)
      position += 1
      return
    }
    guard take("u") else { throw failure("\\ is followed by something unknown") }
    var code = UInt32(try unit())
    if (0xd800..<0xdc00).contains(code) {
      guard take("\\"), take("u") else { throw failure("half a surrogate pair stands alone") }
      let low = UInt32(try unit())
      guard (0xdc00..<0xe000).contains(low) else { throw failure("half a surrogate pair stands alone") }
      code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair stands alone") }
    text += Array(Character(scalar).utf8)
  }

  private mutating func unit() throws(JSONDocument.Failure) -> UInt16 {
    guard bytes.count - position >= 4 else {
      position = bytes.count
      throw failure("")
    }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw failure("\\u lacks its four digits") }
    position += 4
    return unit
  }
}
