import UntrustedBytes

/// Identifies an author: one client in one incarnation of its store.
///
/// A client that goes on from a restored or copied store takes a new author identifier, so that an author's sequence
/// numbers never repeat. Identifiers are 64 random bits, written as 16 lower-case hexadecimal digits.
public struct AuthorID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The identifier's bits.
  public let bits: UInt64

  /// No author: all bits are 0. Nobody makes sets as this one.
  static let nobody = AuthorID(bits: 0)

  /// Wraps the bits of an identifier.
  public init(bits: UInt64) { self.bits = bits }

  /// Reads exactly 16 lower-case hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 16, let bytes = HexadecimalDigits.bytes(text) else { return nil }
    bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// 16 lower-case hexadecimal digits.
  public var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Orders by the bits.
  public static func < (left: AuthorID, right: AuthorID) -> Bool { left.bits < right.bits }
}
