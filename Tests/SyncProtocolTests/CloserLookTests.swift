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

  @Test func `nothing unusual is never looked into`() {
    var look = CloserLook()
    let due = (0..<10).filter { _ in look.isDue(HeadListing([]), regressed: []) }
    #expect(due.isEmpty)
    #expect(look.text.isEmpty)
  }

  @Test func `one reason is looked into with growing pauses`() {
    var look = CloserLook()
    let due = (0..<300).filter { _ in look.isDue(listing(unverified: [1]), regressed: []) }
    #expect(due == [0, 1, 2, 4, 8, 16, 32, 64, 128, 192, 256])
  }

  @Test func `another reason is looked into at once`() {
    var look = CloserLook()
    for _ in 0..<50 { _ = look.isDue(listing(unverified: [1]), regressed: []) }
    var due = [look.isDue(listing(unverified: [1, 2]), regressed: [])]
    due.append(look.isDue(listing(unverified: [1, 2]), regressed: [author]))
    for _ in 0..<50 { _ = look.isDue(listing(unverified: [1, 2]), regressed: [author]) }
    due.append(look.isDue(HeadListing([]), regressed: []))
    due.append(look.isDue(listing(unverified: [1, 2]), regressed: [author]))
    #expect(due == [true, true, false, true])
  }

  @Test func `what was noted comes back from its text`() throws {
    var look = CloserLook()
    for _ in 0..<5 { _ = look.isDue(listing(unverified: [1]), regressed: []) }
    look.missingKeys = [try #require(KeyIdentifier(digits: "0123456789abcdef"))]
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
