/// A start tag: `name attribute="value" …`, without its brackets.
struct XMLTag {
  let name: ArraySlice<UInt8>
  /// Prefixes and what they stand for; the default namespace has an empty prefix.
  private(set) var declarations: [(prefix: ArraySlice<UInt8>, namespace: String)] = []
  /// All others, by their names as they are written.
  private(set) var attributes: [String: String] = [:]

  /// Returns `nil` if it is not well-formed.
  init?(_ content: ArraySlice<UInt8>) {
    name = content[..<(content.firstIndex(where: XMLSpace.contains) ?? content.endIndex)]
    guard !name.isEmpty, name.allSatisfy(Self.isNameByte) else { return nil }
    var rest = content[name.endIndex...]
    while !rest.isEmpty {
      let trimmed = rest.drop(while: XMLSpace.contains)
      guard !trimmed.isEmpty else { return }
      guard trimmed.startIndex > rest.startIndex else { return nil }
      let attribute = trimmed.prefix { !XMLSpace.contains($0) && $0 != UInt8(ascii: "=") }
      rest = trimmed.dropFirst(attribute.count).drop(while: XMLSpace.contains)
      guard !attribute.isEmpty, attribute.allSatisfy(Self.isNameByte), rest.first == UInt8(ascii: "=") else {
        return nil
      }
      rest = rest.dropFirst().drop(while: XMLSpace.contains)
      guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        return nil
      }
      let value = rest.dropFirst().prefix { $0 != quote }
      guard rest.count > value.count + 1, !value.contains(UInt8(ascii: "<")) else { return nil }
      rest = rest.dropFirst(value.count + 2)
      guard let text = XMLReference.attribute(value) else { return nil }
      let prefix = attribute.starts(with: Self.xmlns) ? attribute.dropFirst(Self.xmlns.count) : nil
      if let prefix, prefix.isEmpty {
        declarations.append((prefix, text))
      } else if let prefix, prefix.first == UInt8(ascii: ":"), prefix.count > 1 {
        declarations.append((prefix.dropFirst(), text))
      } else {
        // An attribute that is there twice is not well-formed.
        guard attributes.updateValue(text, forKey: String(decoding: attribute, as: UTF8.self)) == nil else {
          return nil
        }
      }
    }
  }

  /// Where a tag's closing bracket is, which is not one within quotation marks.
  static func end(in bytes: [UInt8], from start: Int) -> Int? {
    var quote: UInt8?
    for position in start..<bytes.count {
      let byte = bytes[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return position
      }
    }
    return nil
  }

  private static let xmlns = Array("xmlns".utf8)

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }
}
