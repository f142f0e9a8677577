import CTICDSZlib

/// Owns one `z_stream` and moves bytes through it; what is common to both directions.
///
/// The structure lives on the heap, because zlib keeps its address.
final class CodecStream {
  enum Direction { case deflate, inflate }

  enum Progress {
    /// All input was consumed.
    case needsInput
    /// The output buffer is full; there may be more.
    case needsOutput
    /// The stream has ended; input may be left.
    case ended
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let direction: Direction
  /// Input consumed so far.
  private(set) var consumed = 0

  init(_ direction: Direction, format: CompressionFormat, level: CompressionLevel = .balanced)
    throws(ZlibError)
  {
    self.direction = direction
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status =
      switch direction {
      case .deflate: ticds_deflate_init(stream, level.value, format.windowBits)
      case .inflate: ticds_inflate_init(stream, format.windowBits)
      }
    guard status == Z_OK else {
      throw ZlibError(.libraryFailure, offset: 0, message: "zlib could not start (\(status))")
    }
  }

  deinit {
    switch direction {
    case .deflate: deflateEnd(stream)
    case .inflate: inflateEnd(stream)
    }
    stream.deallocate()
  }

  /// Makes the stream ready for another message.
  func reset() {
    switch direction {
    case .deflate: deflateReset(stream)
    case .inflate: inflateReset(stream)
    }
    consumed = 0
  }

  /// Moves what fits. Returns how much of both buffers was used and what stopped it.
  func process(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, finishing: Bool
  ) throws(ZlibError) -> (read: Int, written: Int, progress: Progress) {
    // zlib counts in 32 bits; more is left for the next call.
    let offered = UInt32(clamping: input.count)
    let room = UInt32(clamping: output.count)
    // Only read by zlib, whatever the field's type says.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = offered
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    let isLast = finishing && Int(offered) == input.count
    let status =
      switch direction {
      case .deflate: CTICDSZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
      case .inflate: CTICDSZlib.inflate(stream, Z_NO_FLUSH)
      }
    let read = Int(offered - stream.pointee.avail_in)
    let written = Int(room - stream.pointee.avail_out)
    consumed += read
    switch status {
    case Z_STREAM_END: return (read, written, .ended)
    // Z_BUF_ERROR only says that nothing could be moved this time.
    case Z_OK, Z_BUF_ERROR: return (read, written, stream.pointee.avail_out == 0 ? .needsOutput : .needsInput)
    case Z_DATA_ERROR, Z_NEED_DICT:
      throw ZlibError(.corrupt, offset: consumed, message: reason(orElse: "needs a dictionary"))
    default:
      throw ZlibError(.libraryFailure, offset: consumed, message: reason(orElse: "zlib failed (\(status))"))
    }
  }

  private func reason(orElse other: String) -> String {
    stream.pointee.msg.map { String(cString: $0) } ?? other
  }
}
