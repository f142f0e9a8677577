import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// Shows an attribute's value.
enum ValueText {
  static func text(_ value: AttributeValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text): "“\(DisplayText.shortened(text))”"
    case .date(let seconds): DateText.words(seconds)
    case .data(let bytes): "\(bytes.count) bytes"
    case .uuid(let identifier): identifier.uuidString
    case .uri(let text): "<\(DisplayText.shortened(text))>"
    case .reference: "a relationship"
    }
  }

  /// In full, for programs.
  static func json(_ value: AttributeValue) -> JSONValue {
    switch value {
    case .null, .reference: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): ValueJSON.number(number)
    case .float(let number): ValueJSON.number(Double(number))
    case .decimal(let number): .string("\(number)")
    case .string(let text), .uri(let text): .string(text)
    case .date: ValueJSON.json(value, .date)
    case .data(let bytes): .string(Data(bytes).base64EncodedString())
    case .uuid(let identifier): .string(identifier.uuidString)
    }
  }
}
