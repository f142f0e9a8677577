import ChangeTracking
import Testing

@testable import SyncProtocol

/// Enumerates small positions and listings and checks what the plan makes of them.
@Suite struct SyncPlanTests {
  private let own = AuthorID(bits: 1)
  private let other = AuthorID(bits: 2)

  private func hash(_ number: UInt64) -> ContentHash { ContentHash(of: [UInt8(truncatingIfNeeded: number)]) }

  private func head(_ author: AuthorID, _ sequence: UInt64, seen: UInt64 = 0, branch: UInt64 = 0) -> HeadName
  {
    HeadName(author: author, sequence: sequence, seen: seen, hash: hash(sequence * 16 + branch))
  }

  private func position(pushed: UInt64 = 0, applied: UInt64 = 0, ownHeads: Set<HeadName> = [])
    -> SyncPlan.Position
  {
    var position = SyncPlan.Position(author: own, ownHeads: ownHeads)
    if pushed > 0 { position.pushed = SetName(sequence: pushed, hash: hash(pushed * 16)) }
    position.vector[other] = applied
    if applied > 0 { position.chains[other] = hash(applied * 16) }
    return position
  }

  @Test func `an author with more than was applied is fetched from, and only then`() {
    for applied in UInt64(0)...4 {
      for listed in UInt64(0)...4 {
        let plan = SyncPlan(position: position(applied: applied), listing: HeadListing([head(other, listed)]))
        #expect(plan.fetches.isEmpty == (listed <= applied))
        if let fetch = plan.fetches.first {
          #expect(fetch.after == applied)
          #expect(fetch.last.sequence == listed)
        }
        let isRegressed = plan.findings.contains(.regressed(author: other, applied: applied, listed: listed))
        #expect(isRegressed == (listed < applied))
        #expect(plan.forks.isEmpty || listed < applied)
        #expect(plan.unknownSelf == nil)
      }
    }
  }

  @Test func `an author who is mentioned and has no head is fetched from once, as far as there are sets`() {
    for (mentioned, found) in [(2, 5), (5, 2), (0, 3)] as [(UInt64, UInt64)] {
      var plan = SyncPlan(position: position(), listing: HeadListing([head(other, mentioned)]))
      let last = SetName(sequence: found, hash: hash(found * 16))
      plan.add([SyncPlan.Fetch(author: other, after: 0, last: last, isNamed: false)])
      #expect(plan.fetches.map(\.last.sequence) == [max(mentioned, found)])
      #expect(plan.fetches.first?.isNamed == (mentioned > 0))
    }
  }

  @Test func `all named sets in one place are fetched, and those given up only now and then`() {
    let heads = (UInt64(0)...2).map { head(other, 3, branch: $0) }
    let sets = Set(heads.compactMap(\.set))
    var position = position(applied: 2)
    let first = SyncPlan(position: position, listing: HeadListing(heads)).fetches
    #expect(first.count == 1 && first.first.map { $0.beside.union([$0.last]) } == sets)
    for (givenUp, age) in [(1, 3), (2, 3), (2, 4), (3, 3), (3, 4)] as [(Int, UInt64)] {
      position.pendingForks = sets.sorted().suffix(givenUp).map {
        SyncPlan.PendingFork(SyncPlan.ForkedSet(author: other, set: $0), since: 0)
      }
      for index in position.pendingForks.indices { position.pendingForks[index].age = age }
      let fetches = SyncPlan(position: position, listing: HeadListing(heads)).fetches
      let expected = age == 4 ? sets : Set(sets.sorted().dropLast(givenUp))
      #expect(fetches.first.map { $0.beside.union([$0.last]) } ?? [] == expected, "\(givenUp) \(age)")
      #expect(
        fetches.allSatisfy {
          $0.isNamed == (givenUp < 3) && ($0.isNamed != givenUpSets(position).contains($0.last))
        })
    }
  }

  private func givenUpSets(_ position: SyncPlan.Position) -> Set<SetName> {
    Set(position.pendingForks.filter(\.isGivenUp).map(\.fork.set))
  }

  @Test func `news about what others have seen is nothing to do`() {
    for seen in UInt64(0)...3 {
      let plan = SyncPlan(
        position: position(applied: 2), listing: HeadListing([head(other, 2, seen: seen)]))
      #expect(plan == SyncPlan(position: position(applied: 2), listing: HeadListing([head(other, 2)])))
      #expect(plan.fetches.isEmpty && plan.forks.isEmpty && plan.findings.isEmpty)
    }
  }

  @Test func `an own head that was not published here means that the store has a copy`() {
    for pushed in UInt64(0)...2 {
      for listed in UInt64(0)...3 {
        for isKnown in [false, true] {
          let head = head(own, listed)
          let plan = SyncPlan(
            position: position(pushed: pushed, ownHeads: isKnown ? [head] : []), listing: HeadListing([head]))
          #expect(plan.unknownSelf == (isKnown ? nil : head))
          #expect(plan.acknowledged == (isKnown && listed > pushed ? listed : nil))
        }
      }
    }
  }

  @Test func `an older unknown own head counts as well`() {
    let known = head(own, 3)
    let copy = head(own, 2, branch: 1)
    let plan = SyncPlan(
      position: position(pushed: 3, ownHeads: [known]), listing: HeadListing([known, copy]))
    #expect(plan.unknownSelf == copy)
  }

  @Test func `another set of a sequence number that was applied is looked at once`() {
    let copy = head(other, 2, branch: 1)
    let listing = HeadListing([head(other, 2), copy])
    var position = position(applied: 2)
    let fork = SyncPlan.ForkedSet(author: other, set: SetName(sequence: 2, hash: hash(33)))
    #expect(SyncPlan(position: position, listing: listing).forks == [fork])
    position.pendingForks = [SyncPlan.PendingFork(fork, since: 1)]
    position.pendingForks[0].age = 3
    #expect(SyncPlan(position: position, listing: listing).forks.isEmpty)
  }

  @Test func `an older head that was not tidied up is looked at once`() {
    let listing = HeadListing([head(other, 1), head(other, 2)])
    let plan = SyncPlan(position: position(applied: 2), listing: listing)
    #expect(plan.forks.map(\.set.sequence) == [1])
    #expect(plan.fetches.isEmpty)
  }

  @Test func `an author whose heads vanished is reported`() {
    let plan = SyncPlan(position: position(pushed: 2, applied: 3), listing: HeadListing([]))
    #expect(
      plan.findings == [
        .ownRegressed(sent: 2, listed: nil), .regressed(author: other, applied: 3, listed: nil),
      ])
  }

  @Test func `an own head from the past that names a set made here is ignored, any other is not`() {
    let noted = head(own, 3, seen: 5)
    for sequence in UInt64(0)...4 {
      for seen in UInt64(0)...6 {
        for isMadeHere in [true, false] {
          let old = head(own, sequence, seen: seen)
          guard old != noted else { continue }
          var position = position(pushed: 3, ownHeads: [noted])
          if isMadeHere, let set = old.set { position.known = [SyncPlan.ForkedSet(author: own, set: set)] }
          let plan = SyncPlan(position: position, listing: HeadListing([noted, old]))
          let isPast = (sequence, seen) <= (3, 5) && (isMadeHere || sequence == 0)
          #expect(plan.unknownSelf == (isPast ? nil : old), "\(sequence) \(seen) \(isMadeHere)")
        }
      }
    }
  }

  @Test func `a head that names a set which was applied needs no look`() {
    let old = head(other, 1)
    var position = position(applied: 2)
    if let set = old.set { position.known = [SyncPlan.ForkedSet(author: other, set: set)] }
    #expect(SyncPlan(position: position, listing: HeadListing([old, head(other, 2)])).forks.isEmpty)
  }

  @Test func `names that nobody known here has written are one finding and no work`() {
    let names = (UInt64(1)...9).map { head(other, $0) }
    let entries = names.map { RemoteEntry(name: $0.name, kind: .file) }
    let listing = HeadListing(RemoteListing(entries: entries)) { _ in false }
    let plan = SyncPlan(position: position(), listing: listing)
    #expect(plan.fetches.isEmpty && plan.forks.isEmpty && plan.unknownSelf == nil)
    #expect(plan.findings == [.unverifiedHeads(count: 9, first: names[0].name.description)])
  }

  // MARK: What must be named

  private func unnamed(_ position: SyncPlan.Position, _ heads: [HeadName]) -> Set<SyncPlan.ForkedSet> {
    SyncPlan(position: position, listing: HeadListing(heads)).unnamed
  }

  @Test func `the end of a chain that was merged must be named, or lie before what is named`() {
    for applied in UInt64(1)...4 {
      for listed in UInt64(0)...4 {
        for branch in UInt64(0)...1 {
          let heads = listed == 0 ? [] : [head(other, listed, branch: branch)]
          let end = SetName(sequence: applied, hash: hash(applied * 16))
          let isNamed = listed > applied || listed == applied && branch == 0
          #expect(
            unnamed(position(applied: applied), heads)
              == (isNamed ? [] : [SyncPlan.ForkedSet(author: other, set: end)]),
            "\(applied) \(listed) \(branch)")
        }
      }
    }
  }

  @Test func `what was said again needs no name, and no other branch of its author`() {
    var position = position(applied: 3)
    position.superseded[other] = SetName(sequence: 3, hash: hash(3 * 16))
    let beside = SyncPlan.ForkedSet(author: other, set: SetName(sequence: 2, hash: hash(33)))
    position.tips = [beside]
    #expect(unnamed(position, []) == [beside])
    #expect(unnamed(position, [head(other, 2, branch: 1)]).isEmpty)
    position.superseded[other] = SetName(sequence: 3, hash: hash(3 * 16 + 1))
    #expect(unnamed(position, []).count == 2)
    position.unreadStatements = [other: 2]
    #expect(unnamed(position, []).map(\.set.sequence) == [3])
    position.unreadStatements = [other: 3]
    #expect(unnamed(position, []).isEmpty)
  }
}
