import ChangeTracking

extension Supersession {
  /// Which sets are superseded: those that whoever says it again has merged, and no others. Another branch of the same author's
  /// history, which a copy of his store wrote, is not among them.
  package struct Content: Hashable, Sendable {
    /// Hash of the last set: the former author's chain goes on from there, if it goes on.
    package var chain: ContentHash
    /// The sets, by sequence and hash, in order.
    package var sets: [SetName]

    /// How many sets are named. Of more, the newest.
    static let setLimit = 40_000

    package init(chain: ContentHash, sets: [SetName]) {
      self.chain = chain
      self.sets = Array(sets.suffix(Self.setLimit))
    }

    private static let magic: [UInt8] = Array("TICDSSP".utf8) + [1]

    /// The content of the file.
    package var bytes: [UInt8] {
      var bytes = Self.magic + chain.bytes
      for set in sets {
        withUnsafeBytes(of: set.sequence.bigEndian) { bytes += $0 }
        bytes += set.hash.bytes
      }
      return bytes
    }

    /// Reads the content of the file.
    ///
    /// - Throws: ``FormatError``.
    package init(_ bytes: [UInt8]) throws(FormatError) {
      var reader = RecordReader(bytes, format: "supersession")
      guard bytes.starts(with: Self.magic) else { throw reader.failure("“TICDSSP” and version 1") }
      _ = try reader.array(Self.magic.count, "magic")
      guard let chain = ContentHash(bytes: try reader.array(ContentHash.byteCount, "hash of the last set"))
      else { throw reader.failure("a hash") }
      self.chain = chain
      sets = []
      while reader.position < bytes.count {
        let sequence: UInt64 = try reader.integer("sequence of a set")
        guard let hash = ContentHash(bytes: try reader.array(ContentHash.byteCount, "hash of a set")),
          sequence > 0, sets.count < Self.setLimit
        else { throw reader.failure("the number of a set") }
        sets.append(SetName(sequence: sequence, hash: hash))
      }
    }
  }
}
