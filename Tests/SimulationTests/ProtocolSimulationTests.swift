import ProtocolSimulation
import Testing

@Suite struct ProtocolSimulationTests {
  typealias Family = ProtocolSimulation.Family

  private func violations(
    _ seed: UInt64, devices: Int, _ families: Set<Family> = Family.passing, draws: Bool = true
  ) throws -> [String] {
    try ProtocolSimulation(
      .init(seed: seed, devices: devices, steps: 100, families: families, drawsFamilies: draws)
    ).run().violations
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `whatever happened to devices and storage, in the end all show what was saved`(_ seed: UInt64) throws {
    #expect(try violations(seed, devices: 2 + Int(seed % 5)).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whoever founds whenever with any password, all become one document`(_ seed: UInt64) throws {
    let families: Set<Family> = [.foundingRaces, .replicated, .encrypted, .severalPasswords, .earlyWrites]
    #expect(try violations(seed, devices: 3 + Int(seed % 2), families, draws: false).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `devices agree though files are late, requests fail, and stores are restored and copied`(
    _ seed: UInt64
  ) throws {
    let families: Set<Family> = [
      .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores, .clonedStores,
    ]
    #expect(try violations(seed, devices: 3, families, draws: false).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `devices that begin with whole stores of any age agree with the others`(_ seed: UInt64) throws {
    let families: Set<Family> = [
      .wholeStores, .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores, .clonedStores,
    ]
    #expect(try violations(seed, devices: 4, families, draws: false).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `devices agree whatever was removed because nobody needs it, and who comes late`(_ seed: UInt64) throws
  {
    let families: Set<Family> = [
      .wholeStores, .vacuums, .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores,
      .clonedStores,
    ]
    #expect(try violations(seed, devices: 4, families, draws: false).isEmpty)
  }

  @Test func `sets are removed in simulations`() throws {
    let outcomes = try (0..<10 as Range<UInt64>).map { seed in
      try ProtocolSimulation(
        .init(seed: seed, devices: 4, steps: 150, families: [.wholeStores, .vacuums], drawsFamilies: false)
      ).run()
    }
    #expect(outcomes.reduce(0) { $0 + $1.removed } > 20)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test func `devices do begin with whole stores in simulations, and upload some by themselves`() throws {
    let outcomes = try (0..<10 as Range<UInt64>).map { seed in
      try ProtocolSimulation(
        .init(seed: seed, devices: 5, steps: 100, families: [.wholeStores], drawsFamilies: false)
      ).run()
    }
    #expect(outcomes.reduce(0) { $0 + $1.begun } > 5)
    #expect(outcomes.reduce(0) { $0 + $1.uploaded } > 0)
  }

  @Test(arguments: 7..<12 as Range<UInt64>)
  func `a run follows from its seed`(_ seed: UInt64) throws {
    let configuration = ProtocolSimulation.Configuration(
      seed: seed, devices: 4, steps: 200, families: Set(Family.allCases),
      drawsFamilies: false)
    let outcomes = try (0..<2).map { _ in try ProtocolSimulation(configuration).run() }
    #expect(outcomes[0].digest == outcomes[1].digest)
    #expect(outcomes[0].syncs > 10)
  }
}
