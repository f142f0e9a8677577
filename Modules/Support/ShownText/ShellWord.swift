/// Text as one word of a POSIX shell, for commands that a person copies from a terminal.
public enum ShellWord {
  /// Text in quotes, whatever characters it holds.
  ///
  /// A terminal shows no characters that move the cursor or hide text, so those stand in numbers that `printf` turns back. Only line ends at the
  /// end of such a text are not kept, for the shell removes them.
  public static func quoted(_ text: String) -> String {
    guard PrintableText.line(text) != text else { return verbatim(text) }
    var format = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "%"): format += "%%"
      case UInt8(ascii: "'"), UInt8(ascii: "\\"), 0..<0x20, 0x7f...: format += octal(byte)
      default: format.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return "\"$(printf -- '\(format)')\""
  }

  /// Text within single quotes, in which only they themselves mean something, for what no terminal shows.
  public static func verbatim(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

  /// The path of a file or folder, or another name, where an option may stand: one that begins with a dash is taken for none.
  public static func place(_ name: String) -> String {
    quoted(name.hasPrefix("-") ? "./\(name)" : name)
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
