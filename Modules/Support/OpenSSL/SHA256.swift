import CTICDSOpenSSL

/// SHA-256 (FIPS 180-4), at once or piece by piece.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(header)
/// hash.update(body)
/// let digest = hash.finalize()
/// ```
///
/// An instance is confined to the isolation domain that made it. Nothing here throws: hashing can fail only for want
/// of memory.
public struct SHA256: ~Copyable {
  /// Size of a digest in bytes.
  public static let digestSize = 32

  private let context: DigestContext

  /// Starts an empty message.
  public init() {
    context = Self.contexts.take()
    context.start(Library.sha256)
  }

  deinit { Self.contexts.giveBack(context) }

  private static let contexts = DigestContextPool()

  /// Appends to the message.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { context.update($0) }
  }

  /// Appends to the message.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    context.update(bytes)
  }

  /// The digest of what was appended; the instance then starts an empty message.
  public mutating func finalize() -> Digest {
    let digest = Digest { context.finish(into: $0) }
    context.start(Library.sha256)
    return digest
  }

  /// Writes the digest into memory of the caller's; the instance then starts an empty message and remembers nothing of
  /// this one, so this form suits secrets.
  ///
  /// - Precondition: `digest` has ``digestSize`` bytes.
  public mutating func finalize(into digest: UnsafeMutableRawBufferPointer) {
    precondition(digest.count == Self.digestSize, "a SHA-256 digest has 32 bytes")
    context.finish(into: digest)
    context.start(Library.sha256)
  }

  /// The digest of a message.
  public static func hash(_ bytes: [UInt8]) -> Digest {
    bytes.withUnsafeBytes { hash($0) }
  }

  /// The digest of a message.
  public static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
    let context = contexts.take()
    context.start(Library.sha256)
    context.update(bytes)
    let digest = Digest { context.finish(into: $0) }
    contexts.giveBack(context)
    return digest
  }
}

extension SHA256 {
  /// A digest of 32 bytes, ordered as its bytes are. Comparisons take a variable time: a digest is no secret.
  public struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    // In memory exactly the 32 bytes in order; words, because a tuple of integers is compared and hashed fastest.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
      withUnsafeMutableBytes(of: &words) { fill($0) }
    }

    /// Takes a digest from elsewhere; `nil` unless there are exactly 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
      guard bytes.count == SHA256.digestSize else { return nil }
      self.init { $0.copyBytes(from: bytes) }
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Lends the 32 bytes without a copy.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
      try Swift.withUnsafeBytes(of: words) { try body($0) }
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String {
      let digits = Array("0123456789abcdef".utf8)
      return withUnsafeBytes { bytes in
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
          for (index, byte) in bytes.enumerated() {
            text[2 * index] = digits[Int(byte >> 4)]
            text[2 * index + 1] = digits[Int(byte & 15)]
          }
          return 2 * bytes.count
        }
      }
    }

    /// Whether all bytes are equal.
    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// Compares as byte strings.
    public static func < (left: Digest, right: Digest) -> Bool {
      let (a, b) = (left.words, right.words)
      if a.0 != b.0 { return a.0.bigEndian < b.0.bigEndian }
      if a.1 != b.1 { return a.1.bigEndian < b.1.bigEndian }
      if a.2 != b.2 { return a.2.bigEndian < b.2.bigEndian }
      return a.3.bigEndian < b.3.bigEndian
    }

    /// Feeds all bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
      withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}
