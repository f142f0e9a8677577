import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// Makes a test of one value from a comparison, once the type of the value is known.
struct QueryTest {
  let end: QueryPath.End
  let name: String
  let store: StoreFile

  func test(
    _ comparison: QueryCondition.Comparison, _ literals: [QueryCondition.Literal],
    _ options: QueryCondition.Options
  ) throws(ToolFailure) -> (AttributeValue) -> Bool {
    switch comparison {
    case .contains, .beginsWith, .endsWith, .like, .matches:
      return try textTest(comparison, literals[0], options)
    case .equal, .notEqual:
      if case .text(let wanted) = literals[0], !options.isEmpty {
        let isWanted: (AttributeValue) -> Bool = { value in
          Self.text(of: value).map { Self.fold($0, options) == Self.fold(wanted, options) } ?? false
        }
        return comparison == .equal ? isWanted : { !isWanted($0) }
      }
    default: break
    }
    var wanted: [AttributeValue] = []
    for literal in literals { wanted.append(try value(literal)) }
    let first = wanted[0]
    switch comparison {
    case .equal: return { Self.order($0, first) == .orderedSame }
    case .notEqual: return { Self.order($0, first) != .orderedSame }
    case .less: return { Self.order($0, first) == .orderedAscending }
    case .greater: return { Self.order($0, first) == .orderedDescending }
    case .lessOrEqual: return { [.orderedAscending, .orderedSame].contains(Self.order($0, first)) }
    case .greaterOrEqual: return { [.orderedDescending, .orderedSame].contains(Self.order($0, first)) }
    case .among: return { value in wanted.contains { Self.order(value, $0) == .orderedSame } }
    case .between, .contains, .beginsWith, .endsWith, .like, .matches:
      let last = wanted[wanted.count - 1]
      return { value in
        [.orderedDescending, .orderedSame].contains(Self.order(value, first))
          && [.orderedAscending, .orderedSame].contains(Self.order(value, last))
      }
    }
  }

  private func textTest(
    _ comparison: QueryCondition.Comparison, _ literal: QueryCondition.Literal,
    _ options: QueryCondition.Options
  ) throws(ToolFailure) -> (AttributeValue) -> Bool {
    guard case .text(let wanted) = literal else {
      throw .usage("\(comparison.rawValue) needs text in quotes on its right")
    }
    let folded = Self.fold(wanted, options)
    switch comparison {
    case .contains:
      return { value in Self.folded(value, options)?.contains(folded) == true || folded.isEmpty }
    case .beginsWith: return { Self.folded($0, options)?.hasPrefix(folded) == true }
    case .endsWith: return { Self.folded($0, options)?.hasSuffix(folded) == true }
    default: break
    }
    let pattern = comparison == .like ? Self.pattern(like: folded) : folded
    guard
      let expression = try? NSRegularExpression(
        pattern: "\\A(?:\(pattern))\\z", options: .dotMatchesLineSeparators)
    else { throw .usage("'\(wanted)' is no regular expression") }
    return { value in
      guard let text = Self.folded(value, options) else { return false }
      return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
  }

  /// The value that a literal stands for, in the type of what it is compared with.
  private func value(_ literal: QueryCondition.Literal) throws(ToolFailure) -> AttributeValue {
    if case .null = literal { return .null }
    switch end {
    case .computed: return Self.value(literal)
    case .count:
      if case .number(let text) = literal, let number = Int64(text) { return .integer(number) }
    case .relationship:
      if case .text(let uri) = literal, let reference = try reference(uri) { return reference }
      throw .usage(
        "“\(name)” is a relationship", advice: "compare it with nil or with an object's id in quotes")
    case .attribute(let type):
      if let value = Self.value(literal, type) { return value }
      throw .usage("“\(name)” holds a value of type \(type), and \(Self.words(for: literal)) is none")
    }
    throw .usage("“\(name)” is a number, and \(Self.words(for: literal)) is none")
  }

  private func reference(_ uri: String) throws(ToolFailure) -> AttributeValue? {
    let parts = uri.split(separator: "/")
    guard parts.count == 4, parts[0] == "x-coredata:",
      let entity = store.model.entity(named: String(parts[2])),
      parts[3].first == "p", let key = Int64(parts[3].dropFirst())
    else { return nil }
    // The same key means another object in another store.
    guard parts[1].uppercased() == store.uuid.uppercased() else {
      throw .usage("'\(uri)' is an object of another store, of which this one knows nothing")
    }
    return .reference(entity: Int32(entity.index), key: key)
  }

  /// The value of a literal that is compared with something computed.
  static func value(_ literal: QueryCondition.Literal) -> AttributeValue {
    switch literal {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .number(let text): Decimal(string: text, locale: nil).map { .decimal($0) } ?? .null
    case .text(let text): .string(text)
    }
  }

  private static func value(_ literal: QueryCondition.Literal, _ type: AttributeType) -> AttributeValue? {
    switch (type, literal) {
    // As an attribute keeps it, so that 0.1 and all the digits that dump prints of it are the same.
    case (.float, .number(let text)) where Float(text)?.isFinite == true: Float(text).map { .float($0) }
    case (.integer16, .number(let text)), (.integer32, .number(let text)), (.integer64, .number(let text)),
      (.boolean, .number(let text)), (.double, .number(let text)), (.float, .number(let text)):
      // Kept as a decimal, so that 0.1 is compared with 0.1 and 9007199254740993 with itself; beyond those there are only doubles.
      Decimal(string: text, locale: nil).map { .decimal($0) }
        ?? (type == .double || type == .float ? Double(text).map { .double($0) } : nil)
    case (.decimal, .number(let text)), (.decimal, .text(let text)):
      Decimal(string: text, locale: nil).map { .decimal($0) }
    case (.boolean, .boolean(let value)): .boolean(value)
    case (.integer16, .boolean(let value)), (.integer32, .boolean(let value)),
      (.integer64, .boolean(let value)):
      .integer(value ? 1 : 0)
    case (.date, .text(let text)): DateText.seconds(text).map { .date($0) }
    case (.date, .number(let text)): Double(text).map { .date($0) }
    case (.string, .text(let text)): .string(text)
    case (.uri, .text(let text)): .uri(text)
    case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
    case (.binary, .text(let text)): Data(base64Encoded: text).map { .data(Array($0)) }
    default: nil
    }
  }

  private static func words(for literal: QueryCondition.Literal) -> String {
    switch literal {
    case .null: "nil"
    case .boolean(let value): "\(value)"
    case .number(let text): text
    case .text(let text): "'\(text)'"
    }
  }

  static func text(of value: AttributeValue) -> String? {
    switch value {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }

  private static func folded(_ value: AttributeValue, _ options: QueryCondition.Options) -> String? {
    text(of: value).map { fold($0, options) }
  }

  private static func fold(_ text: String, _ options: QueryCondition.Options) -> String {
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    return folding.isEmpty ? text : text.folding(options: folding, locale: nil)
  }

  /// `?` stands for one character and `*` for any number.
  private static func pattern(like text: String) -> String {
    text.map { character in
      switch character {
      case "?": "."
      case "*": ".*"
      default: NSRegularExpression.escapedPattern(for: String(character))
      }
    }.joined()
  }
}

extension QueryTest {
  /// How two values are ordered; `nil` if they cannot be compared, as a missing value and another cannot.
  static func order(_ left: AttributeValue, _ right: AttributeValue) -> ComparisonResult? {
    switch (left, right) {
    case (.null, .null): .orderedSame
    case (.null, _), (_, .null): nil
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
      // As a store orders it, which tells “é” as one character from “e” with an accent.
      left.utf8.elementsEqual(right.utf8)
        ? .orderedSame
        : left.utf8.lexicographicallyPrecedes(right.utf8) ? .orderedAscending : .orderedDescending
    case (.uuid(let left), .uuid(let right)):
      left == right
        ? .orderedSame : left.uuidString < right.uuidString ? .orderedAscending : .orderedDescending
    case (.data(let left), .data(let right)):
      left == right
        ? .orderedSame : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
    case (.date(let left), .date(let right)):
      left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    case (.reference(let leftEntity, let left), .reference(let rightEntity, let right)):
      (leftEntity, left) == (rightEntity, right)
        ? .orderedSame : (leftEntity, left) < (rightEntity, right) ? .orderedAscending : .orderedDescending
    default:
      if let left = number(left), let right = number(right) {
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
      } else if let left = double(left), let right = double(right) {
        left == right
          ? .orderedSame : left < right ? .orderedAscending : left > right ? .orderedDescending : nil
      } else {
        nil
      }
    }
  }

  /// A number of a magnitude that no decimal has.
  private static func double(_ value: AttributeValue) -> Double? {
    switch value {
    case .double(let value): value
    case .float(let value): Double(value)
    default: number(value).map { NSDecimalNumber(decimal: $0).doubleValue }
    }
  }

  static func number(_ value: AttributeValue) -> Decimal? {
    switch value {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Decimal(value)
    // Its shortest notation, not its binary value, is what a person compares with.
    case .double(let value): value.isFinite ? Decimal(string: "\(value)", locale: nil) : nil
    case .float(let value): value.isFinite ? Decimal(string: "\(value)", locale: nil) : nil
    case .decimal(let value): value
    default: nil
    }
  }
}
