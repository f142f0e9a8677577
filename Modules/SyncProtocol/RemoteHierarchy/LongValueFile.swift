import ChangeTracking
import Zlib

/// The content of a long value's file: `Docs/Formats/LongValue.md`.
package enum LongValueFile {
  private static let magic: [UInt8] = Array("TICDSval".utf8)
  private static let version: UInt8 = 1
  private static let stored: UInt8 = 0
  private static let deflated: UInt8 = 1
  /// How many bytes a file has more than its value, at most, sealed or not: the header, and what containers add.
  package static func sizeLimit(_ length: Int) -> Int { length + length / 1_024 + 4_096 }

  /// Compresses a value, unless that makes it longer.
  package static func encode(_ bytes: [UInt8]) throws -> [UInt8] {
    let compressed = try deflate(bytes, format: .raw, level: CompressionLevel(5))
    let isSmaller = compressed.count < bytes.count
    return magic + [version, isSmaller ? deflated : stored] + (isSmaller ? compressed : bytes)
  }

  /// The bytes of a value of a known length, not yet compared with its hash.
  ///
  /// - Throws: ``FormatError``.
  package static func decode(_ file: [UInt8], length: Int) throws(FormatError) -> [UInt8] {
    guard file.count >= magic.count + 2, file.starts(with: magic) else {
      throw FormatError(format: "long value", offset: 0, expected: "“TICDSval”")
    }
    guard file[magic.count] == version else {
      throw FormatError(format: "long value", offset: magic.count, expected: "version \(version)")
    }
    let body = Array(file[(magic.count + 2)...])
    switch file[magic.count + 1] {
    case stored: return body
    case deflated:
      do {
        return try inflate(body, format: .raw, limit: length)
      } catch {
        throw FormatError(
          format: "long value", offset: magic.count + 2, expected: "a deflate stream of \(length) bytes")
      }
    default: throw FormatError(format: "long value", offset: magic.count + 1, expected: "0 or 1")
    }
  }
}
