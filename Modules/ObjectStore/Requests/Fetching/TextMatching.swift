import Foundation
import TICDSSQLite

/// Compares text for predicates: in SQL through a function of the connection, and in memory.
enum TextMatching {
  /// A number for the SQL function: the kind of match and the options.
  static func code(_ match: TextMatch, _ options: ComparisonOptions) -> Int64 {
    let kind: Int64 =
      switch match {
      case .equals: 0
      case .contains: 1
      case .begins: 2
      case .ends: 3
      case .like: 4
      }
    return kind << 8 | Int64(options.rawValue)
  }

  /// Whether text matches; codes are those of ``code(_:_:)``.
  static func matches(_ text: String, _ wanted: String, code: Int64) -> Bool {
    let options = ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: code))
    let text = fold(text, options)
    let wanted = fold(wanted, options)
    switch code >> 8 {
    case 0: return options.isEmpty ? text.utf8.elementsEqual(wanted.utf8) : text == wanted
    case 1: return wanted.isEmpty || text.contains(wanted)
    case 2: return text.hasPrefix(wanted)
    case 3: return text.hasSuffix(wanted)
    default: return like(Array(text), Array(wanted))
    }
  }

  /// Lets SQL call `ticds_match(text, wanted, code)`: 1 or 0, also for no text; and `ticds_text(text, function)`.
  static func addFunctions(to connection: Connection) throws(SQLiteError) {
    try connection.addFunction("ticds_text", argumentCount: 2) { arguments in
      guard !arguments.isNull(0), let function = TextFunction(rawValue: arguments.int64(1)) else {
        return .null
      }
      return function.apply(to: arguments.text(0))
    }
    try connection.addFunction("ticds_match", argumentCount: 3) { arguments in
      if arguments.isNull(0) { return .integer(0) }
      return .integer(matches(arguments.text(0), arguments.text(1), code: arguments.int64(2)) ? 1 : 0)
    }
  }

  private static func fold(_ text: String, _ options: ComparisonOptions) -> String {
    if options.isEmpty { return text }
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    return text.folding(options: folding, locale: nil)
  }

  /// Matches with one place to come back to, so the time is at most the product of the lengths.
  private static func like(_ text: [Character], _ pattern: [Character]) -> Bool {
    var (position, expected) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while position < text.count {
      if expected < pattern.count, pattern[expected] == "*" {
        star = (expected, position)
        expected += 1
      } else if expected < pattern.count, pattern[expected] == "?" || pattern[expected] == text[position] {
        position += 1
        expected += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        position = last.text + 1
        expected = last.pattern + 1
      } else {
        return false
      }
    }
    return pattern[expected...].allSatisfy { $0 == "*" }
  }
}

extension TextFunction {
  /// What the function gives for text.
  func apply(to text: String) -> SQLiteValue {
    switch self {
    case .length: .integer(Int64(text.count))
    case .lowercased: .text(text.lowercased())
    case .uppercased: .text(text.uppercased())
    case .canonical: .text(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
    case .naturalOrder: .text(NaturalOrder.key(of: text))
    }
  }
}
