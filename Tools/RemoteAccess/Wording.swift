/// Joins the sentences of libraries into the one sentence that a tool says.
enum Wording {
  /// A sentence as part of another: without its full stop, and beginning small unless it begins with a name.
  static func clause(_ sentence: String) -> String {
    var text = sentence[...]
    while let last = text.last, last == "." || last.isWhitespace { text = text.dropLast() }
    guard let first = text.first, let second = text.dropFirst().first, first.isUppercase, second.isLowercase
    else {
      return String(text)
    }
    return first.lowercased() + text.dropFirst()
  }
}
