/// Reads untrusted bytes front to back; never past the end.
struct ByteCursor {
  private let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - offset }

  mutating func take(_ count: Int, _ what: String) throws(CryptoError) -> [UInt8] {
    guard count <= remaining else {
      throw CryptoError(.truncated, "\(what) needs \(count) bytes, \(remaining) are left", offset: offset)
    }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func byte(_ what: String) throws(CryptoError) -> UInt8 {
    guard remaining > 0 else { throw CryptoError(.truncated, "\(what) is missing", offset: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }
}

extension Collection<UInt8> {
  /// Whether these are the first bytes of a format, or as many of them as there are.
  func isCutShort(of magic: [UInt8]) -> Bool { !isEmpty && count < magic.count && magic.starts(with: self) }
}
