/// A property list in XML as the classic system writes it to describe a client or a document: one flat dictionary of
/// texts, with at most one dictionary of texts inside for what the application adds.
///
/// Only this subset is read and written. That needs no general parser, which hostile nesting could exhaust.
public struct InformationFile: Hashable, Sendable {
  /// Greatest size of a file in bytes.
  public static let sizeLimit = 64 << 10

  /// The texts by key.
  public var texts: [String: String] = [:]
  /// What the application adds, by the key of the dictionary that holds it.
  public var groups: [String: [String: String]] = [:]

  /// Nothing.
  public init() {}

  /// The file's bytes, keys in order.
  public var bytes: [UInt8] {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
      #"<plist version="1.0">"#, "<dict>",
    ]
    for key in Set(texts.keys).union(groups.keys).sorted() {
      lines.append("\t<key>\(Self.escape(key))</key>")
      if let group = groups[key] {
        lines.append("\t<dict>")
        for (key, text) in group.sorted(by: { $0.key < $1.key }) {
          lines.append("\t\t<key>\(Self.escape(key))</key>")
          lines.append("\t\t<string>\(Self.escape(text))</string>")
        }
        lines.append("\t</dict>")
      } else if let text = texts[key] {
        lines.append("\t<string>\(Self.escape(text))</string>")
      }
    }
    lines += ["</dict>", "</plist>", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\r": escaped += "&#13;"
      default: if isCharacter(scalar) { escaped.unicodeScalars.append(scalar) }
      }
    }
    return escaped
  }

  /// Whether XML 1.0 (section 2.2) can express a character at all.
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0xFFFE, 0xFFFF: false
    default: scalar.value >= 0x20
    }
  }
}
