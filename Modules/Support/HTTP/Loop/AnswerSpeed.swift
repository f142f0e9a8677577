/// How fast the body of an answer is to come. One that drips just fast enough not to stand still, and is announced long, would be read
/// for hours.
enum AnswerSpeed {
  /// How much of a body may come at the slowest speed that counts as progress, in bytes.
  private static let beginning: Int64 = 64 << 10
  /// How fast what lies beyond that is to come, in bytes a second: a slow line that several answers share.
  private static let ofRest: Int64 = 1 << 10
  /// The same while only the answer itself has said how long it is.
  private static let ofDoubtful: Int64 = 4 << 10

  /// How long a body may take, in seconds.
  static func seconds(for length: Int64) -> Int64 {
    let rest = max(0, length - beginning)
    return min(length, beginning) / Int64(EasyOptions.leastSpeed) + rest / ofRest
  }

  /// Whether a body of which so much has come is so slow that its length is to be asked for elsewhere.
  ///
  /// - Parameters:
  ///   - length: how long its head says that it is.
  ///   - count: how many bytes have come.
  ///   - time: in which they have, beyond that which any answer may take.
  static func isDoubtful(length: Int64, count: Int64, after time: Duration) -> Bool {
    guard length > beginning, time > .zero else { return false }
    return Double(count) < Double(ofDoubtful) * (time / .seconds(1))
  }
}
