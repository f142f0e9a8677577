/// How many columns of a terminal a text takes.
public enum DisplayWidth {
  /// Scalars that take two columns: the wide and fullwidth ones of UAX #11 that are no emoji, in blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
    0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
    0x17000...0x18cff, 0x1b000...0x1b2ff, 0x20000...0x3fffd,
  ]
  /// Follows a scalar that is then shown as an emoji.
  private static let emojiSelector = Unicode.Scalar(0xfe0f as UInt32)

  /// The columns of a text without control characters.
  public static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The columns of what a reader takes for one character.
  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // Two columns are all that a terminal gives one character.
      if scalar == emojiSelector { return 2 }
      width = max(width, of(scalar))
    }
    return width
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The text if it takes no more columns than that; else its beginning and an ellipsis.
  public static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var (rest, end) = (columns - 1, text.startIndex)
    while end < text.endIndex {
      rest -= of(text[end])
      if rest < 0 { break }
      end = text.index(after: end)
    }
    return text[..<end] + "…"
  }
}
