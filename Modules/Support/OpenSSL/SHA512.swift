import CTICDSOpenSSL

/// SHA-512 (FIPS 180-4). Nothing here throws: hashing can fail only for want of memory.
public enum SHA512 {
  /// Size of a digest in bytes.
  public static let digestSize = 64

  private static let contexts = DigestContextPool()

  /// The 64 bytes of a message's digest.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let context = contexts.take()
    defer { contexts.giveBack(context) }
    context.start(Library.sha512)
    bytes.withUnsafeBytes { context.update($0) }
    return [UInt8](unsafeUninitializedCapacity: digestSize) { digest, count in
      context.finish(into: UnsafeMutableRawBufferPointer(digest))
      count = digestSize
    }
  }
}
