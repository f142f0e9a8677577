import ShownText

/// A piece of HTML into which text comes escaped and no other way.
///
/// What is written out in the source is markup; every text that is interpolated is escaped, so nothing that lies on a remote
/// becomes an element, an attribute or a script:
///
/// ```swift
/// let cell: Markup = "<td title=\"\(path)\">\(name)</td>"
/// ```
struct Markup: ExpressibleByStringInterpolation, Sendable {
  fileprivate(set) var source: String

  init(stringLiteral value: StaticString) { source = value.description }
  init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }
  private init(source: String) { self.source = source }

  struct StringInterpolation: StringInterpolationProtocol {
    /// Longer texts are cut: a page must not grow with a name.
    private static let limit = 800
    fileprivate var source = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: StaticString) { source += literal.description }
    mutating func appendInterpolation(_ markup: Markup) { source += markup.source }
    mutating func appendInterpolation(_ number: some BinaryInteger & CustomStringConvertible) {
      source += number.description
    }

    mutating func appendInterpolation(_ text: String) {
      let start = text.unicodeScalars.prefix(Self.limit)
      let isCut = start.endIndex != text.unicodeScalars.endIndex
      // Marks of direction and control characters could show something else than what is there.
      let line = PrintableText.line(String(String.UnicodeScalarView(start)) + (isCut ? "…" : ""))
      for scalar in line.unicodeScalars {
        switch scalar {
        case "&": source += "&amp;"
        case "<": source += "&lt;"
        case ">": source += "&gt;"
        case "\"": source += "&quot;"
        case "'": source += "&#39;"
        default: source.unicodeScalars.append(scalar)
        }
      }
    }
  }

  static func joined(_ parts: [Markup]) -> Markup {
    var source = ""
    for part in parts { source += part.source }
    return Markup(source: source)
  }

  static let empty: Markup = ""

  static func += (left: inout Markup, right: Markup) { left.source += right.source }
}
