import CTICDSOpenSSL

/// AES-256 in cipher block chaining (NIST SP 800-38A), piece by piece or at once. It does not authenticate: check a
/// code over the ciphertext before using what it decrypts.
///
/// Confined to the isolation domain that made it.
public struct AES256CBC: ~Copyable {
  /// What is done with the bytes.
  public enum Direction: Sendable {
    /// Plaintext in, ciphertext out.
    case encrypt
    /// Ciphertext in, plaintext out.
    case decrypt
  }

  /// Size of a key in bytes.
  public static let keySize = 32
  /// Size of a block and of the initialisation vector, in bytes.
  public static let blockSize = 16

  private static let name = "AES-256-CBC"
  private let context: CipherContext

  /// Starts a message.
  ///
  /// - Parameters:
  ///   - direction: whether to encrypt or to decrypt.
  ///   - key: 32 bytes.
  ///   - initializationVector: 16 bytes, never used twice with a key.
  ///   - padding: whether PKCS#7 padding is added or removed; without it the message must be whole blocks.
  /// - Throws: ``OpenSSLError`` with `invalidArgument` for a key that has not 32 or a vector that has not 16 bytes.
  public init(
    _ direction: Direction, key: SecretBytes, initializationVector: [UInt8], padding: Bool
  ) throws(OpenSSLError) {
    guard key.count == Self.keySize, initializationVector.count == Self.blockSize else {
      throw OpenSSLError(
        .invalidArgument, algorithm: Self.name,
        message:
          "a key of \(key.count) and a vector of \(initializationVector.count) bytes, instead of 32 and 16")
    }
    let context = try CipherContext(name: Self.name)
    guard
      context.start(
        Library.aes256CBC, key: key, vector: initializationVector, encrypting: direction == .encrypt),
      EVP_CIPHER_CTX_set_padding(context.pointer, padding ? 1 : 0) == 1
    else { throw OpenSSLError.last(Self.name) }
    self.context = context
  }

  /// Processes a piece and appends what is complete to `output`; up to one block stays behind.
  public mutating func update(
    _ input: UnsafeRawBufferPointer, appendingTo output: inout [UInt8]
  ) throws(OpenSSLError) {
    // OpenSSL counts in 32 bits, so long input goes in pieces.
    var rest = input[...]
    while let address = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let count = min(rest.count, 1 << 20)
      let start = output.count
      output.append(contentsOf: repeatElement(0, count: count + Self.blockSize))
      var length: Int32 = 0
      let bytes = address.assumingMemoryBound(to: UInt8.self)
      let status = output.withUnsafeMutableBufferPointer {
        EVP_CipherUpdate(context.pointer, $0.baseAddress?.advanced(by: start), &length, bytes, Int32(count))
      }
      guard status == 1 else { throw OpenSSLError.last(Self.name) }
      output.removeLast(output.count - start - Int(length))
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the message and appends its last block to `output`.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidPadding` if the message is no whole number of blocks where it must be, or
  ///   does not end in padding.
  public consuming func finish(appendingTo output: inout [UInt8]) throws(OpenSSLError) {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    defer { SecretBytes.erase(&block) }
    var length: Int32 = 0
    guard EVP_CipherFinal_ex(context.pointer, &block, &length) == 1 else {
      ERR_clear_error()
      throw OpenSSLError(
        .invalidPadding, algorithm: Self.name, message: "the last block is incomplete or not padded")
    }
    output.append(contentsOf: block.prefix(Int(length)))
  }

  /// Processes a whole message.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidArgument` or `invalidPadding`.
  public static func process(
    _ message: UnsafeRawBufferPointer, _ direction: Direction, key: SecretBytes,
    initializationVector: [UInt8], padding: Bool
  ) throws(OpenSSLError) -> [UInt8] {
    var cipher = try AES256CBC(
      direction, key: key, initializationVector: initializationVector, padding: padding)
    var output: [UInt8] = []
    output.reserveCapacity(message.count + blockSize)
    try cipher.update(message, appendingTo: &output)
    try cipher.finish(appendingTo: &output)
    return output
  }

  /// Processes a whole message.
  ///
  /// - Throws: ``OpenSSLError`` with `invalidArgument` or `invalidPadding`.
  public static func process(
    _ message: [UInt8], _ direction: Direction, key: SecretBytes, initializationVector: [UInt8], padding: Bool
  ) throws(OpenSSLError) -> [UInt8] {
    try message.lendBytes { (message) throws(OpenSSLError) in
      try process(message, direction, key: key, initializationVector: initializationVector, padding: padding)
    }
  }
}
