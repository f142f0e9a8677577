import CTICDSZlib

/// Compresses a whole message.
///
/// - Throws: ``ZlibError`` with `libraryFailure` for want of memory.
public func deflate(
  _ bytes: [UInt8], format: CompressionFormat = .zlib, level: CompressionLevel = .balanced
) throws(ZlibError) -> [UInt8] {
  var deflater = try Deflater(format: format, level: level)
  var output: [UInt8] = []
  try deflater.update(bytes, appendingTo: &output)
  try deflater.finish(appendingTo: &output)
  return output
}

/// Decompresses a whole message, which must end where its stream does.
///
/// - Parameters:
///   - bytes: the message.
///   - format: the wrapping of the stream.
///   - limit: the greatest length of the output in bytes. No more than the output, or 32 KiB beyond the limit, is ever
///     allocated, whatever the input claims.
/// - Throws: ``ZlibError`` with `corrupt`, `truncated`, `exceedsLimit` or `trailingBytes`.
public func inflate(_ bytes: [UInt8], format: CompressionFormat = .zlib, limit: Int) throws(ZlibError)
  -> [UInt8]
{
  // Small messages are many, and go straight to where they stay.
  guard limit >= Inflater.greatestPiece else { return try inflateSmall(bytes, format, limit) }
  let piece = min(max(4 * min(bytes.count, Inflater.greatestPiece), 512), Inflater.greatestPiece)
  var inflater = try Inflater(format: format, limit: limit, pieceSize: piece)
  var output: [UInt8] = []
  try inflater.update(bytes, appendingTo: &output)
  try inflater.finish()
  return output
}

private func inflateSmall(
  _ bytes: [UInt8], _ format: CompressionFormat, _ limit: Int
) throws(ZlibError) -> [UInt8] {
  let stream = try CodecStream(.inflate, format: format)
  var failure: ZlibError?
  // One byte more than there may be shows that there are too many.
  let output = [UInt8](unsafeUninitializedCapacity: limit + 1) { room, count in
    bytes.withUnsafeBytes { input in
      do throws(ZlibError) {
        count = try stream.fill(UnsafeMutableRawBufferPointer(room), from: input, limit: limit)
      } catch {
        failure = error
      }
    }
  }
  if let failure { throw failure }
  return output
}

extension CodecStream {
  /// Decompresses a whole message into memory that has room for one byte more than it may hold.
  ///
  /// - Returns: its length.
  fileprivate func fill(
    _ room: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, limit: Int
  ) throws(ZlibError) -> Int {
    var (read, written) = (0, 0)
    while true {
      let step = try process(
        UnsafeRawBufferPointer(rebasing: input[read...]),
        into: UnsafeMutableRawBufferPointer(rebasing: room[written...]), finishing: false)
      read += step.read
      written += step.written
      guard written <= limit else {
        throw ZlibError(.exceedsLimit, offset: consumed, message: "holds more than \(limit) bytes")
      }
      switch step.progress {
      case .ended where read < input.count:
        throw ZlibError(
          .trailingBytes, offset: consumed, message: "\(input.count - read) bytes follow the end")
      case .ended: return written
      case .needsInput where read == input.count:
        throw ZlibError(.truncated, offset: consumed, message: "ends before the compressed stream does")
      case .needsInput, .needsOutput: continue
      }
    }
  }
}

/// Continues a CRC-32 checksum (the one of gzip, ZIP and PNG) over more bytes; 0 starts one.
public func crc32(_ bytes: [UInt8], continuing checksum: UInt32 = 0) -> UInt32 {
  bytes.withUnsafeBufferPointer { bytes in
    guard let address = bytes.baseAddress else { return checksum }
    return UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), address, bytes.count))
  }
}
