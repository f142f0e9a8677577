import CTICDSOpenSSL

/// AES-256 in Galois/counter mode (NIST SP 800-38D) with nonces of 12 bytes and tags of 16.
///
/// One instance keeps one expanded key for any number of messages. A nonce must never be used twice to seal under one
/// key; the caller sees to that. Confined to the isolation domain that made it.
public struct AES256GCM: ~Copyable {
  /// Size of a key in bytes.
  public static let keySize = 32
  /// Size of a nonce in bytes.
  public static let nonceSize = 12
  /// Size of the tag that follows every ciphertext, in bytes.
  public static let tagSize = 16

  private static let name = "AES-256-GCM"
  private let context: CipherContext

  /// Expands a key.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidArgument` if it has not 32 bytes.
  public init(key: SecretBytes) throws(OpenSSLError) {
    guard key.count == Self.keySize else {
      throw OpenSSLError(
        .invalidArgument, algorithm: Self.name, message: "a key has 32 bytes, not \(key.count)")
    }
    let context = try CipherContext(name: Self.name)
    guard context.start(Library.aes256GCM, key: key, vector: nil, encrypting: true) else {
      throw OpenSSLError.last(Self.name)
    }
    self.context = context
  }

  /// Encrypts `plaintext` into `sealed`, which is 16 bytes longer: the ciphertext, then the tag.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidArgument` for wrong sizes.
  public mutating func seal(
    _ plaintext: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8],
    into sealed: UnsafeMutableRawBufferPointer
  ) throws(OpenSSLError) {
    try check(nonce: nonce, plaintext: plaintext.count, sealed: sealed.count)
    guard start(nonce: nonce, data: data, sealing: true),
      process(plaintext, into: sealed),
      finish(sealed),
      EVP_CIPHER_CTX_ctrl(
        context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize),
        sealed.baseAddress?.advanced(by: plaintext.count)
      ) == 1
    else { throw OpenSSLError.last(Self.name) }
  }

  /// Decrypts `sealed` into `plaintext`, which is 16 bytes shorter.
  ///
  /// - Throws: ``OpenSSLError`` with `authenticationFailed` if key, nonce, data or any byte is not what was sealed;
  ///   `plaintext` has then been erased. `invalidArgument` for wrong sizes.
  public mutating func open(
    _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], authenticating data: [UInt8],
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(OpenSSLError) {
    try check(nonce: nonce, plaintext: plaintext.count, sealed: sealed.count)
    let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress?.advanced(by: plaintext.count))
    guard start(nonce: nonce, data: data, sealing: false),
      process(UnsafeRawBufferPointer(rebasing: sealed[..<plaintext.count]), into: plaintext),
      // Only reads the tag, whatever the parameter's type says.
      EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), tag) == 1
    else { throw OpenSSLError.last(Self.name) }
    guard finish(plaintext) else {
      OPENSSL_cleanse(plaintext.baseAddress, plaintext.count)
      ERR_clear_error()
      throw OpenSSLError(
        .authenticationFailed, algorithm: Self.name, message: "the authentication tag does not fit")
    }
  }

  private func check(nonce: [UInt8], plaintext: Int, sealed: Int) throws(OpenSSLError) {
    guard nonce.count == Self.nonceSize else {
      throw OpenSSLError(
        .invalidArgument, algorithm: Self.name, message: "a nonce has 12 bytes, not \(nonce.count)")
    }
    // OpenSSL counts in 32 bits.
    guard sealed - Self.tagSize == plaintext, plaintext <= Int(Int32.max) - Self.tagSize else {
      throw OpenSSLError(
        .invalidArgument, algorithm: Self.name,
        message: "\(sealed) sealed bytes cannot hold \(plaintext) bytes")
    }
  }

  private func start(nonce: [UInt8], data: [UInt8], sealing: Bool) -> Bool {
    guard EVP_CipherInit_ex2(context.pointer, nil, nil, nonce, sealing ? 1 : 0, nil) == 1 else {
      return false
    }
    guard !data.isEmpty else { return true }
    guard let count = Int32(exactly: data.count) else { return false }
    var length: Int32 = 0
    return EVP_CipherUpdate(context.pointer, nil, &length, data, count) == 1
  }

  private func process(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    // Without a byte to process, a null output would be taken for associated data.
    guard !input.isEmpty, let from = input.baseAddress, let to = output.baseAddress else { return true }
    var length: Int32 = 0
    let (bytes, result) = (from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self))
    return EVP_CipherUpdate(context.pointer, result, &length, bytes, Int32(input.count)) == 1
  }

  /// Ends the message; GCM writes nothing at this point, but wants an address.
  private func finish(_ output: UnsafeMutableRawBufferPointer) -> Bool {
    var length: Int32 = 0
    var unused: UInt8 = 0
    return withUnsafeMutablePointer(to: &unused) { EVP_CipherFinal_ex(context.pointer, $0, &length) == 1 }
  }
}

extension AES256GCM {
  /// The ciphertext and its tag, 16 bytes longer than the plaintext.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidArgument` for wrong sizes.
  public mutating func seal(
    _ plaintext: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
  ) throws(OpenSSLError) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagSize)
    try plaintext.lendBytes { (plaintext) throws(OpenSSLError) in
      try sealed.lendMutableBytes { (sealed) throws(OpenSSLError) in
        try seal(plaintext, nonce: nonce, authenticating: data, into: sealed)
      }
    }
    return sealed
  }

  /// The plaintext of a ciphertext with its tag.
  ///
  /// - Throws: ``OpenSSLError`` with `authenticationFailed` if key, nonce, data or any byte is not what was sealed,
  ///   `invalidArgument` for wrong sizes.
  public mutating func open(
    _ sealed: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
  ) throws(OpenSSLError) -> [UInt8] {
    var plaintext = [UInt8](repeating: 0, count: max(0, sealed.count - Self.tagSize))
    try sealed.lendBytes { (sealed) throws(OpenSSLError) in
      try plaintext.lendMutableBytes { (plaintext) throws(OpenSSLError) in
        try open(sealed, nonce: nonce, authenticating: data, into: plaintext)
      }
    }
    return plaintext
  }
}
