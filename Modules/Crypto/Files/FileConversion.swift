/// One direction of a container format, applied to a stream of pieces.
protocol StreamConversion: ~Copyable {
  mutating func update(_ input: [UInt8], appendingTo output: inout [UInt8]) throws(CryptoError)
  consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError)
}

extension SealedWriter: StreamConversion {}
extension SealedReader: StreamConversion {}

/// Called with the number of input bytes processed so far, on the calling thread.
public typealias FileProgress = (_ processed: UInt64) -> Void

private let pieceSize = 256 << 10

/// Converts one file into another in constant memory; the output appears only when all of it is there.
func convertFile(
  at source: String, to destination: String, using conversion: consuming some StreamConversion & ~Copyable,
  random: any RandomSource, progress: FileProgress?
) throws(CryptoError) {
  let input = try InputFile(path: source)
  let output = try OutputFile.create(path: destination, random: random)
  var (piece, converted): ([UInt8], [UInt8]) = ([], [])
  var processed: UInt64 = 0
  do throws(CryptoError) {
    while true {
      guard !Task.isCancelled else { throw CryptoError(.cancelled, "cancelled after \(processed) bytes") }
      try input.read(into: &piece, upTo: pieceSize)
      if piece.isEmpty { break }
      try conversion.update(piece, appendingTo: &converted)
      try output.write(converted)
      converted.removeAll(keepingCapacity: true)
      processed += UInt64(piece.count)
      progress?(processed)
    }
    try conversion.finish(appendingTo: &converted)
    try output.write(converted)
  } catch {
    throw error.path == nil ? error.at(path: source) : error
  }
  try output.commit()
}
