import TICDSOpenSSL

/// Where salts, keys and vectors come from.
///
/// A conforming type must give bytes that nobody can predict and that never repeat; anything else is for tests only,
/// because the safety of everything written rests on it. It may be called from any thread.
public protocol RandomSource: Sendable {
  /// Fills the whole buffer.
  ///
  /// - Throws: ``CryptoError`` with `primitiveFailure` if there is no entropy.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError)
}

extension RandomSource {
  /// Bytes that will be public.
  func bytes(count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.lendMutableBytes { (buffer) throws(CryptoError) in try fill(buffer) }
    return bytes
  }

  /// Bytes that stay secret.
  func secret(count: Int) throws(CryptoError) -> SecretBytes {
    try SecretBytes(count: count) { (buffer) throws(CryptoError) in try fill(buffer) }
  }
}

/// OpenSSL's generator, seeded by the operating system.
public struct SystemRandomSource: RandomSource {
  /// Needs no preparation.
  public init() {}

  /// Fills the whole buffer.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    try primitive { () throws(OpenSSLError) in try SecureRandom.fillSecret(buffer) }
  }
}

extension RandomSource where Self == SystemRandomSource {
  /// OpenSSL's generator, seeded by the operating system.
  public static var system: SystemRandomSource { SystemRandomSource() }
}
