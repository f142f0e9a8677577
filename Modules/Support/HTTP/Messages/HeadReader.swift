/// Reads heads line by line, as they come off the connection.
///
/// One request may bring several: interim answers (100), and those to which libcurl itself responds. The last one counts. What comes after
/// the head of a final answer are trailers (RFC 9110, section 6.5), unless the request goes out again: nothing of them counts, whatever they
/// are called.
struct HeadReader {
  /// What a line was.
  enum Line { case beginning, field, end, trailer }

  /// Servers send some hundred bytes. What is beyond is dropped.
  static let fieldLimit = 200
  private(set) var head: HTTPHead?
  private var count = 0
  private var isOpen = false
  private var isExpected = true

  /// The request goes out, so that a head may follow.
  mutating func expectAnswer() { isExpected = true }

  @discardableResult
  mutating func read(_ line: String) -> Line {
    let bytes = line.utf8
    guard isOpen else {
      guard isExpected, bytes.starts(with: "HTTP/".utf8) else { return .trailer }
      // The words after the number may be missing.
      let digits = bytes.drop { $0 != Self.space }.drop { $0 == Self.space }.prefix { $0 > Self.space }
      head = HTTPHead(status: Int(Substring(digits)) ?? 0)
      (count, isOpen) = (0, true)
      return .beginning
    }
    if bytes.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      isOpen = false
      isExpected = head.map { (100...199).contains($0.status) } ?? true
      return .end
    }
    if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), count < Self.fieldLimit {
      count += 1
      head?.add(Self.trimmed(bytes[..<colon]), Self.trimmed(bytes[bytes.index(after: colon)...]))
    }
    return .field
  }

  private static let space = UInt8(ascii: " ")

  private static func trimmed(_ text: Substring.UTF8View) -> String {
    var text = text.drop { $0 <= space }
    while let last = text.last, last <= space { text = text.dropLast() }
    return String(Substring(text))
  }
}
