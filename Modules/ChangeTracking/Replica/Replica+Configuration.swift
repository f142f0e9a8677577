extension Replica {
  /// Who the client is, and what a simulation may replace.
  public struct Configuration: Sendable {
    /// Identifier of this installation, the same for ever; `nil` for one that the replica makes of random bits and keeps in the
    /// store. A snapshot of a store gets one of its own.
    public var client: String?
    /// The wall clock, in milliseconds since 1970.
    public var now: @Sendable () -> UInt64
    /// Random bits, of which the identifiers of authors and of adopted objects are made.
    public var random: @Sendable () -> UInt64
    /// Changes in one set at most, about; a longer log makes several sets, each in a transaction of its own: others wait that
    /// long to save.
    public var setLimit: Int
    /// Changes that are merged in one transaction, about: others wait that long to save.
    public var sliceLimit: Int
    /// How far a received change may lie in the future before a warning is given, in milliseconds.
    public var clockTolerance: UInt64
    /// How many bytes of own sets and long values that the remote has are kept, about, so that they can be sent again.
    public var keptBytes: Int64
    /// The format in which own sets are written.
    public var codec: any ChangeSetCodec.Type

    /// A configuration for a client.
    public init(
      client: String? = nil, now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds,
      random: @escaping @Sendable () -> UInt64 = {
        var random = SystemRandomNumberGenerator()
        return random.next()
      },
      setLimit: Int = 5_000, sliceLimit: Int = 2_000, clockTolerance: UInt64 = 3_600_000,
      keptBytes: Int64 = 32 << 20, codec: any ChangeSetCodec.Type = CompactCodec.self
    ) {
      self.client = client
      self.now = now
      self.random = random
      self.setLimit = setLimit
      self.sliceLimit = sliceLimit
      self.clockTolerance = clockTolerance
      self.keptBytes = keptBytes
      self.codec = codec
    }
  }
}
