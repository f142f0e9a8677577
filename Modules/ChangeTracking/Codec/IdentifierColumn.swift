/// A column of sync IDs in ascending order: UUIDs as differences, then other texts.
///
/// Sorting saves log2(n!) bits of n random identifiers, and nearly all bits of the time in time-ordered ones.
enum IdentifierColumn {
  static func append(_ identifiers: some Sequence<SyncID>, to output: inout [UInt8]) {
    var widths: [UInt8] = []
    var differences: [UInt8] = []
    var lows: [UInt8] = []
    var texts: [String] = []
    var previous: UInt64 = 0
    for identifier in identifiers {
      switch identifier {
      case .uuid(let high, let low):
        let difference = high &- previous
        let width = (71 - difference.leadingZeroBitCount) / 8
        widths.append(UInt8(width))
        differences.appendBigEndian(difference, count: width)
        lows.appendBigEndian(low)
        previous = high
      case .text(let text):
        texts.append(text)
      }
    }
    output.appendVarint(UInt64(widths.count))
    output.appendVarint(UInt64(texts.count))
    output.append(contentsOf: widths)
    output.append(contentsOf: differences)
    output.append(contentsOf: lows)
    for text in texts { output.appendText(text) }
  }

  static func read(from reader: inout ByteReader) throws(CodecError) -> [SyncID] {
    let uuids = try reader.count(of: "identifiers")
    let texts = try reader.count(of: "identifiers")
    let widths = try reader.slice(uuids)
    var highs: [UInt64] = []
    highs.reserveCapacity(uuids)
    var previous: UInt64 = 0
    for width in widths {
      guard width <= 8 else { throw reader.damaged("differences of at most 8 bytes") }
      previous = previous &+ (try reader.bigEndian(count: Int(width)))
      highs.append(previous)
    }
    var identifiers: [SyncID] = []
    identifiers.reserveCapacity(uuids + texts)
    for high in highs { identifiers.append(.uuid(high, try reader.bigEndian())) }
    for _ in 0..<texts { identifiers.append(SyncID(try reader.text())) }
    return identifiers
  }
}
