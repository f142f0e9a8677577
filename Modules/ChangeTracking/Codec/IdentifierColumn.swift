/// A column of sync IDs in ascending order: UUIDs as differences, then other texts.
///
/// Sorting saves log2(n!) bits of n random identifiers, nearly all bits of the time in time-ordered ones, and of those
/// that were made together (``SyncIDSource``) all but the step from one to the next.
enum IdentifierColumn {
  /// Added to the width of a difference between lower halves, when the upper ones are equal.
  private static let lowerHalf: UInt8 = 9

  static func append(_ identifiers: some Sequence<SyncID>, to output: inout [UInt8]) {
    var widths: [UInt8] = []
    var differences: [UInt8] = []
    var lows: [UInt8] = []
    var texts: [String] = []
    var previous: (high: UInt64, low: UInt64) = (0, 0)
    for identifier in identifiers {
      switch identifier {
      case .uuid(let high, let low):
        if high == previous.high {
          let difference = low &- previous.low
          let width = width(of: difference)
          widths.append(lowerHalf + UInt8(width))
          lows.appendBigEndian(difference, count: width)
        } else {
          let difference = high &- previous.high
          let width = width(of: difference)
          widths.append(UInt8(width))
          differences.appendBigEndian(difference, count: width)
          lows.appendBigEndian(low)
        }
        previous = (high, low)
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

  /// How many bytes a number takes without its leading zeros.
  private static func width(of number: UInt64) -> Int { (71 - number.leadingZeroBitCount) / 8 }

  static func read(from reader: inout SetReader, limit: Int) throws(CodecError) -> [SyncID] {
    let uuids = try reader.count(of: "identifiers", limit: limit)
    let texts = try reader.count(of: "identifiers", limit: limit - uuids)
    let widths = try reader.slice(uuids)
    var highs: [UInt64] = []
    highs.reserveCapacity(uuids)
    var previous: UInt64 = 0
    for width in widths {
      guard width <= lowerHalf + 8 else { throw reader.failure("differences of at most 8 bytes") }
      if width < lowerHalf { previous = previous &+ (try reader.bigEndian(count: Int(width))) }
      highs.append(previous)
    }
    var identifiers: [SyncID] = []
    identifiers.reserveCapacity(uuids + texts)
    var low: UInt64 = 0
    for (high, width) in zip(highs, widths) {
      low =
        width < lowerHalf
        ? try reader.bigEndian() : low &+ (try reader.bigEndian(count: Int(width - lowerHalf)))
      identifiers.append(.uuid(high, low))
    }
    for _ in 0..<texts { identifiers.append(SyncID(try reader.text(limit: SetLimits.identifierLength))) }
    return identifiers
  }
}
