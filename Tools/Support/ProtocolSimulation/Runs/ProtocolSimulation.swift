import Dispatch

/// Simulates devices that synchronise through the real managers over storage that delays, tears, loses and rolls back.
///
/// Everything is drawn from the seed: a run is the same each time, for all of it takes turns on one thread.
public struct ProtocolSimulation {
  /// What a run consists of.
  public struct Configuration: Sendable {
    /// Where every drawn thing comes from.
    public var seed: UInt64
    /// 2 to 6.
    public var devices: Int
    /// Actions before storage settles.
    public var steps: Int
    /// What may happen in the run.
    public var families: Set<Family>
    /// Whether a random half of ``families`` is left out.
    public var drawsFamilies: Bool
    /// What happens in every run.
    public var required: Set<Family> = []
    /// Whether every action is written to standard error.
    public var traces = false

    /// Describes a run.
    public init(
      seed: UInt64, devices: Int, steps: Int, families: Set<Family> = Family.passing,
      drawsFamilies: Bool = true
    ) {
      self.seed = seed
      self.devices = devices
      self.steps = steps
      self.families = families
      self.drawsFamilies = drawsFamilies
    }
  }

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

  /// Does the run, and waits for it.
  ///
  /// - Throws: what is wrong with this device, for example a full disk.
  public func run() throws -> Outcome {
    let result = RunResult()
    let done = DispatchSemaphore(value: 0)
    let configuration = configuration
    Task(executorPreference: OneThread()) {
      do {
        let run = try ProtocolRun(configuration)
        result.set(.success(try await run.play()))
      } catch {
        result.set(.failure(error))
      }
      done.signal()
    }
    done.wait()
    return try result.get()
  }
}
