/// The public name of a master key: 8 bytes derived from it, by which a reader with several keys finds the right one.
///
/// It tells nothing about the key. It is a hint, no proof: content is authenticated under the key itself.
public struct KeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// Size in bytes.
  public static let size = 8

  private let value: UInt64

  /// Takes an identifier from elsewhere; `nil` unless there are exactly 8 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size else { return nil }
    value = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads exactly 16 lower-case hexadecimal digits.
  public init?(digits: some StringProtocol) {
    guard digits.utf8.count == 2 * Self.size,
      digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let value = UInt64(digits, radix: 16)
    else { return nil }
    self.value = value
  }

  /// The 8 bytes.
  public var bytes: [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// 16 lower-case hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
