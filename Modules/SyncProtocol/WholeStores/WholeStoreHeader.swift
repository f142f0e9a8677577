/// What stands before the compressed content of a whole store: `Docs/Formats/WholeStore.md`.
///
/// It says how much comes out, so that a reader knows before he spends anything whether there is room.
package struct WholeStoreHeader: Hashable, Sendable {
  /// How many bytes come out.
  package var length: UInt64
  /// How many files lie beside the store.
  package var fileCount: UInt32

  static let magic: [UInt8] = Array("TICDSWS".utf8) + [version]
  private static let version: UInt8 = 1
  /// Number of bytes.
  package static let size = 8 + 8 + 4

  package init(length: UInt64, fileCount: UInt32) {
    self.length = length
    self.fileCount = fileCount
  }

  package var bytes: [UInt8] {
    var bytes = Self.magic
    withUnsafeBytes(of: length.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: fileCount.bigEndian) { bytes += $0 }
    return bytes
  }

  /// Reads a header.
  ///
  /// - Throws: ``FormatError`` if it is none, or says more than the limits permit.
  package init(_ bytes: [UInt8], limits: WholeStoreLimits) throws(FormatError) {
    var reader = RecordReader(bytes, format: "whole store")
    guard try reader.array(Self.magic.count, "magic") == Self.magic else {
      throw FormatError(format: "whole store", offset: 0, expected: "“TICDSWS” and version 1")
    }
    length = try reader.integer("length")
    guard length <= limits.length else { throw reader.failure("a length of at most \(limits.length) bytes") }
    fileCount = try reader.integer("number of files")
    guard fileCount <= limits.fileCount else { throw reader.failure("at most \(limits.fileCount) files") }
  }
}

/// How large a whole store may be.
package struct WholeStoreLimits: Hashable, Sendable {
  /// Bytes of the file on the remote.
  package var fileSize: Int64 = 16 << 30
  /// Bytes of the store and the files beside it.
  package var length: UInt64 = 64 << 30
  /// Files beside the store.
  package var fileCount: UInt32 = 1_000_000

  package init() {}
}
