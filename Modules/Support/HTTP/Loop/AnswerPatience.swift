/// How long a server may work on what it was sent before it answers anything, beside the time that any answer has.
enum AnswerPatience {
  /// What buffers of this device and on the way may hold, in bytes, and how fast the slowest line empties them, in bytes a second.
  private static let (buffered, slowestLine): (Int64, Int64) = (4 << 20, 16 << 10)
  /// How fast the slowest server passes on what it has got, in bytes a second.
  private static let slowestServer: Int64 = 256 << 10
  /// In seconds. Whoever needs longer has no person and no proxy before him that waits for him.
  private static let longest: Int64 = 15 * 60

  /// How many seconds.
  ///
  /// - Parameter size: how long the body is.
  static func seconds(after size: Int64) -> Int {
    let rest = max(0, size - buffered)
    return Int(min(longest, min(size, buffered) / slowestLine + rest / slowestServer))
  }
}
