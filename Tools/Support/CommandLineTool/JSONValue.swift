import ShownText

/// A JSON value whose object members keep the order in which they were written (RFC 8259).
///
/// Tools write their `--json` output with it, so that equal states give equal bytes.
public enum JSONValue: Sendable, Equatable {
  /// `null`
  case null
  /// `true` or `false`
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number; one that is not finite, for which JSON has no words, is written as `null`.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members in order. The caller sees to it that no key comes twice.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable, Equatable {
    /// The key.
    public let key: String
    /// The value.
    public let value: JSONValue

    /// Pairs a key with a value.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Whether two values are written alike. Texts are if their characters are, one by one, which `String` does not tell.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Whether lists and objects are within each other more than `limit` deep.
  public func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .null, .boolean, .integer, .number, .string: false
    case .array(let values): limit < 1 || values.contains { $0.isDeeper(than: limit - 1) }
    case .object(let members): limit < 1 || members.contains { $0.value.isDeeper(than: limit - 1) }
    }
  }

  /// The text, indented by two spaces, without a final line end. Empty lists and objects stay on one line.
  public var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes, indent: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(to bytes: inout [UInt8], indent: Int) {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): bytes += (value.isFinite ? "\(value)" : "null").utf8
    case .string(let value): Self.write(value, to: &bytes)
    case .array(let values):
      Self.writeList(values, brackets: "[]", to: &bytes, indent: indent) { value, bytes in
        value.write(to: &bytes, indent: indent + 1)
      }
    case .object(let members):
      Self.writeList(members, brackets: "{}", to: &bytes, indent: indent) { member, bytes in
        Self.write(member.key, to: &bytes)
        bytes += ": ".utf8
        member.value.write(to: &bytes, indent: indent + 1)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], brackets: String, to bytes: inout [UInt8], indent: Int,
    each: (Element, inout [UInt8]) -> Void
  ) {
    guard !elements.isEmpty else {
      bytes += brackets.utf8
      return
    }
    bytes += brackets.utf8.prefix(1)
    for (index, element) in elements.enumerated() {
      bytes += index == 0 ? [newline] : [comma, newline]
      bytes += repeatElement(space, count: 2 * (indent + 1))
      each(element, &bytes)
    }
    bytes += [newline] + repeatElement(space, count: 2 * indent)
    bytes += brackets.utf8.suffix(1)
  }

  /// Writes a text so that a terminal shows it as it is: characters that would reorder or hide what follows stand as numbers, too.
  static func write(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(quote)
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [backslash, UInt8(truncatingIfNeeded: scalar.value)]
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      case " "..."~": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case _ where PrintableText.isHazardous(scalar):
        for unit in UTF16.encode(scalar) ?? .init() { writeNumber(unit, to: &bytes) }
      default: bytes += UTF8.encode(scalar) ?? .init()
      }
    }
    bytes.append(quote)
  }

  private static func writeNumber(_ unit: UInt16, to bytes: inout [UInt8]) {
    let digits = String(unit, radix: 16)
    bytes += "\\u".utf8
    bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
    bytes += digits.utf8
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let newline = UInt8(ascii: "\n")
  private static let comma = UInt8(ascii: ",")
  private static let space = UInt8(ascii: " ")
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  /// An object whose members keep the literal's order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
