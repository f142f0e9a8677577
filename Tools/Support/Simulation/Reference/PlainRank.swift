import ChangeTracking
import Foundation
import ObjectStore

/// Where a content stands among those of one stamp, by `Docs/Formats/CompactChangeSet.md` and without the module's own comparison: numbers of
/// all types and texts that are whole numbers come first, by their value, then other contents by their bytes.
struct PlainRank {
  private let rounded: Double?
  private let exact: Decimal?
  private let bytes: [UInt8]

  init(_ content: Register.Content) {
    guard case .value(let value) = content else {
      (rounded, exact, bytes) = (nil, nil, PlainContent.bytes(of: content))
      return
    }
    rounded = Self.number(value)
    exact = rounded == nil ? nil : Decimal(string: Self.digits(value))
    bytes = PlainContent.bytes(of: Self.text(value).map { .string($0) } ?? value)
  }

  func isBelow(_ other: PlainRank) -> Bool {
    switch (rounded, other.rounded) {
    case (nil, nil): return bytes.lexicographicallyPrecedes(other.bytes)
    case (nil, _?): return false
    case (_?, nil): return true
    case (let rounded?, let others?):
      if rounded != others { return rounded < others }
      guard let exact, let theirs = other.exact else { return false }
      return exact < theirs
    }
  }

  private static func number(_ value: AttributeValue) -> Double? {
    value.plainNumber
      ?? text(value).flatMap { text in Int64(text).flatMap { "\($0)" == text ? Double($0) : nil } }
  }

  private static func digits(_ value: AttributeValue) -> String {
    switch value {
    case .boolean(let truth): truth ? "1" : "0"
    case .integer(let number): "\(number)"
    case .float(let number): "\(Double(number))"
    case .double(let number), .date(let number): "\(number)"
    case .decimal(let number): number.description
    default: text(value) ?? ""
    }
  }

  private static func text(_ value: AttributeValue) -> String? {
    switch value {
    case .string(let text), .uri(let text): text
    case .uuid(let identifier): identifier.uuidString
    default: nil
    }
  }
}

extension AttributeValue {
  /// The value of a number of any type, of which dates and truth values are some.
  var plainNumber: Double? {
    switch self {
    case .boolean(let truth): truth ? 1 : 0
    case .integer(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number), .date(let number): number
    case .decimal(let number): Double(number.description)
    default: nil
    }
  }
}
