import TICDSOpenSSL

extension KeyFile {
  /// What a key file may ask of the machine that unlocks it. A hostile file could otherwise ask for hours or gigabytes.
  public struct Limits: Sendable, Hashable {
    /// Greatest N of a slot.
    public static let maximumCost: UInt64 = 1 << 20
    /// Greatest r of a slot.
    public static let maximumBlockSize: UInt64 = 32
    /// Greatest p of a slot.
    public static let maximumParallelization: UInt64 = 16
    /// 256 MiB, and in all slots together the work of 16 slots of standard cost: about seven seconds.
    public static let standard = Limits(memory: 256 << 20, work: 1 << 24)

    /// Working memory of one derivation, in bytes.
    public var memory: UInt64
    /// Sum of N·r·p over all slots, because a wrong password is tried on every one of them.
    public var work: UInt64

    /// States both limits.
    public init(memory: UInt64, work: UInt64) {
      self.memory = memory
      self.work = work
    }

    func check(_ slots: [Slot]) throws(CryptoError) {
      var work: UInt64 = 0
      for slot in slots {
        let parameters = slot.parameters
        guard let memory = parameters.memory, memory <= self.memory else {
          throw CryptoError(
            .limitExceeded, "slot \(slot.identifier) needs more than \(self.memory) bytes of memory")
        }
        // At most 2^20 · 32 · 16 each, for at most 16 slots.
        work += parameters.cost * parameters.blockSize * parameters.parallelization
      }
      guard work <= self.work else {
        throw CryptoError(.limitExceeded, "all slots together need more than \(self.work) units of work")
      }
    }
  }
}

extension Scrypt.Parameters {
  /// N = 2¹⁷, r = 8, p = 1: 128 MiB and about half a second. The least that OWASP's “Password Storage Cheat Sheet” (2024)
  /// advises for scrypt.
  public static let standard = Scrypt.Parameters(cost: 1 << 17, blockSize: 8, parallelization: 1)

  /// Whether a slot can hold them.
  var areStorable: Bool {
    cost >= 2 && cost <= KeyFile.Limits.maximumCost && cost & (cost - 1) == 0
      && (1...KeyFile.Limits.maximumBlockSize).contains(blockSize)
      && (1...KeyFile.Limits.maximumParallelization).contains(parallelization)
  }
}
