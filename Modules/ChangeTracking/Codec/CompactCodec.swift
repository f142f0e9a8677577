import TICDSZlib

/// The compact format of change sets, described byte by byte in `Docs/Formats/CompactChangeSet.md`.
///
/// Changes of one shape (entity, action, properties) stand together, and each of their properties is a column, so that
/// like stands beside like for the compressor. The order of the changes is not kept, for it has no meaning.
public enum CompactCodec: ChangeSetCodec {
  /// `compact`.
  public static let name = "compact"
  /// Texts and data may travel out of line.
  public static let hasLongValues = true
  /// The first bytes of every set in this format.
  public static let magic: [UInt8] = Array("TICDSset".utf8)
  /// The version that ``encode(_:)`` writes.
  public static let version: UInt8 = 3

  /// Encodes a set.
  public static func encode(_ set: ChangeSet) throws -> [UInt8] {
    let body = encodeBody(set)
    var output = magic
    output.append(version)
    output.appendVarint(UInt64(body.count))
    output += try deflate(body, format: .raw, level: CompressionLevel(5))
    return output
  }

  /// Encodes a set without the header, uncompressed.
  package static func encodeBody(_ set: ChangeSet) -> [UInt8] {
    var encoder = SetEncoder()
    encoder.append(set)
    return encoder.bytes
  }

  /// Decodes a set.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, opened if it was sealed.
  ///   - limit: the greatest size of the body in bytes that is accepted.
  /// - Throws: ``CodecError``; any bytes are answered with a set or an error.
  public static func decode(_ bytes: [UInt8], limit: Int = SetLimits.bodySize) throws(CodecError) -> ChangeSet
  {
    let size: UInt64
    let start: Int
    (size, start) = try header(of: bytes)
    guard size <= UInt64(limit) else {
      throw CodecError(code: .exceedsLimit, offset: magic.count + 1, expected: "at most \(limit) bytes")
    }
    let body: [UInt8]
    do {
      body = try inflate(Array(bytes[start...]), format: .raw, limit: Int(size))
    } catch {
      throw CodecError(code: .damaged, offset: start, expected: "a whole deflate stream of \(size) bytes")
    }
    guard body.count == Int(size) else {
      throw CodecError(code: .damaged, offset: start, expected: "a body of \(size) bytes")
    }
    return try decodeBody(body)
  }

  /// Decodes what ``encodeBody(_:)`` made.
  package static func decodeBody(_ body: [UInt8]) throws(CodecError) -> ChangeSet {
    let result = body.withUnsafeBytes { buffer in
      Result { () throws(CodecError) in
        var decoder = SetDecoder(buffer)
        return try decoder.set()
      }
    }
    return try result.get()
  }

  /// Whether the bytes begin like a set in this format.
  public static func recognises(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: magic) }

  private static func header(of bytes: [UInt8]) throws(CodecError) -> (size: UInt64, start: Int) {
    guard recognises(bytes) else { throw CodecError(code: .foreign, offset: 0, expected: "“TICDSset”") }
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(CodecError) in
        var reader = SetReader(buffer)
        _ = try reader.slice(magic.count)
        let version = try reader.byte()
        guard version == self.version else {
          throw CodecError(
            code: version > self.version ? .newerVersion : .olderVersion, offset: magic.count,
            expected: "version \(self.version)")
        }
        return (size: try reader.varint(), start: reader.position)
      }
    }
    return try result.get()
  }
}
