import TICDSOpenSSL
import UntrustedBytes

/// The first 16 bytes of the SHA-256 of a file, by which files on the remote are named and chained.
///
/// Taken over the bytes that lie in storage, sealed or not, so that anybody can verify a file without a password.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// Exactly 16 bytes.
  public let bytes: [UInt8]

  /// Number of bytes.
  public static let byteCount = 16

  /// Hashes the bytes of a file.
  public init(of file: [UInt8]) { self.init(SHA256.hash(file)) }

  /// Takes the beginning of the digest of a file that was hashed piece by piece.
  package init(_ digest: SHA256.Digest) { bytes = Array(digest.bytes.prefix(Self.byteCount)) }

  /// Wraps a stored hash; `nil` unless it has 16 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads exactly 32 lower-case hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 2 * Self.byteCount, let bytes = HexadecimalDigits.bytes(text) else { return nil }
    self.bytes = bytes
  }

  /// 32 lower-case hexadecimal digits.
  public var description: String { HexadecimalDigits.text(bytes) }
}
