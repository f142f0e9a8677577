import CommandLineTool

/// A word of a query's condition.
enum QueryToken: Equatable {
  /// A name, a path of names, or a key word.
  case word(String)
  /// A name or a path with a `#` before a part of it, which is taken away: no key word, whatever it is.
  case name(String)
  /// A number, as written.
  case number(String)
  /// Text in quotes.
  case text(String)
  /// An operator or a bracket.
  case symbol(String)

  /// Splits a condition. Text stands in single or double quotes; a backslash takes the next character as it is.
  static func tokens(of condition: String) throws(ToolFailure) -> [QueryToken] {
    var tokens: [QueryToken] = []
    // By scalars: a quotation mark and an accent that follows it are one character, and two things here.
    var rest = Array(condition.unicodeScalars)[...]
    while let character = rest.first {
      if character.properties.isWhitespace {
        rest.removeFirst()
      } else if character == "'" || character == "\"" {
        tokens.append(.text(try quoted(&rest)))
      } else if isDigit(character)
        || character == "-" && rest.dropFirst().first.map(isDigit) == true && !endsValue(tokens.last)
      {
        tokens.append(.number(number(&rest)))
      } else if character.properties.isAlphabetic || "_@$.#".unicodeScalars.contains(character) {
        let name = rest.prefix(while: isOfName)
        rest = rest.dropFirst(name.count)
        tokens.append(try token(text(name)))
      } else {
        tokens.append(.symbol(try symbol(&rest)))
      }
    }
    return tokens
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }

  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isAlphabetic || isDigit(scalar) || properties.generalCategory == .nonspacingMark
      || "_.@$#".unicodeScalars.contains(scalar)
  }

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func token(_ word: String) throws(ToolFailure) -> QueryToken {
    guard word.contains("#") else { return .word(word) }
    var names: [String] = []
    for part in word.split(separator: ".", omittingEmptySubsequences: false) {
      let name = part.hasPrefix("#") ? part.dropFirst() : part
      guard !name.isEmpty, !name.contains("#") else {
        throw .usage(
          "“\(word)” is no name", advice: "one # before the name of a property says that it is no key word")
      }
      names.append(String(name))
    }
    return .name(names.joined(separator: "."))
  }

  /// Whether a minus after a token subtracts.
  private static func endsValue(_ token: QueryToken?) -> Bool {
    switch token {
    case .word(let word): !["AND", "OR", "NOT", "IN"].contains(word.uppercased())
    case .name, .number, .text, .symbol(")"): true
    case .symbol, nil: false
    }
  }

  /// Digits with a fraction and an exponent; whether they make a number is looked at later.
  private static func number(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
    var number = [rest.removeFirst()]
    while let character = rest.first {
      let isSign = ["+", "-"].contains(character) && ["e", "E"].contains(number.last)
      guard isDigit(character) || [".", "e", "E"].contains(character) || isSign else { break }
      number.append(character)
      rest.removeFirst()
    }
    return text(number)
  }

  private static func quoted(_ rest: inout ArraySlice<Unicode.Scalar>) throws(ToolFailure) -> String {
    let quote = rest.removeFirst()
    var content: [Unicode.Scalar] = []
    while let character = rest.popFirst() {
      if character == quote { return text(content) }
      if character == "\\", let next = rest.popFirst() {
        content.append(next)
      } else {
        content.append(character)
      }
    }
    throw .usage("the condition ends inside of quotes")
  }

  private static func symbol(_ rest: inout ArraySlice<Unicode.Scalar>) throws(ToolFailure) -> String {
    for length in [2, 1] {
      let candidate = text(rest.prefix(length))
      if [
        "==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", "[",
        "]", ",", "+", "-", "*", "/",
      ]
      .contains(candidate) {
        rest = rest.dropFirst(length)
        return candidate
      }
    }
    throw .usage("the condition has a “\(text(rest.prefix(1)))” that means nothing here")
  }
}
