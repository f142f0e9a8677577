import Dispatch
import Simulation

/// Simulates devices that synchronise through the real managers over storage that delays, tears, loses and rolls back.
///
/// Everything is drawn from the seed: a run is the same each time, for all of it takes turns on one thread.
public struct ProtocolSimulation {
  /// What a run consists of.
  public typealias Configuration = SimulationConfiguration<Family>

  /// How a run went.
  public struct Outcome: Sendable {
    /// What happened in it.
    public var families: String
    /// The invariants that did not hold, with what was seen.
    public var violations: [String] = []
    /// Synchronisations that were begun.
    public var syncs = 0
    /// Those that failed or were killed.
    public var failures = 0
    /// Devices that began with a whole store.
    public var begun = 0
    /// Sets that were removed because nobody needed them.
    public var removed = 0
    /// Devices that took over a whole store, because what they lacked had been removed.
    public var returned = 0
    /// How often a device learned that it had been removed from the document.
    public var expelled = 0
    /// How often a device that had been removed came back.
    public var readmitted = 0
    /// Devices that joined anew, because what they lacked had been removed.
    public var anew = 0
    /// Devices that joined when others had gone for good.
    public var latecomers = 0
    /// Documents that were founded under the name of a deleted one.
    public var successions = 0
    /// Changes of passwords and keys that were completed.
    public var passwordChanges = 0
    /// Whole stores that devices uploaded by themselves.
    public var uploaded = 0
    /// Sets that devices have given up.
    public var givenUp = 0
    /// Months that went by until sets that were lost for good were given up.
    public var months = 0
    /// Saves.
    public var writes = 0
    /// Of everything that happened, in its order: equal for equal runs.
    public var digest = Digest()
  }

  /// FNV-1a (Fowler, Noll, Vo 1991), of 64 bits.
  public struct Digest: Hashable, Sendable {
    private var bits: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ text: String) {
      for byte in text.utf8 { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }

  private let configuration: Configuration

  /// Prepares a run.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Does the run.
  ///
  /// - Throws: what is wrong with this device, for example a full disk.
  public func run() async throws -> Outcome {
    let configuration = configuration
    return try await Task(executorPreference: OneThread()) {
      try await ProtocolRun(configuration).play()
    }.value
  }
}
