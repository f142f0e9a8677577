/// How long a server asks to wait (RFC 9110, section 10.2.3).
public enum RetryAfter {
  /// Nobody is believed who asks for more than a day.
  public static let limit = Duration.seconds(86_400)

  /// Reads both forms of the field, a number of seconds and a date.
  ///
  /// A date is compared with the server's own `Date`, where there is one, for the clocks may differ.
  ///
  /// - Parameters:
  ///   - head: the head of the server's answer.
  ///   - now: the time here, in seconds since 1970.
  /// - Returns: from nothing to a day; `nil` where the server does not say.
  public static func pause(in head: HTTPHead, now: Int64) -> Duration? {
    guard let text = head["retry-after"] else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !text.isEmpty {
      return Int64(text).map { min(.seconds($0), limit) } ?? limit
    }
    guard let date = HTTPDate.seconds(text) else { return nil }
    let reference = head["date"].flatMap(HTTPDate.seconds) ?? now
    return min(.seconds(max(0, date - reference)), limit)
  }
}
