import TICDSOpenSSL

/// Opens a stream piece by piece in constant memory. Confined to the isolation domain that made it.
///
/// Every byte that it gives out is authenticated at its position, but only ``finish(appendingTo:)`` knows that the
/// container is complete: until then do nothing with the plaintext that could not be undone.
public struct SealedReader: ~Copyable {
  private let context: SealedContext
  private let keys: KeyRing
  private var cipher: SegmentCipher?
  private var pending: [UInt8] = []

  /// Starts at the beginning of a container.
  public init(as context: SealedContext, with keys: KeyRing) {
    self.context = context
    self.keys = keys
  }

  /// Opens the segments that are complete and appends their plaintext to `output`.
  ///
  /// - Throws: ``CryptoError`` as ``SealedContainer/open(_:as:with:)``. The reader is then of no further use.
  public mutating func update(_ bytes: [UInt8], appendingTo output: inout [UInt8]) throws(CryptoError) {
    pending.append(contentsOf: bytes)
    if cipher == nil {
      guard pending.count >= SealedHeader.size else { return }
      try readHeader()
    }
    try openSegments(isEnd: false, appendingTo: &output)
  }

  /// Ends the input; opens the last segment and appends its plaintext to `output`.
  ///
  /// - Throws: ``CryptoError`` as ``SealedContainer/open(_:as:with:)``.
  public consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
    if cipher == nil { try readHeader() }
    try openSegments(isEnd: true, appendingTo: &output)
  }

  private mutating func readHeader() throws(CryptoError) {
    let header = try SealedHeader(parsing: pending)
    let key = try SealedContainer.find(header.keyIdentifier, in: keys)
    cipher = try SegmentCipher(header: header, context: context, key: key)
    pending.removeFirst(SealedHeader.size)
  }

  private mutating func openSegments(isEnd: Bool, appendingTo output: inout [UInt8]) throws(CryptoError) {
    guard let size = cipher?.segmentSize.bytes else { return }
    var start = 0
    // A whole segment waits until something follows it, because it could be the last one.
    while pending.count - start > size + SegmentCipher.overhead {
      try open(start..<start + size + SegmentCipher.overhead, isLast: false, appendingTo: &output)
      start += size + SegmentCipher.overhead
    }
    if isEnd { try open(start..<pending.count, isLast: true, appendingTo: &output) }
    pending.removeFirst(start)
  }

  private mutating func open(
    _ range: Range<Int>, isLast: Bool, appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: max(0, range.count - SegmentCipher.overhead)))
    do throws(CryptoError) {
      try pending.lendBytes { (sealed) throws(CryptoError) in
        try output.lendMutableBytes { (output) throws(CryptoError) in
          try cipher?.open(
            UnsafeRawBufferPointer(rebasing: sealed[range]), isLast: isLast,
            into: UnsafeMutableRawBufferPointer(rebasing: output[start...]))
        }
      }
    } catch {
      output.removeLast(output.count - start)
      throw error
    }
  }
}
