import Foundation

/// One run of several devices that edit, sync through unreliable storage, crash, and are restored or cloned.
///
/// Everything follows from the seed and the families; a failure names both.
public struct Simulation: Sendable {
  /// What decides a run.
  public typealias Configuration = SimulationConfiguration<Family>

  /// What a run found.
  public struct Outcome: Sendable {
    /// The seed.
    public var seed: UInt64
    /// The families of the run, separated by commas.
    public var families = ""
    /// Devices at the end.
    public var clients = 0
    /// Sets on the remote.
    public var sets = 0
    /// Objects that live at the end.
    public var objects = 0
    /// A sum over all that shows at the end: equal for equal runs.
    public var digest: UInt64 = 0
    /// Crashes, restorations, clones and beginnings from snapshots that happened.
    public var crashes = 0, restorations = 0, clones = 0, joins = 0
    /// Tombstones that were forgotten before the end.
    public var collected = 0
    /// Saves that the model's rules refused.
    public var refusals = 0
    /// Violated invariants; empty if all is well.
    public var violations: [String] = []
  }

  /// What decides the run.
  public let configuration: Configuration

  /// Prepares a run.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Runs to the end, in a folder that is removed afterwards. What a store or replica throws is a violation.
  ///
  /// - Throws: if the folder cannot be made.
  public func run() throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return SimulationRun(configuration, folder: folder).play()
  }
}
