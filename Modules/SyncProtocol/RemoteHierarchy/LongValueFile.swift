import ChangeTracking
import TICDSZlib

/// The content of a long value's file: `Docs/Formats/LongValue.md`.
package enum LongValueFile {
  private static let magic: [UInt8] = Array("TICDSval".utf8)
  private static let version: UInt8 = 1
  private static let stored: UInt8 = 0
  private static let deflated: UInt8 = 1
  /// Bytes before those of the value, or of the stream that inflates to it.
  package static let headSize = 10
  /// How many bytes a file has more than its value, at most, sealed or not: the header, and what containers add.
  package static func sizeLimit(_ length: Int) -> Int { length + length / 1_024 + 4_096 }

  /// The most bytes that a stream may inflate to. Whoever makes a device hold a large value must have uploaded a file of some size.
  package static func inflatedLimit(_ stream: Int) -> Int { stream * 64 + (1 << 20) }

  /// Compresses a value, unless that makes it longer, or so short that nobody would inflate it.
  package static func encode(_ bytes: [UInt8]) throws -> [UInt8] {
    let compressed = try deflate(bytes, format: .raw, level: CompressionLevel(5))
    let isSmaller = compressed.count < bytes.count && bytes.count <= inflatedLimit(compressed.count)
    return magic + [version, isSmaller ? deflated : stored] + (isSmaller ? compressed : bytes)
  }

  /// The bytes of a value of a known length, not yet compared with its hash.
  ///
  /// - Throws: ``FormatError``.
  package static func decode(_ file: [UInt8], length: Int) throws(FormatError) -> [UInt8] {
    guard file.count >= headSize, file.starts(with: magic) else {
      throw FormatError(format: "long value", offset: 0, expected: "“TICDSval”")
    }
    guard file[magic.count] == version else {
      throw FormatError(format: "long value", offset: magic.count, expected: "version \(version)")
    }
    let body = Array(file[(headSize)...])
    switch file[magic.count + 1] {
    case stored: return body
    case deflated:
      guard length <= inflatedLimit(body.count) else {
        throw FormatError(
          format: "long value", offset: headSize,
          expected: "no more than \(inflatedLimit(body.count)) bytes of a stream of \(body.count)")
      }
      do {
        return try inflate(body, format: .raw, limit: length)
      } catch {
        throw FormatError(
          format: "long value", offset: headSize, expected: "a deflate stream of \(length) bytes")
      }
    default: throw FormatError(format: "long value", offset: magic.count + 1, expected: "0 or 1")
    }
  }
}
