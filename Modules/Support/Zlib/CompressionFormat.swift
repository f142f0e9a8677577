import CTICDSZlib

/// What surrounds the compressed data.
public enum CompressionFormat: Sendable, Hashable, CaseIterable {
  /// Nothing (RFC 1951): no checksum, so something outside must verify the data.
  case raw
  /// A header of two bytes and an Adler-32 checksum (RFC 1950).
  case zlib
  /// The file format of `gzip` with a CRC-32 checksum (RFC 1952); one member.
  case gzip

  /// zlib's way to say it: the logarithm of the window, negative for raw, plus 16 for gzip.
  var windowBits: Int32 {
    switch self {
    case .raw: -MAX_WBITS
    case .zlib: MAX_WBITS
    case .gzip: MAX_WBITS + 16
    }
  }
}
