import Foundation
import Simulation
import Testing

@Suite struct SimulationTests {
  /// Seeds that once found something, and 100 more, or as many as `TICDS_SEEDS` says, from `TICDS_FIRST_SEED` on.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["TICDS_FIRST_SEED"].flatMap { UInt64($0) } ?? 0
    let count = environment["TICDS_SEEDS"].flatMap { UInt64($0) } ?? 100
    return [245, 472, 555, 682, 1_305, 20_031, 50_007, 500_959] + Array(first..<first + count)
  }()

  @Test(arguments: seeds)
  func `after everything is delivered, all devices show what the plain rules say`(seed: UInt64) throws {
    let outcome = try Simulation(
      Simulation.Configuration(seed: seed, clients: 2 + Int(seed % 5), steps: 200)
    ).run()
    #expect(outcome.violations.isEmpty, "seed \(seed)")
  }
}
