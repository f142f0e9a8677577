import TICDSOpenSSL

/// Encrypted and authenticated files: the default format for new data, described byte by byte in
/// `Docs/Formats/SealedContainer.md`.
///
/// ```swift
/// let context = SealedContext(role: "change-set", identity: "documents/7/changes/3")
/// let container = try SealedContainer.seal(bytes, as: context, with: key)
/// let bytes = try SealedContainer.open(container, as: context, with: KeyRing(key))
/// ```
///
/// A container that opens is complete, unchanged, written with the key and for that very context. What it does not
/// tell: whether storage holds back a newer one under the same context; whoever uses it must count or chain its files.
/// Lengths are visible. All functions may be called from any thread.
public enum SealedContainer {
  /// Encrypts bytes in memory.
  ///
  /// - Parameters:
  ///   - plaintext: what to encrypt; the container is 52 bytes and 16 per segment longer.
  ///   - context: what and where the container is; the same is needed to open it.
  ///   - key: the master key; a fresh key for this container is derived from it.
  ///   - segmentSize: see ``SegmentSize``; 64 KiB is right for nearly everything.
  ///   - random: where the salt comes from.
  /// - Throws: ``CryptoError`` with `invalidArgument` for a context that is too long, `limitExceeded` for more than
  ///   2³² segments, `primitiveFailure` if there is no entropy.
  public static func seal(
    _ plaintext: [UInt8], as context: SealedContext, with key: MasterKey,
    segmentSize: SegmentSize = .standard, random: any RandomSource = .system
  ) throws(CryptoError) -> [UInt8] {
    let header = SealedHeader(
      segmentSize: segmentSize, keyIdentifier: key.identifier,
      salt: try random.bytes(count: SealedHeader.saltSize))
    var cipher = try SegmentCipher(header: header, context: context, key: key)
    let size = segmentSize.bytes
    let segments = max(1, (plaintext.count + size - 1) / size)
    let total = SealedHeader.size + plaintext.count + segments * SegmentCipher.overhead
    return try filling(total) { (output) throws(CryptoError) in
      output.copyBytes(from: header.bytes)
      try plaintext.lendBytes { (plaintext) throws(CryptoError) in
        for segment in 0..<segments {
          let (from, to) = (segment * size, min((segment + 1) * size, plaintext.count))
          let start = SealedHeader.size + segment * (size + SegmentCipher.overhead)
          try cipher.seal(
            UnsafeRawBufferPointer(rebasing: plaintext[from..<to]), isLast: segment == segments - 1,
            into: UnsafeMutableRawBufferPointer(
              rebasing: output[start..<start + to - from + SegmentCipher.overhead]))
        }
      }
    }
  }

  /// Decrypts bytes in memory; gives all of them or none.
  ///
  /// - Throws: ``CryptoError`` with `unrecognizedFormat`, `unsupportedVersion`, `truncated`, `damaged`, `unknownKey`, or
  ///   `authenticationFailed` if key, context or any byte is not what was sealed.
  public static func open(
    _ container: [UInt8], as context: SealedContext, with keys: KeyRing
  ) throws(CryptoError) -> [UInt8] {
    let header = try SealedHeader(parsing: container)
    let key = try find(header.keyIdentifier, in: keys)
    var cipher = try SegmentCipher(header: header, context: context, key: key)
    let size = header.segmentSize.bytes + SegmentCipher.overhead
    let body = container.count - SealedHeader.size
    let segments = max(1, (body + size - 1) / size)
    guard body - (segments - 1) * size >= SegmentCipher.overhead else {
      throw CryptoError(.truncated, "the last segment ends within its tag", offset: container.count)
    }
    return try filling(body - segments * SegmentCipher.overhead) { (output) throws(CryptoError) in
      try container.lendBytes { (container) throws(CryptoError) in
        for segment in 0..<segments {
          let (from, to) = (segment * size, min((segment + 1) * size, body))
          let start = segment * header.segmentSize.bytes
          try cipher.open(
            UnsafeRawBufferPointer(rebasing: container[SealedHeader.size + from..<SealedHeader.size + to]),
            isLast: segment == segments - 1,
            into: UnsafeMutableRawBufferPointer(
              rebasing: output[start..<start + to - from - SegmentCipher.overhead]))
        }
      }
    }
  }

  /// Whether bytes begin as a sealed container of any version does; the first 8 are enough.
  public static func isSealed(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: SealedHeader.magic)
  }

  /// The same of an array, where it takes no time.
  public static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: SealedHeader.magic) }

  /// The name of the key that a container was sealed with; the first 52 bytes are enough. Not authenticated.
  ///
  /// - Throws: ``CryptoError`` with `unrecognizedFormat`, `unsupportedVersion`, `truncated` or `damaged`.
  public static func keyIdentifier(of container: [UInt8]) throws(CryptoError) -> KeyIdentifier {
    try SealedHeader(parsing: container).keyIdentifier
  }

  static func find(_ identifier: KeyIdentifier, in keys: KeyRing) throws(CryptoError) -> MasterKey {
    guard let key = keys[identifier] else {
      throw CryptoError(.unknownKey, "sealed with key \(identifier), which is not at hand", offset: 12)
    }
    return key
  }

  /// An array whose memory is written once instead of being zeroed first.
  private static func filling(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
  ) throws(CryptoError) -> [UInt8] {
    var failure: CryptoError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let memory = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
      do throws(CryptoError) {
        try fill(memory)
        initialized = count
      } catch {
        // Segments before the one that failed were genuine, but half a file must not be had, not even in freed memory.
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
