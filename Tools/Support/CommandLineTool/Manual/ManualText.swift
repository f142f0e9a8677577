/// The source of a manual page in ASCII, with lines of at most 78 characters and each sentence on lines of its own, as roff wants it.
struct ManualText {
  private(set) var source = ""
  private static let width = 78

  /// A line that is written as it is: a macro, or text that was escaped before.
  mutating func request(_ line: String) { source += line + "\n" }

  /// Text of any length.
  mutating func text(_ text: String) {
    var line = ""
    for word in text.split(separator: " ") {
      let escaped = Self.escaped(String(word))
      if !line.isEmpty, line.count + 1 + escaped.count > Self.width || Self.endsSentence(line) {
        finish(&line)
      }
      line += (line.isEmpty ? "" : " ") + escaped
    }
    finish(&line)
  }

  private static func endsSentence(_ line: String) -> Bool { line.last.map { ".?!".contains($0) } == true }

  private mutating func finish(_ line: inout String) {
    guard !line.isEmpty else { return }
    // A full stop or an apostrophe would begin a macro.
    source += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
    line = ""
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// The text without anything that roff takes for its own. Hyphens are written so that they can be copied from the page.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "“": result += "\\(lq"
      case "”": result += "\\(rq"
      case "’": result += "\\(cq"
      case "'": result += "\\(aq"
      case " "..."~": result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}
