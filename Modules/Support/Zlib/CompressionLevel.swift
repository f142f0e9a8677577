/// How much time is spent on a smaller result.
public struct CompressionLevel: Sendable, Hashable {
  let value: Int32

  /// A level of zlib's from 0 (store) to 9 (smallest); others are taken as the nearest.
  public init(_ value: Int) { self.value = Int32(min(max(value, 0), 9)) }

  /// No compression, only the format.
  public static let store = CompressionLevel(0)
  /// Level 1.
  public static let fastest = CompressionLevel(1)
  /// Level 6: zlib's compromise.
  public static let balanced = CompressionLevel(6)
  /// Level 9.
  public static let smallest = CompressionLevel(9)
}
