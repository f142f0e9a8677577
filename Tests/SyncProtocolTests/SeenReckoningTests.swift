import Crypto
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// Who has everything, from the names of heads and what is known beside them.
@Suite struct SeenReckoningTests {
  private let a = AuthorID(bits: 1)
  private let b = AuthorID(bits: 2)
  private let c = AuthorID(bits: 3)
  /// Who is listed no more.
  private let gone = AuthorID(bits: 4)

  private func head(_ author: AuthorID, _ sequence: UInt64, seen: UInt64) -> HeadName {
    let hash = sequence > 0 ? ContentHash(of: [UInt8(author.bits)]) : nil
    return HeadName(author: author, sequence: sequence, seen: seen, hash: hash)
  }

  private func vector(_ sequences: [AuthorID: UInt64]) -> VersionVector {
    var vector = VersionVector()
    for (author, sequence) in sequences { vector[author] = sequence }
    return vector
  }

  /// What is said of `b`, who has seen so many sets, by `a`, who has applied all that is listed.
  private func verdict(
    seen: UInt64, applied: [AuthorID: UInt64] = [:], known: [AuthorID: UInt64]? = nil
  ) -> SeenReckoning.Verdict {
    let head = head(b, 2, seen: seen)
    let listing = HeadListing([self.head(a, 5, seen: 3), head, self.head(c, 1, seen: 7)])
    let own = vector([b: 2, c: 1]).union(vector(applied))
    return SeenReckoning(
      listing, own: (a, own), pushed: 5, known: known.map { [b: vector($0)] } ?? [:]
    ).verdict(head)
  }

  @Test func `where all authors are listed the sum decides`() {
    #expect(verdict(seen: 6) == .everything)
    #expect(verdict(seen: 5) == .less)
    #expect(verdict(seen: 0) == .less)
  }

  @Test func `of authors who are not listed any more nothing counts for others`() {
    #expect(verdict(seen: 14, applied: [gone: 8]) == .everything)
    #expect(verdict(seen: 5, applied: [gone: 8]) == .less)
    for seen: UInt64 in 6...13 { #expect(verdict(seen: seen, applied: [gone: 8]) == .unknown) }
  }

  @Test func `more than anybody is known to have proves nothing`() {
    #expect(verdict(seen: 7) == .unknown)
  }

  @Test func `what a head has said decides the rest, also an older one`() {
    #expect(verdict(seen: 13, applied: [gone: 8], known: [gone: 8, a: 5]) == .less)
    #expect(verdict(seen: 13, applied: [gone: 8], known: [gone: 8]) == .less)
    #expect(verdict(seen: 14, known: [gone: 8]) == .everything)
    #expect(verdict(seen: 6, applied: [gone: 8], known: [a: 5, c: 1]) == .everything)
  }

  @Test func `sums that are too large for a number are no reason to stop`() {
    let known = [gone: UInt64.max, a: 4, c: .max]

    #expect(verdict(seen: 9_999_999_999, known: known) == .unknown)
  }
}
