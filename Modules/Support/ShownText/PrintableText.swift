/// Text that comes from outside, made fit to be shown to a person, on a terminal too.
public enum PrintableText {
  /// One line: what could move the cursor, change colours, reorder or hide text is written as `\u{…}`.
  ///
  /// Joiners stay, for letters and pictures are put together with them.
  public static func line(_ text: String) -> String { escaped(text) { _ in false } }

  /// Several lines: as ``line(_:)``, but line ends and tabs stay.
  public static func lines(_ text: String) -> String {
    escaped(text.replacingLineEnds) { $0 == "\n" || $0 == "\t" }
  }

  private static func escaped(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if isHazardous(scalar), !isKept(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a character could move the cursor, change colours, reorder or hide text, and is no joiner.
  public static func isHazardous(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      scalar != "\u{200C}" && scalar != "\u{200D}"
    default: false
    }
  }
}

extension String {
  /// A carriage return alone would write over what stands in the line; together with a line feed it is a line end.
  fileprivate var replacingLineEnds: String {
    var result = ""
    for character in self { result.append(character == "\r\n" ? "\n" : character) }
    return result
  }
}
