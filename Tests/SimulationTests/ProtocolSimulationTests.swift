import ProtocolSimulation
import Testing

@Suite struct ProtocolSimulationTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `whatever happened to devices and storage, in the end all show what was saved`(_ seed: UInt64) throws {
    let outcome = try ProtocolSimulation(.init(seed: seed, devices: 2 + Int(seed % 5), steps: 100)).run()
    #expect(outcome.violations.isEmpty, "seed \(seed), families \(outcome.families)")
  }

  @Test func `a run follows from its seed`() throws {
    // Keys and sealed bytes are OpenSSL's random ones, and names that are told in findings depend on them.
    let families = Set(ProtocolSimulation.Family.allCases).subtracting([.encrypted])
    let configuration = ProtocolSimulation.Configuration(
      seed: 7, devices: 4, steps: 200, families: families, drawsFamilies: false)
    let outcomes = try (0..<2).map { _ in try ProtocolSimulation(configuration).run() }
    #expect(outcomes[0].digest == outcomes[1].digest)
    #expect(outcomes[0].syncs > 10)
  }
}
