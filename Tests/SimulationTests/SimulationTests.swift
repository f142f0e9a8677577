import Foundation
import Simulation
import Testing

@Suite struct SimulationTests {
  /// 30 seeds, or as many as `TICDS_SEEDS` says, from `TICDS_FIRST_SEED` on.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["TICDS_FIRST_SEED"].flatMap { UInt64($0) } ?? 0
    let count = environment["TICDS_SEEDS"].flatMap { UInt64($0) } ?? 30
    return Array(first..<first + count)
  }()

  @Test(arguments: seeds)
  func `after everything is delivered, all devices show what the plain rules say`(seed: UInt64) throws {
    let outcome = try Simulation(
      Simulation.Configuration(seed: seed, devices: 2 + Int(seed % 5), steps: 200)
    ).run()
    #expect(outcome.violations.isEmpty, "seed \(seed), families \(outcome.families)")
  }

  /// Seeds that once found something.
  @Test(arguments: [245, 472, 555, 682, 1_305, 20_031, 50_007, 500_959] as [UInt64])
  func `devices with the fixed model show what the plain rules say`(seed: UInt64) throws {
    let outcome = try Simulation(
      Simulation.Configuration(seed: seed, devices: 2 + Int(seed % 5), steps: 200, families: [.fixed])
    ).run()
    #expect(outcome.violations.isEmpty, "seed \(seed)")
  }

  @Test func `a run follows from its seed`() throws {
    let configuration = Simulation.Configuration(seed: 11, devices: 3, steps: 200)
    let outcomes = try (0..<2).map { _ in try Simulation(configuration).run() }
    #expect(outcomes[0].sets == outcomes[1].sets)
    #expect(outcomes[0].digest == outcomes[1].digest)
  }
}
