import ChangeTracking
import Testing

@testable import SyncProtocol

/// Which sets may go.
@Suite struct VacuumReckoningTests {
  private let a = AuthorID(bits: 1)
  private let b = AuthorID(bits: 2)
  private let c = AuthorID(bits: 3)
  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  private let now = 1_000 * VacuumReckoningTests.day

  private func vector(_ entries: [AuthorID: UInt64]) -> VersionVector {
    entries.reduce(into: VersionVector()) { $0[$1.key] = $1.value }
  }

  private func sets(_ sequences: ClosedRange<UInt64>) -> [SetName] {
    sequences.map { SetName(sequence: $0, hash: ContentHash(of: [UInt8($0)])) }
  }

  private func floor(_ content: VersionVector, _ phase: HistoryFloor.Phase, age: UInt64) throws
    -> RegistrationPins.KnownFloor
  {
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let name = HistoryFloor(
      author: a, phase: phase, total: content.total, hash: ContentHash(of: HistoryFloor.bytes(content)),
      code: code)
    return RegistrationPins.KnownFloor(name: name, content: content, since: now - age)
  }

  /// Two authors with ten and five sets, all of which a whole store contains and both devices have.
  private func reckoning(grace: UInt64 = VacuumReckoningTests.day) -> VacuumReckoning {
    let all = vector([a: 10, b: 5])
    return VacuumReckoning(
      policy: VacuumPolicy(grace: grace), now: now, members: [a: all, b: all], stores: [all],
      contained: [[a: Set(sets(1...10)), b: Set(sets(1...5))]], sets: [a: sets(1...10), b: sets(1...5)],
      settled: [a: sets(1...10), b: sets(1...5)], floors: [])
  }

  @Test func `nothing goes before it was announced for a day`() throws {
    var reckoning = reckoning()
    #expect(reckoning.removable.isEmpty)
    let announcement = try #require(reckoning.announcement)
    reckoning.floors = [try floor(announcement, .announced, age: Self.day - 1)]
    #expect(reckoning.removable.isEmpty && reckoning.announcement == nil)
    reckoning.floors = [try floor(announcement, .announced, age: Self.day)]
    #expect(reckoning.removable == [a: sets(1...9), b: sets(1...4)])
    #expect(reckoning.floor == vector([a: 9, b: 4]))
  }

  @Test func `the last set of each author stays, for his head names it`() {
    #expect(reckoning(grace: 0).removable == [a: sets(1...9), b: sets(1...4)])
  }

  @Test func `where a whole store has another branch, nothing goes from there on`() {
    var reckoning = reckoning(grace: 0)
    reckoning.contained[0][a] = Set(sets(1...6) + sets(107...110))
    #expect(reckoning.removable == [a: sets(1...6), b: sets(1...4)])
  }

  @Test func `from where on two branches are known here nothing goes, though one does not lie there`() {
    var reckoning = reckoning(grace: 0)
    let other = SetName(sequence: 4, hash: ContentHash(of: [1]))
    reckoning.settled[a, default: []].append(other)
    #expect(reckoning.removable == [a: sets(1...3), b: sets(1...4)])
  }

  @Test func `what a device has not merged stays until it had 90 days for it`() throws {
    var reckoning = reckoning(grace: 0)
    reckoning.members[c] = vector([a: 3])
    #expect(reckoning.removable == [a: sets(1...3)])
    #expect(reckoning.behind == [c] && reckoning.absent.isEmpty)
    reckoning.floors = [try floor(vector([a: 9, b: 4]), .announced, age: 90 * Self.day - 1)]
    #expect(reckoning.removable == [a: sets(1...3)])
    reckoning.floors = [try floor(vector([a: 9, b: 4]), .announced, age: 90 * Self.day)]
    #expect(reckoning.removable == [a: sets(1...9), b: sets(1...4)])
    #expect(reckoning.absent == [c])
  }

  @Test func `a device that lacks sets below a floor in force holds back nothing of what comes after`() throws
  {
    var reckoning = reckoning()
    reckoning.floors = [
      try floor(vector([a: 5]), .inForce, age: 0),
      try floor(vector([a: 9, b: 4]), .announced, age: Self.day),
    ]
    reckoning.members[c] = vector([a: 5])
    #expect(reckoning.removable == [a: sets(1...5)])
    reckoning.members[c] = vector([a: 4])
    #expect(reckoning.removable == [a: sets(1...9), b: sets(1...4)])
    #expect(reckoning.absent == [c])
  }

  @Test func `what no whole store contains stays, and so does what only one of them does`() {
    var reckoning = reckoning(grace: 0)
    reckoning.stores = []
    #expect(reckoning.removable.isEmpty && reckoning.announcement == nil)
    reckoning.stores = [vector([a: 10, b: 5]), vector([a: 4])]
    #expect(reckoning.removable == [a: sets(1...4)])
  }

  @Test func `what is in force stays so, but only what whole stores still contain is removed`() throws {
    var reckoning = reckoning()
    reckoning.floors = [try floor(vector([a: 7, c: 2]), .inForce, age: 0)]
    reckoning.stores = [vector([a: 5])]
    #expect(reckoning.floor == vector([a: 7, c: 2]))
    #expect(reckoning.removable == [a: sets(1...5)])
  }

  @Test func `where two sets bear one number all from there on stay`() {
    var reckoning = reckoning(grace: 0)
    reckoning.sets[a]?.append(SetName(sequence: 4, hash: ContentHash(of: [99])))
    #expect(reckoning.removable == [a: sets(1...3), b: sets(1...4)])
  }

  @Test func `whatever devices have, nothing goes that one of them lacks`() {
    for first in UInt64(0)...10 {
      for second in UInt64(0)...10 {
        for contained in UInt64(0)...10 {
          var reckoning = reckoning(grace: 0)
          reckoning.members = [a: vector([a: 10]), b: vector([a: first]), c: vector([a: second])]
          reckoning.stores = [vector([a: contained])]
          let removed = reckoning.removable[a]?.last?.sequence ?? 0
          #expect(removed == min(first, second, contained, 9))
        }
      }
    }
  }
}
