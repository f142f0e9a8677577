/// Compresses a stream piece by piece in constant memory. Confined to the isolation domain that made it.
public struct Deflater: ~Copyable {
  private let stream: CodecStream
  private var buffer = [UInt8](repeating: 0, count: 1 << 15)

  /// Starts an empty stream.
  ///
  /// - Throws: ``ZlibError`` with `libraryFailure` for want of memory.
  public init(format: CompressionFormat = .zlib, level: CompressionLevel = .balanced) throws(ZlibError) {
    stream = try CodecStream(.deflate, format: format, level: level)
  }

  /// Compresses a piece and appends what is ready to `output`; zlib keeps the rest.
  public mutating func update(_ input: [UInt8], appendingTo output: inout [UInt8]) throws(ZlibError) {
    try input.withUnsafeBufferPointer { (input) throws(ZlibError) in
      try move(UnsafeRawBufferPointer(input), finishing: false, appendingTo: &output)
    }
  }

  /// Compresses a piece and appends what is ready to `output`; zlib keeps the rest.
  public mutating func update(
    _ input: UnsafeRawBufferPointer, appendingTo output: inout [UInt8]
  ) throws(ZlibError) {
    try move(input, finishing: false, appendingTo: &output)
  }

  /// Ends the stream, appends all that is left, and makes ready for another.
  public mutating func finish(appendingTo output: inout [UInt8]) throws(ZlibError) {
    try move(UnsafeRawBufferPointer(start: nil, count: 0), finishing: true, appendingTo: &output)
    stream.reset()
  }

  private mutating func move(
    _ input: UnsafeRawBufferPointer, finishing: Bool, appendingTo output: inout [UInt8]
  ) throws(ZlibError) {
    var rest = input
    while true {
      let step = try buffer.withUnsafeMutableBufferPointer { (buffer) throws(ZlibError) in
        try stream.process(rest, into: UnsafeMutableRawBufferPointer(buffer), finishing: finishing)
      }
      output.append(contentsOf: buffer[..<step.written])
      rest = UnsafeRawBufferPointer(rebasing: rest[step.read...])
      switch step.progress {
      case .ended: return
      case .needsInput where rest.isEmpty && !finishing: return
      case .needsInput, .needsOutput: continue
      }
    }
  }
}
