import Foundation
import ObjectStore

/// Values of every type, of which some are at the ends of their ranges.
enum SampleValues {
  static let all: [AttributeValue] =
    integers + texts + [
      .boolean(true), .boolean(false),
      .double(0.1), .double(-.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(1e15),
      .double(-0.0), .double(.infinity), .double(.nan),
      .float(0.1), .float(.greatestFiniteMagnitude), .float(-0.0), .float(-.infinity), .float(.nan),
      .decimal(Decimal(sign: .minus, exponent: -20, significand: 12_345)), .decimal(3),
      .date(0), .date(-63_114_076_800), .date(700_000_000.123456),
      // A tenth of a microsecond, which a date of this century still tells.
      .date(700_000_000.1234567),
      .data([]), .data([0]), .data(Array(0...255)), .data(Array(repeating: 7, count: 70_000)),
      .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
      .uri("https://example.org/a?b=c#d"),
    ]

  private static let integers: [AttributeValue] = [
    0, 1, -1, 32_767, -32_768, 2_147_483_647, -2_147_483_648, .max, .min,
  ].map { .integer($0) }

  // The two spellings of é are equal as strings and different as bytes.
  private static let texts: [AttributeValue] = [
    "a", "", " ", "caf\u{e9}", "cafe\u{301}", "line\nline", "line\r\nline\r", "nul\u{0}l", "' OR 1 --",
    "\u{1f642}", " blanks around ",
    String(repeating: "x", count: 70_000),
  ].map { .string($0) }
}

extension AttributeValue {
  /// Whether two values are the same in every byte.
  func isIdentical(to other: AttributeValue) -> Bool {
    if case .string(let left) = self, case .string(let right) = other {
      return left.utf8.elementsEqual(right.utf8)
    }
    if case .uri(let left) = self, case .uri(let right) = other { return left.utf8.elementsEqual(right.utf8) }
    // What is no number is like itself; the sign of a zero need not be kept.
    if case .double(let left) = self, case .double(let right) = other { return Self.isSame(left, right) }
    if case .float(let left) = self, case .float(let right) = other { return Self.isSame(left, right) }
    return self == other
  }

  private static func isSame<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Bool {
    left == right || left.isNaN && right.isNaN
  }
}
