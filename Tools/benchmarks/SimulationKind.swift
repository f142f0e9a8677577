import ProtocolSimulation
import Simulation

/// A simulation as `ticds-bench simulate` drives it.
protocol SimulationKind {
  associatedtype Family: SimulationFamily

  /// What follows `simulate` on the command line.
  static var option: String { get }
  /// Actions before storage settles, unless told otherwise.
  static var steps: Int { get }

  static func run(_ configuration: SimulationConfiguration<Family>) throws -> SimulationResult
}

/// What a run found.
struct SimulationResult {
  /// The families of the run, separated by commas.
  var families: String
  /// Violated invariants; empty if all is well.
  var violations: [String]
  /// How much of what happened, in the order in which it is told.
  var figures: [(name: String, count: Int)]
}

/// Replicas that exchange sets.
enum ReplicaSimulation: SimulationKind {
  static let option = ""
  static let steps = 200

  static func run(_ configuration: Simulation.Configuration) throws -> SimulationResult {
    let outcome = try Simulation(configuration).run()
    return SimulationResult(
      families: outcome.families, violations: outcome.violations,
      figures: [
        ("sets", outcome.sets), ("objects", outcome.objects), ("crashes", outcome.crashes),
        ("restorations", outcome.restorations), ("clones", outcome.clones), ("joins", outcome.joins),
        ("collected", outcome.collected), ("refusals", outcome.refusals),
      ])
  }
}

/// Devices that synchronise through the managers.
enum ManagerSimulation: SimulationKind {
  static let option = " --protocol"
  static let steps = 100

  static func run(_ configuration: ProtocolSimulation.Configuration) throws -> SimulationResult {
    let outcome = try waiting { try await ProtocolSimulation(configuration).run() }
    return SimulationResult(
      families: outcome.families, violations: outcome.violations,
      figures: [
        ("syncs", outcome.syncs), ("failures", outcome.failures), ("writes", outcome.writes),
        ("months", outcome.months), ("given up", outcome.givenUp), ("begun", outcome.begun),
        ("uploaded", outcome.uploaded),
        ("removed", outcome.removed), ("returned", outcome.returned), ("anew", outcome.anew),
        ("expelled", outcome.expelled),
        ("readmitted", outcome.readmitted),
        ("password_changes", outcome.passwordChanges),
        ("latecomers", outcome.latecomers), ("successions", outcome.successions),
      ])
  }
}
