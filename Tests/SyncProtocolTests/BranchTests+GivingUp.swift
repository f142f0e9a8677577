import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What nobody has is not waited for without end.
extension BranchTests {
  @Test func `what nobody has is given up after 30 days, and merged if somebody comes back with it`()
    async throws
  {
    try await a.register(remote)
    try await write(["one", "two", "three"], on: a, remote)
    let author = try a.author
    try await remove(2, of: author)
    try await c.register(remote)
    for _ in 1...9 { try #require(try await isWaiting(c.sync(remote))) }
    try #require(try c.notes == ["one: text"])

    workplace.clock.advance(month)
    // Who was away for so long looks once more.
    try #require(try await isWaiting(c.sync(remote)))
    #expect(try await c.sync(remote).findings.contains(.givenUp(author: author, sequence: 2)))
    #expect(try c.notes == ["one: text", "three: text"])
    #expect(try await !isWaiting(c.sync(remote)))
    #expect(try await c.sync(remote).findings.isEmpty)

    try await a.sync(remote)
    for _ in 1...64 where try c.notes != a.notes { try await c.sync(remote) }
    #expect(try c.notes == a.notes)
    try await settle([a, c])
  }

  @Test
  func `what is said again without what was given up comes to all with its author, whoever looks first`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    try await write(["one", "two", "three"], on: a, remote)
    try await remove(2, of: a.author)
    try await c.register(remote)
    try await c.sync(remote)
    workplace.clock.advance(month)
    for _ in 1...2 { try await c.sync(remote) }
    try #require(try c.notes == ["one: text", "three: text"])
    try await c.refill(remote)

    // The one who said it again never synchronises any more, and the other one follows before the author is back.
    try await b.sync(remote)
    #expect(try b.notes == ["one: text", "three: text"])
    for _ in 1...3 { for device in [a, b] { try await device.sync(remote) } }
    #expect(try a.notes.count == 3)
    #expect(try b.notes == a.notes)
  }

  /// Longer than a set is waited for, in milliseconds.
  var month: UInt64 { 31 * 24 * 60 * 60 * 1_000 }

  /// Lets a device miss something while clocks are years ahead, and a month go by once they are right.
  private func missAheadOfTime(_ device: Device) async throws -> SyncReport {
    workplace.clock.advance(50 * month)
    try #require(try await isWaiting(device.sync(remote)))
    workplace.clock.turnBack(50 * month)
    #expect(try await isWaiting(device.sync(remote)))
    workplace.clock.advance(month)
    let report = try await device.sync(remote)
    // Who was away for so long looks once more.
    return isWaiting(report) ? try await device.sync(remote) : report
  }

  @Test func `nor is the last set of an author waited for who is gone`() async throws {
    for device in [a, c] { try await device.register(remote) }
    try await write(["one", "two"], on: a, remote)
    let author = try a.author
    try await remove(2, of: author)
    for _ in 1...3 { try #require(try await isWaiting(c.sync(remote))) }

    workplace.clock.advance(month)
    try await c.sync(remote)
    #expect(try await c.sync(remote).findings.contains(.givenUp(author: author, sequence: 2)))
    #expect(try await !isWaiting(c.sync(remote)))
    #expect(try await c.status(remote).blocked.isEmpty)
    #expect(try c.notes == ["one: text"])

    // He comes back after all.
    try a.write("three", "text")
    for _ in 1...64 where try c.notes != a.notes { for device in [a, c] { try await device.sync(remote) } }
    #expect(try c.notes == a.notes)
    try await settle([a, c])
  }

  @Test func `what was missed first when a clock was ahead is given up 30 days after that is right`()
    async throws
  {
    for device in [a, c] { try await device.register(remote) }
    try await write(["one", "two", "three"], on: a, remote)
    let author = try a.author
    try await remove(2, of: author)

    #expect(try await missAheadOfTime(c).findings.contains(.givenUp(author: author, sequence: 2)))
    #expect(try c.notes == ["one: text", "three: text"])
  }

  @Test func `so is what was missed beside the chain`() async throws {
    for device in [a, b] { try await device.register(remote) }
    let author = try a.author
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1"], on: a, remote)
    try await write(["y1", "y2"], on: copy, elsewhere)
    let y1 = try #require(elsewhere.paths { SetName($0).flatMap { $0.sequence == 1 ? $0 : nil } }.first)
    try await elsewhere.remove(y1)
    try await b.sync(remote)
    remote.meet(elsewhere)

    #expect(try await missAheadOfTime(b).findings.contains(.givenUp(author: author, sequence: 1)))
    #expect(try b.notes == ["x1: text", "y2: text"])
  }

  @Test
  func `what was missed beside the chain comes from a whole store that contains it, not its number alone`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1"], on: a, remote)
    try await a.uploadStore(remote)
    try await write(["y1", "y2"], on: copy, elsewhere)
    let contained = try await copy.uploadStore(elsewhere).name
    let y1 = try #require(elsewhere.paths { SetName($0).flatMap { $0.sequence == 1 ? $0 : nil } }.first)
    try await elsewhere.remove(y1)
    try await b.sync(remote)
    remote.meet(elsewhere)

    _ = try await missAheadOfTime(b)
    var taken: [WholeStoreName] = []
    for _ in 1...8 { if let store = try await b.sync(remote).takenStore { taken.append(store) } }
    #expect(taken.isEmpty || taken == [contained])
    #expect(try b.notes == ["x1: text", "y1: text", "y2: text"])
    try await settle([a, b])
  }

  @Test func `of two sets of one number that are missing a person is told once`() async throws {
    for device in [a, b] { try await device.register(remote) }
    let author = try a.author
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1"], on: a, remote)
    try await write(["y1"], on: copy, elsewhere)
    remote.meet(elsewhere)
    try await remove(1, of: author)
    let waiting = try await b.sync(remote).findings.filter { $0.waitsFor == author }
    #expect(waiting == [.waiting(author: author, sequence: 1, obstacle: .missing)])
  }
}
