import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Devices of which a vacuum knows, though their heads do not lie there: they may be late, or gone.
@Suite struct VacuumMembersTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)
  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  /// Two devices that have two whole stores, a third that has begun with one, and sets in both that `b` lacks.
  init() async throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
    for device in [a, b] { try await device.register(remote) }
    for number in 0..<3 {
      try a.write("a\(number)", "text")
      try b.write("b\(number)", "text")
      for device in [a, b, a] { try await device.sync(remote) }
    }
    for number in 0..<3 {
      try a.write("unseen \(number)", "text")
      try await a.sync(remote)
      try await a.uploadStore(remote)
    }
    try await c.begin(remote)
    try await c.sync(remote)
  }

  private var sets: Int { remote.paths { SetName($0) }.count }

  private func hideHead(of device: Device) throws {
    let author = try device.author
    for path in remote.paths({ HeadName($0)?.author == author ? $0 : nil }) { remote.hide(path) }
  }

  @Test func `a newcomer from whom the head of another is kept back removes nothing that the other lacks`()
    async throws
  {
    try hideHead(of: b)
    try await c.vacuum(remote, grace: 0)
    workplace.clock.advance(2 * Self.day)
    try await c.vacuum(remote, grace: 0)
    remote.showAll()

    let report = try await b.sync(remote)

    #expect(!report.findings.contains(.belowFloor) && report.takenStore == nil)
    #expect(try b.shows("unseen 2"))
  }

  @Test func `what is known to lack nothing that is removed holds back nothing when its head is late`()
    async throws
  {
    for _ in 0..<2 { for device in [b, a, c] { try await device.sync(remote) } }
    let before = sets
    try await c.vacuum(remote, grace: 0)
    #expect(sets < before)
  }

  @Test
  func
    `whose head does not come for as long as a device may be away is written down, and holds back nothing`()
    async throws
  {
    try hideHead(of: b)
    let before = sets
    for _ in 0..<4 {
      try await c.vacuum(remote)
      workplace.clock.advance(20 * Self.day)
    }
    #expect(sets == before)
    workplace.clock.advance(20 * Self.day)
    try await c.vacuum(remote)
    #expect(sets < before)
    #expect(
      try remote.paths { AbsenceName($0) }.compactMap { $0.name.flatMap { AbsenceName($0)?.author } } == [
        b.author
      ])

    try a.write("later", "text")
    for device in [a, c, a] { try await device.sync(remote) }
    for _ in 0..<2 { try await a.uploadStore(remote) }
    let vacuum = try await c.vacuum(remote, grace: 0)
    #expect(vacuum.plan.holding.isEmpty)
  }

  @Test func `a former self of a device that has returned with a whole store holds back nothing`()
    async throws
  {
    try await b.rejoin(remote)
    for _ in 0..<3 { for device in [b, a, c] { try await device.sync(remote) } }
    for _ in 0..<2 {
      try a.write("later \(sets)", "text")
      for device in [a, b, c, a] { try await device.sync(remote) }
      try await a.uploadStore(remote)
    }
    #expect(try await c.vacuum(remote, grace: 0).plan.holding.isEmpty)
  }
}
