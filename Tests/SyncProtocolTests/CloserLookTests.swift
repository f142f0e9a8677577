import ChangeTracking
import Crypto
import Testing

@testable import SyncProtocol

/// When a synchronisation asks for more than one listing.
@Suite struct CloserLookTests {
  private let author = AuthorID(bits: 1)

  private func listing(unverified numbers: [UInt64]) -> HeadListing {
    let entries = numbers.map { number in
      RemoteEntry(
        name: HeadName(author: author, sequence: number, seen: 0, hash: ContentHash(of: [1])).name,
        kind: .file)
    }
    return HeadListing(RemoteListing(entries: entries)) { _ in false }
  }

  private func due(
    _ look: inout CloserLook, _ listing: HeadListing, regressed: [AuthorID], keys: [KeyIdentifier] = []
  ) -> Bool { look.isDue(listing, regressed: regressed, keys: keys) }

  private let key = KeyIdentifier(digits: "0123456789abcdef")
  private let other = KeyIdentifier(digits: "fedcba9876543210")

  @Test func `nothing unusual is never looked into`() {
    var look = CloserLook()
    let times = (0..<10).filter { _ in due(&look, HeadListing([]), regressed: []) }
    #expect(times.isEmpty)
    #expect(look.text.isEmpty)
  }

  @Test func `one reason is looked into with growing pauses`() {
    var look = CloserLook()
    let times = (0..<300).filter { _ in due(&look, listing(unverified: [1]), regressed: []) }
    #expect(times == [0, 1, 2, 4, 8, 16, 32, 64, 128, 192, 256])
  }

  @Test func `another reason is looked into at once`() {
    var look = CloserLook()
    for _ in 0..<50 { _ = due(&look, listing(unverified: [1]), regressed: []) }
    var times = [due(&look, listing(unverified: [1, 2]), regressed: [])]
    times.append(due(&look, listing(unverified: [1, 2]), regressed: [author]))
    for _ in 0..<50 { _ = due(&look, listing(unverified: [1, 2]), regressed: [author]) }
    times.append(due(&look, HeadListing([]), regressed: []))
    times.append(due(&look, listing(unverified: [1, 2]), regressed: [author]))
    #expect(times == [true, true, false, true])
  }

  @Test func `a key that was added is a reason to look at once`() throws {
    let (key, other) = (try #require(key), try #require(other))
    var look = CloserLook()
    for _ in 0..<50 { _ = due(&look, listing(unverified: [1]), regressed: [], keys: [key]) }
    var times = [due(&look, listing(unverified: [1]), regressed: [], keys: [key])]
    times.append(due(&look, listing(unverified: [1]), regressed: [], keys: [key, other]))
    times.append(due(&look, HeadListing([]), regressed: [], keys: [key, other]))
    #expect(times == [false, true, false])
  }

  @Test func `while keys are missing the pauses stay short, for another device may be given them`() throws {
    var look = CloserLook()
    look.note(missingKeys: [MissingKey(try #require(key))])
    let times = (0..<40).filter { _ in due(&look, listing(unverified: [1]), regressed: []) }
    #expect(times == [0, 1, 2, 4, 8, 16, 24, 32])
  }

  @Test func `keys that files are sealed with are a reason to look, until the files open`() throws {
    var look = CloserLook()
    look.note(sealingKeys: [try #require(key)])
    look = CloserLook(text: look.text)
    let times = (0..<20).filter { _ in due(&look, HeadListing([]), regressed: []) }
    #expect(times == [0, 1, 2, 4, 8, 16])
    look.note(sealingKeys: [])
    #expect(!due(&look, HeadListing([]), regressed: []))
    #expect(look == CloserLook())
  }

  @Test func `what was noted comes back from its text`() throws {
    var look = CloserLook()
    for _ in 0..<5 { _ = due(&look, listing(unverified: [1]), regressed: []) }
    let key = try #require(KeyIdentifier(digits: "0123456789abcdef"))
    look.note(missingKeys: [MissingKey(key), MissingKey(key, isReplacement: true)])
    look.note(sealingKeys: [key])
    #expect(look.syncsWithoutKey == 1)
    #expect(CloserLook(text: look.text) == look)
    for text in ["", "x", "x y", "x 1 y"] { _ = CloserLook(text: text) }
  }

  @Test func `a set that does not arrive is asked for with growing pauses, and not for ever`() throws {
    let set = SetName(sequence: 2, hash: ContentHash(of: [1]))
    var fork = SyncPlan.PendingFork(SyncPlan.ForkedSet(author: author, set: set), since: 1_000)
    var due: [UInt64] = []
    while fork.age < 200 {
      if fork.isDue { due.append(fork.age) }
      fork.age += 1
    }
    #expect(due == [0, 1, 2, 4, 8, 16, 32, 64, 128, 192])
    #expect(SyncPlan.PendingFork(fork.text) == fork)
    let month: UInt64 = 30 * 24 * 60 * 60 * 1_000
    #expect(!fork.isExpired(at: 0) && !fork.isExpired(at: 1_000 + month) && fork.isExpired(at: 1_001 + month))
  }
}
