import BackendConformance
import Foundation
import SyncProtocol
import Testing
import Turns

@Suite struct FlawTests {
  private static let planted =
    Flaw.reading + Flaw.versions + Flaw.listing + Flaw.paging + Flaw.names + Flaw.lookalikes + Flaw.writing
    + Flaw.content + Flaw.transfer + Flaw.removal + Flaw.moving + Flaw.sharing + Flaw.concurrency
    + Flaw.meeting + Flaw.atOnce + Flaw.device
    + Flaw.release + Flaw.interruption + Flaw.root + Flaw.watching + Flaw.manyChanges + Flaw.returning
    + Flaw.idleness + Flaw.awkwardNames + Flaw.parts
  private static let flaws = planted + planted.filter(isOfListings).map(\.inPagesOnly)

  /// Of the laws that an error is not to break, it meets one in so many, others for each error; with `TICDS_LONG_TESTS` all of them.
  private static let share = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 4 : 1

  /// Each keeps files of several megabytes in memory.
  private static let turns = Turns(16)

  /// What is planted into listings can be planted into pages, too.
  private static func isOfListings(_ flaw: Flaw) -> Bool {
    // Others are not of listings, or show in laws that are of pages already.
    let isOther =
      ["an absent root is empty", "a removal is not cancelled"].contains(flaw.testDescription)
      || flaw.testDescription.hasPrefix("listings stop")
    return !isOther && BackendConformance.laws.contains { $0.description == "\(flaw.law), page by page" }
  }

  /// Whoever does not page lists folders in one page, so what breaks a law of listings breaks it for pages, too.
  private static func isExpected(_ failures: some Collection<String>, of flaw: Flaw) -> Bool {
    var expected = flaw.mayBreak.union(flaw.relatedLaws).union([
      flaw.law, "\(flaw.law), page by page",
    ])
    // What is wrong on pages alone also tells these from a listing.
    if flaw.law.hasSuffix(", page by page") {
      expected.insert("the pages of a folder hold what a listing holds, each entry once")
    }
    return failures.contains(flaw.law) && expected.isSuperset(of: failures)
  }

  @Test(arguments: zip(flaws, flaws.indices))
  func `a planted error is caught by its law and by no other`(_ flaw: Flaw, _ number: Int) async {
    let failures = await Self.turns.run { await Self.failures(of: flaw, number) }
    #expect(Self.isExpected(failures.keys, of: flaw), "\(failures)")
  }

  @Test(arguments: Flaw.memory.indices)
  func `memory that a planted error takes is caught by its law and by no other`(_ number: Int) async {
    // In a process of its own, where no other test takes or frees memory.
    await #expect(processExitsWith: .success) { [number] in
      let flaw = Flaw.memory[number]
      let failures = await Self.failures(of: flaw, number)
      #expect(failures.keys.sorted() == [flaw.law], "\(failures)")
    }
  }

  @Test func `a law that does not end is given up, and says what it waited for`() async throws {
    let law = try #require(
      BackendConformance.laws.first { $0.description == "create-if-absent never replaces" })
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await law.verify(patience: .milliseconds(50)) {
        let memory = MemoryBackend()
        var client = Variation(memory)
        client.onCreate = { (_, _) async throws(BackendError) in
          try? await Task.sleep(for: .seconds(86_400))
        }
        let hanging = client
        return storage(in: memory, connect: { hanging })
      }
    }
    #expect(failure?.description.contains("creating “file”") == true)
  }

  @Test func `there is an error for every law`() {
    let caught = Set((Self.flaws + Flaw.memory).map(\.law))
    #expect(BackendConformance.laws.map(\.description).filter { !caught.contains($0) } == [])
  }

  /// What each law that is broken says.
  ///
  /// - Parameter number: that of the error, which decides what other laws it meets.
  private static func failures(of flaw: Flaw, _ number: Int) async -> [String: String] {
    let needsMany = flaw.law.contains("many files") || flaw.law.contains("thousand")
    // Memory and folders report their progress each MiB, so a smaller file has a middle, too.
    let sizes = ConformanceSizes(
      entries: needsMany ? 1_010 : 20, largeFile: 40 << 20, heldFile: 4 << 20, idleness: .milliseconds(20))
    var failures: [String: String] = [:]
    for (place, law) in BackendConformance.laws.enumerated() {
      // What never comes need not be waited for; whatever else comes late on a busy machine does come.
      let isBroken =
        law.description == flaw.law || flaw.mayBreak.contains(law.description)
        || flaw.relatedLaws.contains(law.description)
      guard isBroken || (place + number).isMultiple(of: share) else { continue }
      let patience: Duration = isBroken ? flaw.patience : .seconds(600)
      var sizes = sizes
      if isBroken, let entries = flaw.entries { sizes.entries = entries }
      if isBroken, let idleness = flaw.idleness { sizes.idleness = idleness }
      if isBroken { sizes.parts += flaw.parts }
      do { try await law.verify(sizes: sizes, patience: patience, flaw.makeStorage) } catch {
        failures[law.description] = "\(error)"
      }
    }
    return failures
  }
}
