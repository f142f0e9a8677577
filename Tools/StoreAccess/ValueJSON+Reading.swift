import CommandLineTool
import CoreDataFormats
import Foundation
import ObjectStore

extension ValueJSON {
  /// Why a JSON value is none of an attribute, as the end of a sentence that begins with its name.
  package struct Refusal: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// Whether a value says that its file was missing when it was shown.
  package static func isMissingFile(_ node: JSONDocument.Node) -> Bool {
    guard case .object(let members) = node.content, members.count == 1 else { return false }
    return if case .boolean(true)? = members[missingFileKey]?.content { true } else { false }
  }

  /// The value of an attribute from what ``json(_:_:transformables:)`` made of it.
  ///
  /// - Throws: ``Refusal`` if it is none of the type.
  package static func value(
    _ node: JSONDocument.Node, _ type: AttributeType
  ) throws(Refusal) -> AttributeValue {
    if case .null = node.content { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return try integer(node, type)
    case .boolean:
      switch node.content {
      case .boolean(let value): return .boolean(value)
      case .number("0"): return .boolean(false)
      case .number("1"): return .boolean(true)
      default: throw Refusal("is neither true nor false")
      }
    case .double: return .double(try real(node))
    case .float:
      let value = try real(node)
      // A number with more digits than a float has is the nearest one; one beyond all of them is none.
      guard !value.isFinite || Float(value).isFinite else { throw Refusal("is too great for 32 bits") }
      return .float(Float(value))
    case .decimal: return .decimal(try decimal(node))
    case .string: return .string(try text(node))
    case .uri: return .uri(try text(node))
    case .date: return .date(try date(node))
    case .uuid:
      guard let value = UUID(uuidString: try text(node)) else { throw Refusal("is no UUID") }
      return .uuid(value)
    case .binary, .composite: return .data(try base64(node))
    case .transformable:
      if let bytes = node[bytesKey] {
        guard case .object(let members) = node.content, members.count == 1 else {
          throw Refusal("has other keys beside “\(bytesKey)”")
        }
        return .data(try base64(bytes))
      }
      return .data(ArchivedJSON.archive(try ArchivedJSON.object(node)))
    case .undefined, .objectID: throw Refusal("is of a type that no store keeps")
    }
  }

  private static func integer(
    _ node: JSONDocument.Node, _ type: AttributeType
  ) throws(Refusal) -> AttributeValue {
    guard case .number(let text) = node.content, let value = whole(text), type.accepts(.integer(value)) else {
      let bits = type == .integer16 ? 16 : type == .integer32 ? 32 : 64
      throw Refusal("is no whole number of \(bits) bits")
    }
    return .integer(value)
  }

  /// Programs that keep all numbers as doubles write 1 as `1.0`, and great ones with an exponent. Taken by its digits, so that none is lost.
  private static func whole(_ text: String) -> Int64? {
    if let value = Int64(text) { return value }
    let parts = text.split { $0 == "e" || $0 == "E" }
    guard let mantissa = parts.first, parts.count <= 2, let power = Int16(parts.count == 2 ? parts[1] : "0")
    else { return nil }
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = halves.count == 2 ? halves[1] : ""
    var digits = String(halves[0])
    digits.append(contentsOf: fraction)
    var places = Int(power) - fraction.count
    while places < 0, digits.last == "0" {
      digits.removeLast()
      places += 1
    }
    guard (0...18).contains(places) else { return nil }
    return Int64(digits + String(repeating: "0", count: places))
  }

  static func real(_ node: JSONDocument.Node) throws(Refusal) -> Double {
    switch node.content {
    case .number(let text):
      guard let value = Double(text), value.isFinite else { throw Refusal("is too great a number") }
      return value
    case .string("NaN"): return .nan
    case .string("Infinity"): return .infinity
    case .string("-Infinity"): return -.infinity
    default: throw Refusal("is no number")
    }
  }

  private static func decimal(_ node: JSONDocument.Node) throws(Refusal) -> Decimal {
    let text: String
    switch node.content {
    case .number(let number): text = number
    case .string(let string): text = string
    default: throw Refusal("is no decimal number")
    }
    if text == "NaN" { return .nan }
    // Foundation reads as far as it understands, so what it is given must be a number from end to end.
    guard ArchivedDecimal(text) != nil, let value = Decimal(string: text, locale: nil), !value.isNaN else {
      throw Refusal("is no decimal number, or has too many digits")
    }
    return value
  }

  static func date(_ node: JSONDocument.Node) throws(Refusal) -> Double {
    if case .string(let text) = node.content, let seconds = DateText.seconds(text) { return seconds }
    guard let seconds = try? real(node) else {
      throw Refusal("is no date of the form 2011-04-23T12:00:00.500Z, nor a number of seconds since 2001")
    }
    return seconds
  }

  static func text(_ node: JSONDocument.Node) throws(Refusal) -> String {
    guard case .string(let text) = node.content else { throw Refusal("is no text") }
    return text
  }

  static func base64(_ node: JSONDocument.Node) throws(Refusal) -> [UInt8] {
    // Foundation passes over bits that belong to no byte, and what was cut would be taken for whole.
    guard case .string(let text) = node.content, let data = Data(base64Encoded: text),
      data.base64EncodedString() == text
    else { throw Refusal("is no base64") }
    return Array(data)
  }
}
