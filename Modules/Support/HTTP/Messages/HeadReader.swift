/// Reads heads line by line, as they come off the connection.
///
/// One request may bring several: interim answers (100), and those to which libcurl itself responds. The last one counts.
struct HeadReader {
  /// Servers send some hundred bytes. What is beyond is dropped.
  static let fieldLimit = 200
  private(set) var head: HTTPHead?
  private var count = 0

  mutating func read(_ line: String) {
    if line.hasPrefix("HTTP/") {
      let words = line.split(separator: " ", maxSplits: 2)
      let status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      head = HTTPHead(status: status)
      count = 0
    } else if let colon = line.firstIndex(of: ":"), count < Self.fieldLimit {
      count += 1
      head?.add(Self.trimmed(line[..<colon]), Self.trimmed(line[line.index(after: colon)...]))
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace ?? false { text = text.dropFirst() }
    while text.last?.isWhitespace ?? false { text = text.dropLast() }
    return String(text)
  }
}
