/// How many bytes of plaintext are encrypted and authenticated as one piece: a power of two.
///
/// It is what a stream holds in memory, and how much is read before a change is noticed.
public struct SegmentSize: Hashable, Sendable {
  /// The permitted binary logarithms: 256 bytes to 1 MiB.
  public static let permittedLogarithms: ClosedRange<UInt8> = 8...20
  /// 64 KiB.
  public static let standard = SegmentSize(unchecked: 16)

  /// The binary logarithm of the size.
  public let logarithm: UInt8

  /// The size in bytes.
  public var bytes: Int { 1 << Int(logarithm) }

  /// The size with a binary logarithm; `nil` outside ``permittedLogarithms``.
  public init?(logarithm: UInt8) {
    guard Self.permittedLogarithms.contains(logarithm) else { return nil }
    self.logarithm = logarithm
  }

  private init(unchecked logarithm: UInt8) { self.logarithm = logarithm }
}
