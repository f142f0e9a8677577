import TICDSOpenSSL

/// Seals a classic container piece by piece.
struct ClassicWriter: ~Copyable, StreamConversion {
  private var cipher: AES256CBC
  private var code: HMACSHA256
  private var header: [UInt8]?

  init(key: ClassicKey, random: any RandomSource) throws(CryptoError) {
    let vector = try random.bytes(count: AES256CBC.blockSize)
    let fileKey = try random.secret(count: AES256CBC.keySize)
    let fileVector = try random.secret(count: AES256CBC.blockSize)
    let material = SecretBytes(count: ClassicContainer.wrappedSize) { material in
      fileKey.withUnsafeBytes { material.copyBytes(from: $0) }
      let rest = UnsafeMutableRawBufferPointer(rebasing: material[AES256CBC.keySize...])
      fileVector.withUnsafeBytes { rest.copyBytes(from: $0) }
    }
    let wrapped = try primitive { () throws(OpenSSLError) in
      try material.withUnsafeBytes { (material) throws(OpenSSLError) in
        try AES256CBC.process(
          material, .encrypt, key: key.secret, initializationVector: vector, padding: false)
      }
    }
    header = vector + wrapped
    cipher = try primitive { () throws(OpenSSLError) in
      try AES256CBC(
        .encrypt, key: fileKey, initializationVector: fileVector.withUnsafeBytes(Array.init), padding: true)
    }
    code = HMACSHA256(key: key.secret)
  }

  mutating func update(_ plaintext: [UInt8], appendingTo output: inout [UInt8]) throws(CryptoError) {
    let start = output.count
    if let header { output.append(contentsOf: header) }
    header = nil
    do throws(OpenSSLError) {
      try plaintext.lendBytes { (plaintext) throws(OpenSSLError) in
        try cipher.update(plaintext, appendingTo: &output)
      }
    } catch { throw CryptoError(error) }
    output.lendBytes { code.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  consuming func finish(appendingTo output: inout [UInt8]) throws(CryptoError) {
    try update([], appendingTo: &output)
    let start = output.count
    var code = code
    do throws(OpenSSLError) { try cipher.finish(appendingTo: &output) } catch { throw CryptoError(error) }
    output.lendBytes { code.update(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    output.append(contentsOf: code.finalize())
  }
}
