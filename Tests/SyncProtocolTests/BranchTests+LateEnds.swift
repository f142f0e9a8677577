import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Each set has its own time until it is given up.
extension BranchTests {
  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  /// Writes something on a device, and loses that and all that has not come before.
  private func writeAndLose(_ name: String, _ lost: ClosedRange<UInt64>, on device: Device) async throws {
    try device.write(name, "text")
    try await device.sync(remote)
    for sequence in lost { try await remove(sequence, of: device.author) }
  }

  private func givenUp(_ report: SyncReport) -> [SyncFinding] {
    report.findings.filter { if case .givenUp = $0 { true } else { false } }
  }

  @Test func `what is new of an author whose last set was given up is waited for as long`()
    async throws
  {
    for device in [a, c] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    try await c.sync(remote)
    try await writeAndLose("two", 2...2, on: a)
    let author = try a.author
    for _ in 1...3 { try #require(try await isWaiting(c.sync(remote))) }
    workplace.clock.advance(month)
    try await c.sync(remote)
    try #require(try await givenUp(c.sync(remote)) == [.givenUp(author: author, sequence: 2)])
    try #require(try await c.sync(remote).blocked.isEmpty)

    try await writeAndLose("three", 2...3, on: a)
    let since = workplace.clock.milliseconds
    for syncs in 1...4 {
      let report = try await c.sync(remote)
      #expect(givenUp(report).isEmpty)
      #expect(report.blocked.map(\.sequence) == [3] && report.blocked.map(\.syncs) == [syncs])
      #expect(try await c.status(remote).blocked.map(\.since) == [since])
    }
    #expect(try await c.status(remote).givenUp.map(\.sequence) == [2])

    workplace.clock.advance(month)
    try await c.sync(remote)
    #expect(try await givenUp(c.sync(remote)) == [.givenUp(author: author, sequence: 3)])
    #expect(try await c.status(remote).blocked.isEmpty)
    #expect(try await c.status(remote).givenUp.map { [$0.first, $0.sequence] } == [[2, 2], [3, 3]])
  }

  @Test func `a set that was named later than the first that is missing is given up later`()
    async throws
  {
    for device in [a, c] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    try await c.sync(remote)
    let author = try a.author
    try await writeAndLose("two", 2...2, on: a)
    try #require(try await isWaiting(c.sync(remote)))
    workplace.clock.advance(20 * Self.day)
    try await writeAndLose("three", 2...3, on: a)
    for _ in 1...2 { try #require(try await isWaiting(c.sync(remote))) }

    workplace.clock.advance(12 * Self.day)
    for _ in 1...3 {
      let report = try await c.sync(remote)
      #expect(givenUp(report).isEmpty && !report.blocked.isEmpty)
    }
    workplace.clock.advance(20 * Self.day)
    try await c.sync(remote)
    let last = try await c.sync(remote)
    #expect(givenUp(last) == [.givenUp(author: author, sequence: 3, first: 2)])
    #expect(last.blocked.isEmpty)
    #expect(try await c.status(remote).givenUp.map { [$0.first, $0.sequence] } == [[2, 3]])
  }

  @Test func `a set that arrives after others were given up is merged at once`() async throws {
    for device in [a, c] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    try await c.sync(remote)
    try await writeAndLose("two", 2...2, on: a)
    try await c.sync(remote)
    workplace.clock.advance(month)
    for _ in 1...2 { try await c.sync(remote) }

    try await writeAndLose("three", 2...2, on: a)
    let report = try await c.sync(remote)

    #expect(report.blocked.isEmpty)
    #expect(try c.notes == ["one: text", "three: text"])
  }
}

/// What is remembered of ends that are missing.
@Suite struct MissingEndsTests {
  private func set(_ sequence: UInt64, _ byte: UInt8 = 0) -> SetName {
    SetName(sequence: sequence, hash: ContentHash(of: [byte]))
  }

  @Test func `a set counts from when it or the first one after it was named`() {
    var ends = MissingEnds()
    ends.note([set(5)], passed: 1, at: 100)
    ends.note([set(9)], passed: 1, at: 200)
    #expect(ends.end(provingThat: set(3))?.since == 100)
    #expect(ends.end(provingThat: set(5))?.since == 100)
    #expect(ends.end(provingThat: set(6))?.since == 200)
    #expect(ends.end(provingThat: set(9, 1)) == nil)
    #expect(MissingEnds(ends.text) == ends)
  }

  @Test func `what was merged or given up is forgotten, but for what is named beside it`() {
    var ends = MissingEnds()
    ends.note([set(5), set(5, 1), set(7)], passed: 1, at: 100)
    ends.note([set(5, 1)], passed: 7, at: 300)
    #expect(ends.ends == [.init(set: set(5, 1), since: 100)])
  }

  @Test func `what an author writes every hour counts as a few days younger at most`()
    throws
  {
    let hour: UInt64 = 60 * 60 * 1_000
    var ends = MissingEnds()
    for number in 1...(60 * 24) as ClosedRange<UInt64> {
      ends.note([set(number)], passed: 0, at: number * hour)
    }
    #expect(ends.ends.count == MissingEnds.limit)
    for number in 1...(60 * 24) as ClosedRange<UInt64> {
      let since = try #require(ends.end(provingThat: set(number))).since
      #expect(since >= number * hour && since - number * hour <= 5 * 24 * hour)
    }
  }
}
