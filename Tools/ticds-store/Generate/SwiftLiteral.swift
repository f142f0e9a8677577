import Foundation
import ObjectStore

/// Values as Swift source.
enum SwiftLiteral {
  /// A text between quotation marks, on one line.
  static func text(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        // What cannot be seen, or turns what follows around, is written by its number.
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
          result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  static func list(_ texts: some Sequence<String>) -> String {
    "[\(texts.map(text).joined(separator: ", "))]"
  }

  /// A dictionary of texts in the order of its keys.
  static func dictionary(_ pairs: [String: String]) -> String {
    "[\(pairs.sorted { $0.key < $1.key }.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", "))]"
  }

  /// The value of a property of its Swift type; `nil` if there is none to be written.
  ///
  /// - Parameter isOptional: Whether the property may be without a value, as what cannot be sure to succeed is then.
  static func value(_ value: AttributeValue, isOptional: Bool) -> String? {
    switch value {
    case .null, .reference: nil
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .double(let value): number(value)
    case .float(let value): number(Double(value), "\(value)")
    case .decimal(let value) where value.isNaN: ".nan"
    case .decimal(let value):
      "Foundation.Decimal(string: \"\(value)\")" + (isOptional ? "" : " ?? 0")
    case .string(let value): text(value)
    case .uri(let value):
      "Foundation.URL(string: \(text(value)))" + (isOptional ? "" : " ?? Foundation.URL(filePath: \"/\")")
    case .date(let value): "Foundation.Date(timeIntervalSinceReferenceDate: \(number(value)))"
    case .data(let value): "Foundation.Data([\(bytes(value))])"
    case .uuid(let value): "Foundation.UUID(uuid: (\(withUnsafeBytes(of: value.uuid) { bytes(Array($0)) })))"
    }
  }

  /// A bound of a range, as ``AttributeValue``; `nil` if there is none.
  static func bound(_ value: AttributeValue) -> String? {
    switch value {
    case .integer(let value): ".integer(\(value))"
    case .double(let value): ".double(\(number(value)))"
    case .float(let value): ".float(\(number(Double(value), "\(value)")))"
    case .date(let value): ".date(\(number(value)))"
    case .decimal(let value) where !value.isNaN:
      ".decimal(Foundation.Decimal(string: \"\(value)\") ?? 0)"
    default: nil
    }
  }

  private static func number(_ value: Double, _ notation: String? = nil) -> String {
    value.isFinite ? notation ?? "\(value)" : value.isNaN ? ".nan" : value < 0 ? "-.infinity" : ".infinity"
  }

  private static func bytes(_ bytes: [UInt8]) -> String { bytes.map(String.init).joined(separator: ", ") }
}
