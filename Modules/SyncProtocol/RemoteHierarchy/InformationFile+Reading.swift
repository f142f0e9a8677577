extension InformationFile {
  /// Reads a file.
  ///
  /// - Throws: ``FormatError`` if it is no property list of the supported shape.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    guard bytes.count <= Self.sizeLimit else {
      throw FormatError(format: Self.format, offset: 0, expected: "at most \(Self.sizeLimit) bytes")
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw FormatError(format: Self.format, offset: 0, expected: "UTF-8")
    }
    var scanner = MarkupScanner(bytes, format: Self.format)
    try scanner.skipProlog()
    guard try scanner.tag().hasPrefix("plist") else { throw scanner.failure("<plist>") }
    let first = try scanner.tag()
    guard first == "dict" || first == "dict/" else { throw scanner.failure("<dict>") }
    if first == "dict" { try readEntries(&scanner) }
    guard try scanner.tag() == "/plist" else { throw scanner.failure("</plist>") }
  }

  private static let format = "property list"

  private mutating func readEntries(_ scanner: inout MarkupScanner) throws(FormatError) {
    while let key = try Self.key(&scanner) {
      switch try scanner.tag() {
      case "dict": groups[key] = try Self.group(&scanner)
      case "dict/": groups[key] = [:]
      case let tag: if let text = try Self.text(tag, &scanner) { texts[key] = text }
      }
    }
  }

  private static func group(_ scanner: inout MarkupScanner) throws(FormatError) -> [String: String] {
    var group: [String: String] = [:]
    while let key = try key(&scanner) {
      if let text = try text(try scanner.tag(), &scanner) { group[key] = text }
    }
    return group
  }

  private static func key(_ scanner: inout MarkupScanner) throws(FormatError) -> String? {
    switch try scanner.tag() {
    case "/dict": return nil
    case "key":
      let key = try scanner.characters()
      guard try scanner.tag() == "/key" else { throw scanner.failure("</key>") }
      return key
    default: throw scanner.failure("<key> or </dict>")
    }
  }

  /// The text of a simple value; `nil` for a value of another simple kind, which no reader of ours asks for.
  private static func text(_ tag: String, _ scanner: inout MarkupScanner) throws(FormatError) -> String? {
    switch tag {
    case "string/": return ""
    case "true/", "false/": return nil
    case "string", "integer", "real", "date", "data":
      let text = try scanner.characters()
      guard try scanner.tag() == "/" + tag else { throw scanner.failure("</\(tag)>") }
      return tag == "string" ? text : nil
    default: throw scanner.failure("a simple value")
    }
  }
}

/// Reads tags and the text between them, front to back.
struct MarkupScanner {
  private let bytes: [UInt8]
  private let format: String
  private var offset = 0

  init(_ bytes: [UInt8], format: String) {
    self.bytes = bytes
    self.format = format
  }

  func failure(_ expected: String) -> FormatError {
    FormatError(format: format, offset: offset, expected: expected)
  }

  /// Passes over the XML declaration, the document type and comments.
  mutating func skipProlog() throws(FormatError) {
    while true {
      skipSpace()
      guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "<"),
        bytes[offset + 1] == UInt8(ascii: "?") || bytes[offset + 1] == UInt8(ascii: "!")
      else { return }
      // A document type with declarations of its own could define entities; none of ours has one.
      guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: ">")),
        !bytes[offset..<end].contains(UInt8(ascii: "["))
      else { throw failure("a prolog without declarations") }
      offset = end + 1
    }
  }

  /// The next tag without its brackets and without attributes; only white space may come before.
  mutating func tag() throws(FormatError) -> String {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "<"),
      let end = bytes[offset...].firstIndex(of: UInt8(ascii: ">"))
    else { throw failure("a tag") }
    let tag = String(decoding: bytes[(offset + 1)..<end], as: UTF8.self)
    offset = end + 1
    return tag
  }

  /// The text up to the next tag, with entities resolved.
  mutating func characters() throws(FormatError) -> String {
    let end = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    var text = String.UnicodeScalarView()
    // Scalars, for a combining one after a reference makes one character with its semicolon.
    var rest = String(decoding: bytes[offset..<end], as: UTF8.self).unicodeScalars[...]
    while let ampersand = rest.firstIndex(of: "&") {
      text += rest[..<ampersand]
      guard let semicolon = rest[ampersand...].firstIndex(of: ";"),
        let character = Self.entity(Substring(rest[rest.index(after: ampersand)..<semicolon]))
      else { throw failure("a known entity") }
      text.append(character)
      rest = rest[rest.index(after: semicolon)...]
    }
    text += rest
    guard text.allSatisfy(InformationFile.isCharacter) else {
      throw failure("characters that XML has")
    }
    offset = end
    return String(text)
  }

  private static func entity(_ name: Substring) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    default:
      if name.hasPrefix("#x") {
        UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      } else if name.hasPrefix("#") {
        UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      } else {
        nil
      }
    }
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }
}
