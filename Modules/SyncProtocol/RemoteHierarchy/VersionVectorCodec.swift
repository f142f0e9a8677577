import ChangeTracking

/// Vectors as they stand in files: the number of entries (2 bytes), then author and sequence of each, ordered by author.
enum VersionVectorCodec {
  /// Greatest number of entries.
  static let limit = 32_768

  static func encode(_ vector: VersionVector) -> [UInt8] {
    let entries = vector.sequences.sorted { $0.key < $1.key }.prefix(limit)
    var bytes = bytes(UInt16(entries.count))
    for (author, sequence) in entries { bytes += Self.bytes(author.bits) + Self.bytes(sequence) }
    return bytes
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Reads a vector.
  ///
  /// - Throws: ``FormatError``.
  static func read(_ reader: inout RecordReader) throws(FormatError) -> VersionVector {
    let count: UInt16 = try reader.integer("number of authors")
    guard count <= limit else { throw reader.failure("at most \(limit) authors") }
    var vector = VersionVector()
    var last: AuthorID?
    for _ in 0..<count {
      let author = AuthorID(bits: try reader.integer("author of the vector"))
      // In order, so that one file has one content, and none is named twice.
      guard last.map({ $0 < author }) ?? true else { throw reader.failure("a greater author") }
      last = author
      vector[author] = try reader.integer("sequence of the vector")
      guard (1...FixedWidth.limit).contains(vector[author]) else {
        throw reader.failure("a sequence from 1 to \(FixedWidth.limit), as a name can say it")
      }
    }
    return vector
  }
}
