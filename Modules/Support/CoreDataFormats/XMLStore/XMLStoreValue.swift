/// Values of attributes as an XML store writes them.
enum XMLStoreValue {
  static let types: Set<String> = [
    "int16", "int32", "int64", "decimal", "double", "float", "string", "bool", "date", "binary", "uuid",
    "uri",
  ]

  /// - Returns: `nil` if the text is no value of that type.
  static func value(_ text: String, type: String) -> ArchivedObject? {
    switch type {
    case "string": return .string(unescaped(text))
    case "uri": return .url(relative: unescaped(text), base: nil)
    case "binary": return Base64.decode(text).map { .data($0) }
    default: break
    }
    let text = text.trimmingSpace
    switch type {
    case "int16": return Int16(text).map { .integer(Int64($0)) }
    case "int32": return Int32(text).map { .integer(Int64($0)) }
    case "int64": return Int64(text).map { .integer($0) }
    case "decimal": return ArchivedDecimal(String(text)).map { .decimal($0) }
    case "double": return Double(text).map { .real($0) }
    case "float": return Float(text).map { .float($0) }
    // Seconds since 2001, with as many digits as the writer likes.
    case "date": return Double(text).map { .date($0) }
    case "bool": return ["0": false, "1": true, "NO": false, "YES": true][text].map { .boolean($0) }
    case "uuid": return ArchivedUUID(text).map { .uuid($0) }
    default: return nil
    }
  }

  /// A text whose characters `<`, `>` and `&` are written as `\u3c00` and the like: the two bytes of the UTF-16 unit as they lie in memory,
  /// which is the other way round on the processors of today. A text that holds such letters itself cannot be told from that.
  static func unescaped(_ text: String) -> String {
    guard text.contains("\\u") else { return text }
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "\\") {
      result += rest[..<mark]
      rest = rest[mark...]
      let sequence = rest.prefix(6)
      if sequence.count == 6, let scalar = escaped(sequence) {
        result.unicodeScalars.append(scalar)
        rest = rest.dropFirst(6)
      } else {
        result.append("\\")
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  private static func escaped(_ sequence: Substring) -> Unicode.Scalar? {
    let digits = sequence.dropFirst(2)
    guard sequence.hasPrefix("\\u"), digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16)
    else {
      return nil
    }
    // Only ASCII is escaped, so one of the bytes is zero.
    let character = unit & 0xff == 0 ? unit >> 8 : unit
    return character < 0x80 && character != 0 ? Unicode.Scalar(UInt8(character)) : nil
  }
}

extension String {
  /// Without white space at its ends.
  var trimmingSpace: Substring {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}

extension ArchivedUUID {
  /// Interprets groups of 8, 4, 4, 4 and 12 hexadecimal digits.
  init?(_ text: Substring) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], text.allSatisfy({ $0 == "-" || $0.isHexDigit }),
      let high = UInt64(groups[0...2].joined(), radix: 16),
      let low = UInt64(groups[3...4].joined(), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}
