import Foundation

/// The points of an operation at which a test lets something happen: all of them in the long form, in the short one some, others for each number.
struct OperationPoints: Sequence {
  /// Whether all of them are taken.
  static let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil
  private static let stride = 9
  private let number: Int

  init(_ number: Int) { self.number = number }

  func makeIterator() -> some IteratorProtocol<Int> {
    let (start, stride) = Self.isLong ? (0, 1) : (number % Self.stride, Self.stride)
    return Swift.stride(from: start, to: .max, by: stride).makeIterator()
  }
}
