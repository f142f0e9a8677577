import Foundation
import ProcessTesting
import ProtocolSimulation
import Testing

@Suite struct ProtocolSimulationTests {
  typealias Family = ProtocolSimulation.Family

  /// Few, for `Tools/soak` runs hundreds of the same in a program that is compiled for speed.
  private static let seeds: Range<UInt64> =
    ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 0..<6 : 0..<60

  private func violations(
    _ seed: UInt64, devices: Int, _ families: Set<Family> = Family.passing, draws: Bool = true
  ) async throws -> [String] {
    try await ProtocolSimulation(
      .init(seed: seed, devices: devices, steps: 100, families: families, drawsFamilies: draws)
    ).run().violations
  }

  private func runs(
    _ count: UInt64 = 10, of configuration: (UInt64) -> ProtocolSimulation.Configuration
  ) async throws -> [ProtocolSimulation.Outcome] {
    var outcomes: [ProtocolSimulation.Outcome] = []
    for seed in 0..<count { outcomes.append(try await ProtocolSimulation(configuration(seed)).run()) }
    return outcomes
  }

  @Test(arguments: Self.seeds)
  func `whatever happened to devices and storage, in the end all show what was saved`(_ seed: UInt64)
    async throws
  {
    #expect(try await violations(seed, devices: 2 + Int(seed % 5)).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `whoever founds whenever with any password, all become one document`(_ seed: UInt64) async throws {
    let families: Set<Family> = [.foundingRaces, .replicated, .encrypted, .severalPasswords, .earlyWrites]
    #expect(try await violations(seed, devices: 3 + Int(seed % 2), families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `devices agree though files are late, requests fail, and stores are restored and copied`(
    _ seed: UInt64
  ) async throws {
    let families: Set<Family> = [
      .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores, .clonedStores,
    ]
    #expect(try await violations(seed, devices: 3, families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `devices that begin with whole stores of any age agree with the others`(_ seed: UInt64) async throws {
    let families: Set<Family> = [
      .wholeStores, .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores, .clonedStores,
    ]
    #expect(try await violations(seed, devices: 4, families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `devices agree whatever was removed because nobody needs it, and who comes late`(_ seed: UInt64)
    async throws
  {
    let families: Set<Family> = [
      .wholeStores, .vacuums, .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores,
      .clonedStores,
    ]
    #expect(try await violations(seed, devices: 4, families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `devices agree whoever was removed from the document, and whoever came back`(_ seed: UInt64)
    async throws
  {
    let families: Set<Family> = [
      .removals, .wholeStores, .vacuums, .lateFiles, .lostRequests, .lostAnswers, .crashes, .restoredStores,
    ]
    #expect(try await violations(seed, devices: 4, families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `whatever devices did to passwords and keys, those that were left open the remote, and no others`(
    _ seed: UInt64
  ) async throws {
    var families: Set<Family> = [.passwords, .encrypted, .lostRequests, .lostAnswers, .crashes]
    families.formUnion(
      seed.isMultiple(of: 2) ? [.foundingRaces, .replicated, .severalPasswords] : [.lateFiles, .rolledBack])
    #expect(try await violations(seed, devices: 3, families, draws: false).isEmpty)
  }

  @Test(arguments: Self.seeds)
  func `folders in the place of files stop nobody who takes part`(_ seed: UInt64) async throws {
    var families: Set<Family> = [.obstructions, .lostFiles, .longTexts, .lostRequests, .crashes]
    families.formUnion(seed.isMultiple(of: 2) ? [.replicated] : [.encrypted, .passwords, .wholeStores])
    #expect(try await violations(seed, devices: 3, families, draws: false).isEmpty)
  }

  @Test func `what is said to have been made later than it was written keeps what was written`() async throws
  {
    // A copy of a store says an object that its original has deleted by a clock that is behind.
    let families: Set<Family> = [
      .clonedStores, .conflictCopies, .crashes, .earlyWrites, .encrypted, .longTexts, .lostAnswers,
      .replicated,
      .vacuums, .wholeStores, .wrongClocks,
    ]
    #expect(try await violations(2_100_755, devices: 2, families, draws: false).isEmpty)
  }

  @Test
  func `passwords of a document that storage lost need not open what others founded in its place`()
    async throws
  {
    // Storage goes back to before the founding, and who founds anew has another password, and so another key.
    let families: Set<Family> = [
      .crashes, .earlyWrites, .encrypted, .foundingRaces, .lostAnswers, .lostRecords, .lostRequests,
      .passwords, .rolledBack, .severalPasswords, .wholeStores,
    ]
    #expect(try await violations(31_000_066, devices: 3, families, draws: false).isEmpty)
  }

  @Test func `all read in the end what was written under a founding whose lost record was put back late`()
    async throws
  {
    // Those who ignore its heads have looked for it several times in vain by then, and take their time.
    let families: Set<Family> = [
      .conflictCopies, .earlyWrites, .encrypted, .foreignFiles, .foundingRaces, .lostFiles, .lostRecords,
      .partialFiles, .passwords, .replicated, .torn,
    ]
    #expect(try await violations(12_003_552, devices: 4, families, draws: false).isEmpty)
  }

  @Test func `a password of keys that others have replaced more often opens nothing once a member has both`()
    async throws
  {
    // One device replaces the keys 21 times, another once, and neither knows of the other.
    let families: Set<Family> = [
      .clonedStores, .conflictCopies, .crashes, .encrypted, .partialFiles, .passwords, .removals, .replicated,
    ]
    #expect(try await violations(52_000_887, devices: 4, families, draws: false).isEmpty)
  }

  @Test func `whoever has said again what an author wrote names where that author went on, too`() async throws
  {
    // Storage goes back, and all are gone but the one who had said it.
    let families: Set<Family> = [
      .answers, .crashes, .deletions, .departures, .restoredStores, .vacuums, .wholeStores, .wrongClocks,
    ]
    #expect(try await violations(2_900_002_457, devices: 4, families, draws: false).isEmpty)
  }

  @Test func `passwords do change in simulations`() async throws {
    let outcomes = try await runs {
      .init(seed: $0, devices: 3, steps: 150, families: [.passwords, .encrypted], drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.passwordChanges } > 20)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test func `devices are removed in simulations, and come back`() async throws {
    let outcomes = try await runs {
      .init(seed: $0, devices: 4, steps: 150, families: [.removals, .encrypted], drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.expelled } > 10)
    #expect(outcomes.reduce(0) { $0 + $1.readmitted } > 10)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test func `somebody joins in simulations when others have gone for good, and has all that they wrote`()
    async throws
  {
    let outcomes = try await runs {
      .init(seed: $0, devices: 4, steps: 100, families: [.departures, .restoredStores], drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.latecomers } > 5)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test(arguments: [Set<ProtocolSimulation.Family>(), [.encrypted]])
  func `a document comes after a deleted one in simulations, and nothing of that appears in it`(
    protection: Set<ProtocolSimulation.Family>
  ) async throws {
    let families = protection.union([.deletions, .wholeStores])
    let outcomes = try await runs {
      .init(seed: $0, devices: 3, steps: 60, families: families, drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.successions } > 5)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test func `sets are removed in simulations`() async throws {
    let outcomes = try await runs {
      .init(seed: $0, devices: 4, steps: 150, families: [.wholeStores, .vacuums], drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.removed } > 20)
    #expect(outcomes.flatMap(\.violations).isEmpty)
  }

  @Test func `devices do begin with whole stores in simulations, and upload some by themselves`() async throws
  {
    let outcomes = try await runs {
      .init(seed: $0, devices: 5, steps: 100, families: [.wholeStores], drawsFamilies: false)
    }
    #expect(outcomes.reduce(0) { $0 + $1.begun } > 5)
    #expect(outcomes.reduce(0) { $0 + $1.uploaded } > 0)
  }

  @Test(arguments: 7..<12 as Range<UInt64>)
  func `a run follows from its seed`(_ seed: UInt64) async throws {
    let configuration = ProtocolSimulation.Configuration(
      seed: seed, devices: 4, steps: 200, families: Set(Family.allCases),
      drawsFamilies: false)
    let outcomes = try await runs(2) { _ in configuration }
    #expect(outcomes[0].digest == outcomes[1].digest)
    #expect(outcomes[0].syncs > 10)
  }

  @Test(arguments: [4, 17, 104_792])
  func `a run is the same in every process`(_ seed: Int) async throws {
    // Two processes order hash tables in different ways.
    var traces: [String] = []
    for _ in 0..<2 {
      let result = try await Subprocess(
        [
          Checkout.program("ticds-bench").path, "simulate", "--protocol", "--trace", "--clients", "4",
          "--seed",
          "\(seed)",
        ]
      ).result()
      #expect(result.ending == .exited(0))
      traces.append(result.errors)
    }
    #expect(traces[0] == traces[1])
    #expect(traces[0].split(separator: "\n").count > 50)
  }
}
