import BackendConformance
import Testing

@Suite struct FlawTests {
  static let flaws =
    Flaw.reading + Flaw.listing + Flaw.names + Flaw.writing + Flaw.transfer + Flaw.removal + Flaw.moving
    + Flaw.sharing + Flaw.concurrency + Flaw.root + Flaw.watching + Flaw.memory

  @Test(arguments: flaws)
  func `a planted error is caught by its law and by no other`(_ flaw: Flaw) async {
    let needsMany = flaw.law.contains("many files") || flaw.law.contains("thousand")
    // Memory and folders report their progress each MiB, so a smaller file has a middle, too.
    let sizes = ConformanceSizes(
      entries: needsMany ? 1_010 : 20, largeFile: 64 << 20, heldFile: 4 << 20)
    var failures: [String: String] = [:]
    for law in BackendConformance.laws {
      do { try await law.verify(sizes: sizes, flaw.makeStorage) } catch {
        failures[law.description] = "\(error)"
      }
    }
    #expect(failures.keys.sorted() == [flaw.law], "\(failures)")
  }

  @Test func `there is an error for every law`() {
    let caught = Set(Self.flaws.map(\.law))
    #expect(BackendConformance.laws.map(\.description).filter { !caught.contains($0) } == [])
  }
}
