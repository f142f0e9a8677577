import CTICDSOpenSSL

/// scrypt (RFC 7914): a key from a password, at a cost in time and memory that slows guessing down.
public enum Scrypt {
  /// The cost of one derivation.
  public struct Parameters: Hashable, Sendable {
    /// N: a power of two greater than 1; time and memory grow with it.
    public var cost: UInt64
    /// r: memory grows with it; 8 is usual.
    public var blockSize: UInt64
    /// p: time grows with it; 1 is usual.
    public var parallelization: UInt64

    /// States N, r and p.
    public init(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
      self.cost = cost
      self.blockSize = blockSize
      self.parallelization = parallelization
    }

    /// Bytes of working memory: `128 r (N + p)` and two blocks of scratch; `nil` if that overflows.
    public var memory: UInt64? {
      let (rows, rowsOverflow) = cost.addingReportingOverflow(parallelization)
      let (allRows, allRowsOverflow) = rows.addingReportingOverflow(2)
      let (block, blockOverflow) = blockSize.multipliedReportingOverflow(by: 128)
      let (total, totalOverflow) = allRows.multipliedReportingOverflow(by: block)
      return rowsOverflow || allRowsOverflow || blockOverflow || totalOverflow ? nil : total
    }
  }

  /// Derives a key. Blocks the thread for the time that `parameters` ask for.
  ///
  /// - Parameters:
  ///   - password: as bytes; normalise text before.
  ///   - salt: random, kept beside what the key protects.
  ///   - parameters: how much memory and time a guess costs.
  ///   - count: length of the key in bytes.
  ///   - memoryLimit: more than this is refused, in bytes.
  /// - Throws: ``OpenSSLError`` with `invalidArgument` for parameters that RFC 7914 forbids, `memoryLimitExceeded`
  ///   for more than the limit; in both cases before any work is done.
  public static func deriveKey(
    from password: SecretBytes, salt: [UInt8], parameters: Parameters, count: Int = 32,
    memoryLimit: UInt64 = 256 << 20
  ) throws(OpenSSLError) -> SecretBytes {
    let (N, r, p) = (parameters.cost, parameters.blockSize, parameters.parallelization)
    guard N > 1, N & (N - 1) == 0, r > 0, p > 0, r <= (1 << 30) - 1, p <= ((1 << 30) - 1) / r, count > 0
    else {
      throw OpenSSLError(
        .invalidArgument, algorithm: "scrypt", message: "N \(N), r \(r), p \(p) are not permitted")
    }
    guard let memory = parameters.memory, memory <= memoryLimit else {
      throw OpenSSLError(
        .memoryLimitExceeded, algorithm: "scrypt",
        message: "N \(N), r \(r), p \(p) need more than \(memoryLimit) bytes")
    }
    return try SecretBytes(count: count) { (key) throws(OpenSSLError) in
      let status = password.withUnsafeBytes { password in
        salt.withUnsafeBufferPointer { salt in
          EVP_PBE_scrypt_ex(
            password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count,
            salt.baseAddress, salt.count, N, r, p, memory,
            key.baseAddress?.assumingMemoryBound(to: UInt8.self),
            key.count, Library.context.pointer, nil)
        }
      }
      guard status == 1 else { throw OpenSSLError.last("scrypt") }
    }
  }
}
