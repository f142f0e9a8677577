import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// When a device that lacks sets is told to begin with a whole store.
@Suite struct WholeStoreVerdictTests {
  private func blocked(_ syncs: Int) -> BlockedAuthor {
    BlockedAuthor(
      author: AuthorID(bits: 7), name: nil, sequence: 1, obstacle: "is missing", since: 0, syncs: syncs)
  }

  @Test func `what is missing is waited for some time, and then looked for with growing pauses`() {
    let due = (0...200).filter { WholeStoreVerdict(held: 0, blocked: [blocked($0)]).isLookDue }
    #expect(due == [4, 8, 16, 32, 64, 128, 192])
    #expect(!WholeStoreVerdict(held: 0, blocked: []).isLookDue)
  }

  @Test func `only a copy that contains more is worth it`() throws {
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let stores = [(3, 4), (2, 9), (1, 1)].map { sequence, seen in
      WholeStoreName(
        author: AuthorID(bits: 1), sequence: sequence, seen: seen, hash: ContentHash(of: []),
        size: .init(of: 10), code: code)
    }
    for held in UInt64(0)...20 {
      let choice = WholeStoreVerdict(held: held, blocked: []).choice(of: stores)
      #expect(choice?.total == (held < 11 ? 11 : nil))
    }
  }

  @Test func `a device whose needed sets are gone is told of a copy that has them`() async throws {
    let workplace = try Workplace()
    let (a, b, c) = workplace.devices()
    let remote = MemoryBackend()
    for device in [a, b] { try await device.register(remote) }
    try b.write("one", "text")
    try await b.sync(remote)
    let sets = remote.paths { SetName($0) }
    try await b.uploadStore(remote)
    for path in sets { try await remote.remove(path) }

    var ahead: [Int] = []
    for number in 1...8 {
      let findings = try await a.sync(remote).findings
      if findings.contains(where: { if case .wholeStoreAhead = $0 { true } else { false } }) {
        ahead.append(number)
      }
    }
    #expect(ahead == [4, 8])

    let begun = try await c.begin(remote)
    #expect(begun.store != nil)
    try await c.sync(remote)
    #expect(try c.notes == ["one: text"])
  }
}
