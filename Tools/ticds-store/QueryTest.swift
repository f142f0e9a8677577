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
    default: break
    }
    if !options.isEmpty { try requireText(for: "a comparison with [c] or [d]") }
    var wanted: [AttributeValue] = []
    for literal in literals { wanted.append(Self.foldedValue(try value(literal), options)) }
    let holds = Self.holding(comparison, wanted)
    return options.isEmpty ? holds : { holds(Self.foldedValue($0, options)) }
  }

  private static func holding(
    _ comparison: QueryCondition.Comparison, _ wanted: [AttributeValue]
  ) -> (AttributeValue) -> Bool {
    switch comparison {
    case .among:
      return { value in wanted.contains { holds(.equal, value, $0, isNil: $0.isNull) } }
    case .between:
      let (first, last) = (wanted[0], wanted[1])
      return { holds(.greaterOrEqual, $0, first) && holds(.lessOrEqual, $0, last) }
    default:
      let first = wanted[0]
      return { holds(comparison, $0, first, isNil: first.isNull) }
    }
  }

  private func requireText(for word: String) throws(ToolFailure) {
    guard let kind = end.kind, kind != .text else { return }
    throw .usage("“\(name)” is \(kind.words), and \(word) takes text")
  }

  private func textTest(
    _ comparison: QueryCondition.Comparison, _ literal: QueryCondition.Literal,
    _ options: QueryCondition.Options
  ) throws(ToolFailure) -> (AttributeValue) -> Bool {
    let word = comparison.rawValue.uppercased()
    guard case .text(let wanted) = literal else {
      throw .usage("\(word) needs text in quotes on its right")
    }
    try requireText(for: word)
    let folded = Self.fold(wanted, options)
    switch comparison {
    case .contains:
      return {
        Self.folded($0, options).map { folded.isEmpty || $0.utf8.firstRange(of: folded.utf8) != nil } ?? false
      }
    case .beginsWith: return { Self.folded($0, options)?.utf8.starts(with: folded.utf8) == true }
    case .endsWith:
      let end = Array(folded.utf8.reversed())
      return { Self.folded($0, options)?.utf8.reversed().starts(with: end) == true }
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
  func value(_ literal: QueryCondition.Literal) throws(ToolFailure) -> AttributeValue {
    if case .null = literal { return .null }
    if case .number(let text) = literal, QueryNumber(text: text) == nil {
      throw .usage("“\(text)” is no number")
    }
    switch end {
    case .computed, .count:
      switch literal {
      case .boolean(let value): return .boolean(value)
      case .number(let text): if let number = QueryNumber(text: text) { return number.value }
      case .null, .text: break
      }
    case .relationship:
      if case .text(let uri) = literal, let reference = try reference(uri) { return reference }
      throw .usage(
        "“\(name)” is a relationship", advice: "compare it with nil or with an object's id in quotes")
    case .attribute(let type):
      if let value = Self.value(literal, type) { return value }
      throw .usage("“\(name)” holds a value of type \(type), and \(literal.words) is none")
    }
    throw .usage("“\(name)” is a number, and \(literal.words) is none")
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

  private static func value(_ literal: QueryCondition.Literal, _ type: AttributeType) -> AttributeValue? {
    switch (type, literal) {
    // As an attribute keeps it, so that 0.1 and all the digits that dump prints of it are the same.
    case (.float, .number(let text)) where Float(text)?.isFinite == true: Float(text).map { .float($0) }
    case (.integer16, .number(let text)), (.integer32, .number(let text)), (.integer64, .number(let text)),
      (.boolean, .number(let text)), (.double, .number(let text)), (.float, .number(let text)),
      (.decimal, .number(let text)), (.decimal, .text(let text)):
      // Kept as a decimal, so that 0.1 is compared with 0.1 and 9007199254740993 with itself; beyond those there are only doubles.
      QueryNumber(text: text)?.value
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

  static func text(of value: AttributeValue) -> String? {
    switch value {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }

  private static func folded(_ value: AttributeValue, _ options: QueryCondition.Options) -> String? {
    text(of: value).map { fold($0, options) }
  }

  private static func foldedValue(_ value: AttributeValue, _ options: QueryCondition.Options)
    -> AttributeValue
  {
    options.isEmpty ? value : folded(value, options).map { .string($0) } ?? value
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
  /// Whether a comparison says so of two values.
  ///
  /// - Parameter isNil: Whether one of them is the word `nil`. Otherwise two that are both missing are neither equal nor different.
  static func holds(
    _ comparison: QueryCondition.Comparison, _ left: AttributeValue, _ right: AttributeValue,
    isNil: Bool = false
  ) -> Bool {
    let order = Self.order(left, right)
    let areBothMissing = left.isNull && right.isNull
    return switch comparison {
    case .equal, .among: order == .orderedSame || (isNil && areBothMissing)
    case .notEqual: order != .orderedSame && !areBothMissing
    case .less: order == .orderedAscending
    case .lessOrEqual: order == .orderedAscending || order == .orderedSame
    case .greater: order == .orderedDescending
    case .greaterOrEqual: order == .orderedDescending || order == .orderedSame
    case .contains, .beginsWith, .endsWith, .like, .matches, .between: false
    }
  }

  /// How two values are ordered; `nil` if they cannot be compared, as a missing value cannot.
  static func order(_ left: AttributeValue, _ right: AttributeValue) -> ComparisonResult? {
    switch (left, right) {
    case (.null, _), (_, .null): nil
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
      (.string(let left), .uri(let right)), (.uri(let left), .string(let right)):
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
      if let left = QueryNumber(left), let right = QueryNumber(right) {
        QueryNumber.order(left, right)
      } else {
        nil
      }
    }
  }
}
