import CZlib

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
  // Small messages are many, and a large buffer takes longer to make ready than they to decompress.
  let piece = min(max(4 * min(bytes.count, Inflater.greatestPiece), 512), Inflater.greatestPiece)
  var inflater = try Inflater(format: format, limit: limit, pieceSize: piece)
  var output: [UInt8] = []
  try inflater.update(bytes, appendingTo: &output)
  try inflater.finish()
  return output
}

/// Continues a CRC-32 checksum (the one of gzip, ZIP and PNG) over more bytes; 0 starts one.
public func crc32(_ bytes: [UInt8], continuing checksum: UInt32 = 0) -> UInt32 {
  bytes.withUnsafeBufferPointer { bytes in
    guard let address = bytes.baseAddress else { return checksum }
    return UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), address, bytes.count))
  }
}
