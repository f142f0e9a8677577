/// Reads heads line by line, as they come off the connection.
///
/// One request may bring several: interim answers (100), and those to which libcurl itself responds. The last one counts.
struct HeadReader {
  /// Servers send some hundred bytes. What is beyond is dropped.
  static let fieldLimit = 200
  private(set) var head: HTTPHead?
  private var count = 0

  mutating func read(_ line: String) {
    let bytes = line.utf8
    if bytes.starts(with: "HTTP/".utf8) {
      // The words after the number may be missing.
      let digits = bytes.drop { $0 != Self.space }.drop { $0 == Self.space }.prefix { $0 > Self.space }
      head = HTTPHead(status: Int(Substring(digits)) ?? 0)
      count = 0
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), count < Self.fieldLimit {
      count += 1
      head?.add(Self.trimmed(bytes[..<colon]), Self.trimmed(bytes[bytes.index(after: colon)...]))
    }
  }

  private static let space = UInt8(ascii: " ")

  private static func trimmed(_ text: Substring.UTF8View) -> String {
    var text = text.drop { $0 <= space }
    while let last = text.last, last <= space { text = text.dropLast() }
    return String(Substring(text))
  }
}
