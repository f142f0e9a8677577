import TICDSOpenSSL

/// Keys that replace others, because somebody who has an older one must not read what comes.
///
/// How often the keys before it were replaced is part of a key's own bytes. So two keys alone tell which may be published under which, and
/// nothing that storage loses or puts back makes anybody hand a newer key to those who have only an older one.
extension MasterKey {
  /// What the bytes of a key that replaces others begin with; the number of its generation comes behind. A first key, which is random,
  /// begins so with a chance of one in 2⁵⁶.
  private static let mark: [UInt8] = Array("TICDSnk".utf8)

  /// 0 for a first key; otherwise one more than the greatest of those that it replaced.
  public var generation: Int {
    withUnsafeBytes { bytes in bytes.starts(with: Self.mark) ? Int(bytes[Self.mark.count]) : 0 }
  }

  /// Makes a new key in place of all keys of a ring: 192 random bits behind mark and generation.
  ///
  /// - Parameters:
  ///   - ring: the keys that it replaces.
  ///   - random: where the bits come from.
  /// - Throws: ``CryptoError`` with `primitiveFailure` if the system offers no entropy, `limitExceeded` after 255 generations.
  public static func generate(
    replacing ring: KeyRing, random: any RandomSource = .system
  ) throws(CryptoError) -> MasterKey {
    guard let generation = UInt8(exactly: ring.newest.generation + 1) else {
      throw CryptoError(.limitExceeded, "the keys were replaced 255 times")
    }
    let head = mark + [generation]
    let rest = try random.secret(count: size - head.count)
    return try MasterKey(
      SecretBytes(count: size) { bytes in
        bytes.copyBytes(from: head)
        rest.withUnsafeBytes { secret in
          for (index, byte) in secret.enumerated() { bytes[head.count + index] = byte }
        }
      })
  }
}

extension KeyRing {
  /// The key of the greatest generation; of several the one that seals, or the one with the smallest identifier.
  public var newest: MasterKey {
    all.dropFirst().reduce(primary) { $1.generation > $0.generation ? $1 : $0 }
  }

  /// The same ring, with the newest key to seal.
  public var sealingWithNewest: KeyRing { replacingPrimary(with: newest) }
}
