import TICDSOpenSSL

/// Opens a classic container piece by piece in one pass. What it gives out is not authenticated before
/// ``finish(appendingTo:)`` has returned, so its output may only go to a place that nobody looks at.
struct ClassicReader: ~Copyable, StreamConversion {
  private let key: ClassicKey
  private var code: HMACSHA256
  private var cipher: AES256CBC?
  /// At first the header; afterwards what could be the authentication code at the end.
  private var pending: [UInt8] = []
  private var size = 0

  init(key: ClassicKey) {
    self.key = key
    code = HMACSHA256(key: key.secret)
  }

  mutating func update(_ bytes: [UInt8], appendingTo output: inout [UInt8]) throws(CryptoError) {
    pending.append(contentsOf: bytes)
    size += bytes.count
    if cipher == nil {
      guard pending.count >= ClassicContainer.headerSize else { return }
      try readHeader()
    }
    let certain = pending.count - ClassicContainer.codeSize
    guard certain > 0 else { return }
    do throws(OpenSSLError) {
      try pending.lendBytes { (pending) throws(OpenSSLError) in
        let body = UnsafeRawBufferPointer(rebasing: pending[..<certain])
        code.update(body)
        try cipher?.update(body, appendingTo: &output)
      }
    } catch { throw CryptoError(error) }
    pending.removeFirst(certain)
  }

  consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
    _ = try ClassicContainer.checkSize(size)
    let computed = code.finalize()
    try pending.lendBytes { (pending) throws(CryptoError) in
      try ClassicContainer.check(computed, against: pending[...])
    }
    guard let cipher else { return }
    do throws(OpenSSLError) { try cipher.finish(appendingTo: &output) } catch {
      throw ClassicContainer.badPadding(error)
    }
  }

  private mutating func readHeader() throws(CryptoError) {
    let header = Array(pending[..<ClassicContainer.headerSize])
    code.update(header)
    cipher = try ClassicContainer.unwrap(header, key: key)
    pending.removeFirst(ClassicContainer.headerSize)
  }
}
