import TICDSZlib

private let limit = 100_000

/// libFuzzer's entry point. In memory and in a stream, no input gives more than the limit, and both agree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  for format in CompressionFormat.allCases {
    let whole = try? inflate(bytes, format: format, limit: limit)
    precondition((whole?.count ?? 0) <= limit, "the limit was exceeded")
    precondition(whole == streamed(bytes, format: format), "memory and stream disagree")
  }
  precondition(
    (try? inflate(deflate(bytes), limit: count)) == bytes, "a message changed when it was compressed")
  return 0
}

private func streamed(_ bytes: [UInt8], format: CompressionFormat) -> [UInt8]? {
  do {
    var inflater = try Inflater(format: format, limit: limit)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 7) {
      try inflater.update(Array(bytes[start..<min(start + 7, bytes.count)]), appendingTo: &output)
    }
    try inflater.finish()
    return output
  } catch {
    return nil
  }
}
