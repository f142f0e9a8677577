/// The ways to log in that a server offers (RFC 9110, section 11.6.1).
enum Challenge {
  /// The names of the schemes in the values of all `WWW-Authenticate` fields, in lower case.
  ///
  /// Several challenges may stand in one field, divided by commas like their parameters: what is not followed by `=` begins a
  /// new one.
  static func schemes(_ fields: [String]) -> [String] {
    fields.flatMap { field in
      parts(field).compactMap { part in
        let word = part.prefix { $0 != " " && $0 != "=" }
        let rest = part.dropFirst(word.count).drop { $0 == " " }
        guard !word.isEmpty, rest.first != "=" else { return nil }
        return word.lowercased()
      }
    }
  }

  /// Some of the schemes, to be told to a person.
  static func names(_ schemes: [String]) -> String {
    var names: [String] = []
    for scheme in schemes where names.count < 4 {
      let name = String(
        scheme.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }.prefix(20).map(
          Character.init))
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    return names.joined(separator: ", ")
  }

  /// Splits at commas that are not within quotation marks.
  private static func parts(_ field: String) -> [Substring] {
    var parts: [Substring] = []
    var start = field.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in field.indices {
      let character = field[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        parts.append(field[start..<index])
        start = field.index(after: index)
      }
    }
    parts.append(field[start...])
    return parts.map { $0.drop { $0 == " " } }
  }
}
