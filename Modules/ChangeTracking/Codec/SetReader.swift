import UntrustedBytes

/// Reads change sets, and what the bookkeeping keeps in the same encoding.
typealias SetReader = ByteReader<UnsafeRawBufferPointer, CodecError>

extension SetReader {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(bytes) { CodecError(code: .damaged, offset: $0, expected: $1) }
  }

  func exceeded(_ limit: String) -> CodecError {
    CodecError(code: .exceedsLimit, offset: position, expected: "at most \(limit)")
  }

  /// A count of things that take at least one byte each, and of which there may be only so many.
  mutating func count(of what: String, limit: Int) throws(CodecError) -> Int {
    let count = try count(of: what)
    guard count <= limit else { throw exceeded("\(limit) \(what)") }
    return count
  }

  mutating func text(limit: Int) throws(CodecError) -> String {
    try string(try count(of: "bytes of text", limit: limit))
  }
}
