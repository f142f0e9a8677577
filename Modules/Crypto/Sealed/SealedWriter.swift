/// Seals a stream piece by piece in constant memory. Confined to the isolation domain that made it.
///
/// A writer that is dropped before ``finish(appendingTo:)`` leaves an incomplete container, which no reader accepts.
public struct SealedWriter: ~Copyable {
  private var cipher: SegmentCipher
  /// What is not sealed yet: a segment waits until it is known whether another follows. At first also the header.
  private var pending: [UInt8] = []
  private var header: [UInt8]?

  /// Starts a container; parameters and errors as in ``SealedContainer/seal(_:as:with:segmentSize:random:)``.
  public init(
    as context: SealedContext, with key: MasterKey, segmentSize: SegmentSize = .standard,
    random: any RandomSource = .system
  ) throws(CryptoError) {
    let header = SealedHeader(
      segmentSize: segmentSize, keyIdentifier: key.identifier,
      salt: try random.bytes(count: SealedHeader.saltSize))
    cipher = try SegmentCipher(header: header, context: context, key: key)
    self.header = header.bytes
  }

  /// Seals what is certain not to be the last segment and appends it to `output`.
  public mutating func update(_ plaintext: [UInt8], appendingTo output: inout [UInt8]) throws(CryptoError) {
    pending.append(contentsOf: plaintext)
    writeHeader(to: &output)
    let size = cipher.segmentSize.bytes
    var start = 0
    while pending.count - start > size {
      try seal(start..<start + size, isLast: false, appendingTo: &output)
      start += size
    }
    pending.removeFirst(start)
  }

  /// Seals the last segment and appends it to `output`; the container is then complete.
  public consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
    writeHeader(to: &output)
    try seal(pending.indices, isLast: true, appendingTo: &output)
  }

  private mutating func writeHeader(to output: inout [UInt8]) {
    if let header { output.append(contentsOf: header) }
    header = nil
  }

  private mutating func seal(
    _ range: Range<Int>, isLast: Bool, appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: range.count + SegmentCipher.overhead))
    try pending.lendBytes { (plaintext) throws(CryptoError) in
      try output.lendMutableBytes { (output) throws(CryptoError) in
        try cipher.seal(
          UnsafeRawBufferPointer(rebasing: plaintext[range]), isLast: isLast,
          into: UnsafeMutableRawBufferPointer(rebasing: output[start...]))
      }
    }
  }
}
