import CTICDSOpenSSL

/// HMAC with SHA-256 (RFC 2104), at once or piece by piece. Confined to the isolation domain that made it.
///
/// Compare a code with ``ConstantTime``, never with `==`.
public struct HMACSHA256: ~Copyable {
  /// Size of a code in bytes.
  public static let codeSize = 32

  private let context: OpaquePointer

  /// Starts a message under a key of any length.
  public init(key: SecretBytes) {
    // Fails only for want of memory, as Swift's own allocations would.
    guard let context = EVP_MAC_CTX_new(Library.hmac.pointer) else {
      preconditionFailure("no memory for HMAC")
    }
    self.context = context
    key.withUnsafeBytes { require(ticds_hmac_sha256_init(context, $0.baseAddress, $0.count) == 1, "HMAC") }
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// Appends to the message.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Appends to the message.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let address = bytes.baseAddress else { return }
    let message = address.assumingMemoryBound(to: UInt8.self)
    require(EVP_MAC_update(context, message, bytes.count) == 1, "HMAC")
  }

  /// The 32 bytes that authenticate what was appended; ends the message.
  public consuming func finalize() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.codeSize) { code, count in
      require(EVP_MAC_final(context, code.baseAddress, &count, code.count) == 1, "HMAC")
    }
  }

  /// The 32 bytes that authenticate a message.
  public static func authenticate(_ bytes: [UInt8], key: SecretBytes) -> [UInt8] {
    var code = HMACSHA256(key: key)
    code.update(bytes)
    return code.finalize()
  }
}
