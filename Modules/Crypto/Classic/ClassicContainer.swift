import TICDSOpenSSL

/// The encrypted files of TICoreDataSync (FZACryptor), byte for byte, for data that exists.
///
/// Vector (16) ‖ wrapped file key and vector (48) ‖ ciphertext (a multiple of 16, not 0) ‖ HMAC-SHA-256 (32). It has no
/// magic and binds no context: storage can exchange files unnoticed. New data belongs into ``SealedContainer``.
public enum ClassicContainer {
  static let wrappedSize = 48
  static let headerSize = AES256CBC.blockSize + wrappedSize
  static let codeSize = HMACSHA256.codeSize
  /// The size of an empty file's container, in bytes.
  public static let minimumSize = headerSize + AES256CBC.blockSize + codeSize

  /// Encrypts bytes in memory.
  ///
  /// - Throws: ``CryptoError`` with `primitiveFailure` if there is no entropy.
  public static func seal(
    _ plaintext: [UInt8], with key: ClassicKey, random: any RandomSource = .system
  ) throws(CryptoError) -> [UInt8] {
    var container: [UInt8] = []
    container.reserveCapacity(minimumSize + plaintext.count)
    var writer = try ClassicWriter(key: key, random: random)
    try writer.update(plaintext, appendingTo: &container)
    try writer.finish(appendingTo: &container)
    return container
  }

  /// Decrypts bytes in memory, after the whole of them was authenticated.
  ///
  /// - Throws: ``CryptoError`` with `truncated` or `damaged` for a length that no container has, `authenticationFailed`
  ///   for another key or a changed byte (which this format cannot tell apart), `damaged` for content that was
  ///   authenticated and yet is no container.
  public static func open(_ container: [UInt8], with key: ClassicKey) throws(CryptoError) -> [UInt8] {
    let bodySize = try checkSize(container.count)
    return try container.lendBytes { (container) throws(CryptoError) in
      var code = HMACSHA256(key: key.secret)
      code.update(UnsafeRawBufferPointer(rebasing: container[..<(headerSize + bodySize)]))
      try check(code.finalize(), against: container[(headerSize + bodySize)...])

      var cipher = try unwrap(Array(container[..<headerSize]), key: key)
      var plaintext: [UInt8] = []
      plaintext.reserveCapacity(bodySize)
      let body = UnsafeRawBufferPointer(rebasing: container[headerSize..<headerSize + bodySize])
      do throws(OpenSSLError) {
        try cipher.update(body, appendingTo: &plaintext)
        try cipher.finish(appendingTo: &plaintext)
      } catch { throw badPadding(error) }
      return plaintext
    }
  }

  /// The size of the ciphertext in a container of a given size.
  static func checkSize(_ size: Int) throws(CryptoError) -> Int {
    guard size >= minimumSize else {
      throw CryptoError(
        .truncated, "a classic container has at least \(minimumSize) bytes, not \(size)", offset: size)
    }
    let bodySize = size - headerSize - codeSize
    guard bodySize % AES256CBC.blockSize == 0 else {
      throw CryptoError(.damaged, "\(bodySize) bytes of ciphertext are not whole blocks", offset: headerSize)
    }
    return bodySize
  }

  static func check(_ code: [UInt8], against stored: Slice<UnsafeRawBufferPointer>) throws(CryptoError) {
    let equal = code.lendBytes { ConstantTime.areEqual($0, UnsafeRawBufferPointer(rebasing: stored)) }
    guard equal else {
      throw CryptoError(.authenticationFailed, "the authentication code does not fit this key and content")
    }
  }

  /// The cipher of the body, from the 64 bytes before it.
  static func unwrap(_ header: [UInt8], key: ClassicKey) throws(CryptoError) -> AES256CBC {
    try primitive { () throws(OpenSSLError) in
      var material = try AES256CBC.process(
        Array(header[AES256CBC.blockSize...]), .decrypt, key: key.secret,
        initializationVector: Array(header[..<AES256CBC.blockSize]), padding: false)
      defer { SecretBytes.erase(&material) }
      return try AES256CBC(
        .decrypt, key: SecretBytes(copying: material[..<AES256CBC.keySize]),
        initializationVector: Array(material[AES256CBC.keySize...]), padding: true)
    }
  }

  static func badPadding(_ error: OpenSSLError) -> CryptoError {
    guard error.code == .invalidPadding else { return CryptoError(error) }
    return CryptoError(
      .damaged, "the ciphertext does not end in padding", offset: headerSize, underlying: error)
  }
}
