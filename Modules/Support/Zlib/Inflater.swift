/// Decompresses a stream piece by piece, never to more than a limit. Confined to the isolation domain that made it.
public struct Inflater: ~Copyable {
  private let stream: CodecStream
  private let limit: Int
  private var buffer: [UInt8]
  /// How many bytes came out so far.
  public private(set) var outputCount = 0
  /// Whether the end of the stream was seen, with a fitting checksum if the format has one.
  public private(set) var isAtEnd = false

  /// Starts at the beginning of a stream.
  ///
  /// - Parameters:
  ///   - format: the wrapping of the stream.
  ///   - limit: the greatest total length of the output in bytes; more is an error, before it is appended.
  /// - Throws: ``ZlibError`` with `libraryFailure` for want of memory.
  public init(format: CompressionFormat = .zlib, limit: Int) throws(ZlibError) {
    try self.init(format: format, limit: limit, pieceSize: Self.greatestPiece)
  }

  static let greatestPiece = 1 << 15

  /// Starts at the beginning of a stream of which so many bytes are made at once.
  init(format: CompressionFormat, limit: Int, pieceSize: Int) throws(ZlibError) {
    stream = try CodecStream(.inflate, format: format)
    buffer = [UInt8](repeating: 0, count: pieceSize)
    self.limit = limit
  }

  /// Decompresses a piece and appends the output.
  ///
  /// - Throws: ``ZlibError`` with `corrupt`, `exceedsLimit`, or `trailingBytes` if the piece goes on after the end of
  ///   the stream. What was appended before an error is not verified; drop it.
  public mutating func update(_ input: [UInt8], appendingTo output: inout [UInt8]) throws(ZlibError) {
    try input.withUnsafeBufferPointer { (input) throws(ZlibError) in
      try update(UnsafeRawBufferPointer(input), appendingTo: &output)
    }
  }

  /// Decompresses a piece and appends the output; errors as in the form for arrays.
  public mutating func update(
    _ input: UnsafeRawBufferPointer, appendingTo output: inout [UInt8]
  ) throws(ZlibError) {
    var rest = input
    while !isAtEnd {
      let step = try buffer.withUnsafeMutableBufferPointer { (buffer) throws(ZlibError) in
        try stream.process(rest, into: UnsafeMutableRawBufferPointer(buffer), finishing: false)
      }
      guard step.written <= limit - outputCount else {
        throw ZlibError(.exceedsLimit, offset: stream.consumed, message: "holds more than \(limit) bytes")
      }
      output.append(contentsOf: buffer[..<step.written])
      outputCount += step.written
      rest = UnsafeRawBufferPointer(rebasing: rest[step.read...])
      switch step.progress {
      case .ended: isAtEnd = true
      case .needsInput where rest.isEmpty: return
      case .needsInput, .needsOutput: continue
      }
    }
    guard rest.isEmpty else {
      throw ZlibError(.trailingBytes, offset: stream.consumed, message: "\(rest.count) bytes follow the end")
    }
  }

  /// Ends the input.
  ///
  /// - Throws: ``ZlibError`` with `truncated` if the stream has not ended.
  public func finish() throws(ZlibError) {
    guard isAtEnd else {
      throw ZlibError(.truncated, offset: stream.consumed, message: "ends before the compressed stream does")
    }
  }
}
