import BackendConformance
import ChangeTracking
import Foundation
import Inspection
import Testing

@testable import SyncProtocol

/// What nobody needs any more is removed, and nothing else.
@Suite struct VacuumTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)
  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private var sets: [RemotePath] { remote.paths { SetName($0) } }
  private var floors: [HistoryFloor] {
    remote.paths { HistoryFloor($0) }.compactMap(\.name).compactMap { HistoryFloor($0) }
  }

  /// Two devices that have exchanged some notes and a deletion, and a whole store.
  private func history(_ encryption: EncryptionChoice = .none) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    for number in 0..<6 {
      try a.write("a\(number)", "text \(number)")
      try b.write("b\(number)", "text \(number)")
      for device in [a, b] { try await device.sync(remote) }
    }
    try a.delete("a3")
    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }
    try await a.uploadStore(remote)
  }

  /// Two whole stores, for only what both contain may go.
  private func uploadTwice() async throws {
    for number in 0..<2 {
      try b.write("between \(number)", "text")
      for device in [b, a, b] { try await device.sync(remote) }
      try await a.uploadStore(remote)
    }
  }

  private func settle(_ devices: [Device]) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `sets go that all have and a whole store contains, and everybody goes on`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await history(encryption)
    let before = sets.count
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.obstacle == nil && vacuum.left == 0)
    #expect(vacuum.plan.sets.count == before - 2 && sets.count == 2)

    try await c.begin(remote, encryption)
    try c.write("of c", "text")
    try b.write("b1", "changed")
    try await settle([c, a, b])
    #expect(try a.notes == b.notes && b.notes == c.notes)
    #expect(try c.shows("of c") && !c.shows("a3"))
    for device in [a, b, c] {
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty)
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `a head that was cut off is put back by its author within a day, and holds back no vacuum then`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await history(encryption)
    let author = try b.author
    let head = try #require(
      remote.paths { HeadName($0) }.first { $0.name.flatMap { HeadName($0) }?.author == author })
    remote.tamper(head) { $0 = Array($0.prefix(40)) }
    #expect(try await a.vacuum(remote, grace: 0).plan.obstacle == .unreadableHead(author))

    workplace.clock.advance(Self.day + 1)
    let report = try await b.sync(remote)

    #expect(report.findings == [.putBack(paths: [head.description])])
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.obstacle == nil && !vacuum.plan.sets.isEmpty)
    workplace.clock.advance(Self.day + 1)
    #expect(try await b.sync(remote).findings.isEmpty)
  }

  @Test func `who joins where no whole store has arrived is told at once that a part is missing`()
    async throws
  {
    try await history()
    try await a.vacuum(remote, grace: 0)
    let (d, e) = (Device("device-d", in: workplace), Device("device-e", in: workplace))
    let begun = try await e.begin(remote)
    #expect(begun.store != nil)
    #expect(try await !e.register(remote).lacksHistory)

    for path in remote.paths({ WholeStoreName($0) }) { try await remote.remove(path) }

    #expect(try await d.register(remote).lacksHistory)
  }

  @Test(arguments: [nil, "correct horse"])
  func `the inspector misses nothing that was removed`(_ password: String?) async throws {
    try await history(password.map { .password($0) } ?? .none)
    try await a.vacuum(remote, grace: 0)
    let inspector = RemoteInspector(backend: remote, password: password)
    #expect(try await inspector.verify().findings.map(\.message) == [])
    let path = try #require(remote.paths { HistoryFloor($0) }.first)
    try await remote.remove(path)
    #expect(try await inspector.verify().findings.map(\.kind) == [.gap, .gap])
  }

  @Test func `it is announced first, and done a day later`() async throws {
    try await history()
    let before = sets.count
    let first = try await a.vacuum(remote)
    #expect(sets.count == before && first.plan.sets.isEmpty && first.plan.announced > 0)
    #expect(floors.map(\.phase) == [.announced])
    #expect(try await b.vacuum(remote).plan.sets.isEmpty)
    workplace.clock.advance(Self.day)
    #expect(try await a.vacuum(remote).plan.sets.count == before - 2)
    #expect(sets.count == 2 && floors.map(\.phase) == [.inForce])
    #expect(try await a.vacuum(remote).plan.isEmpty)
  }

  @Test func `a plan changes nothing`() async throws {
    try await history()
    let before = remote.snapshot
    let vacuum = try await a.vacuum(remote, grace: 0, dryRun: true)
    #expect(!vacuum.plan.sets.isEmpty && !vacuum.isCarriedOut)
    #expect(remote.snapshot == before)
  }

  @Test func `without a whole store that opens nothing goes`() async throws {
    try await history()
    let before = sets
    for path in remote.paths({ WholeStoreName($0) }) { try await remote.upload([1], to: path) }
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.obstacle == .noWholeStore && sets == before && floors.isEmpty)
  }

  @Test func `what one device has not merged stays, and it gets it`() async throws {
    try await history()
    try await c.register(remote)
    try await c.sync(remote)
    try a.write("new", "text")
    for device in [a, b, a] { try await device.sync(remote) }
    try a.write("newer", "text")
    for device in [a, b, a] { try await device.sync(remote) }
    try await uploadTwice()
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.holding == [try c.author] && vacuum.plan.absent.isEmpty)
    #expect(try await c.sync(remote).findings.isEmpty)
    #expect(try c.notes == a.notes)
  }

  @Test func `a device that stays away for 90 days holds back nothing, and returns by itself`() async throws {
    try await history()
    try await c.begin(remote)
    try await c.sync(remote)
    try c.write("unpushed", "text")
    for number in 0..<3 {
      try b.write("later \(number)", "text")
      for device in [b, a, b] { try await device.sync(remote) }
    }
    try await uploadTwice()
    try await a.vacuum(remote, grace: 0)
    workplace.clock.advance(90 * Self.day)
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.absent == [try c.author])
    let written = remote.paths { AbsenceName($0) }.compactMap(\.name).compactMap { AbsenceName($0) }
    #expect(written.map(\.author) == [try c.author])

    let former = try c.author
    let report = try await c.sync(remote)
    #expect(report.takenStore != nil && report.pushedSets == 1)
    #expect(try c.author != former)
    try await settle([a, b, c])
    #expect(try a.shows("unpushed") && a.notes == c.notes)
    #expect(try await a.vacuum(remote, grace: 0).plan.absent.isEmpty)
  }

  @Test func `what was removed is neither sent again nor said again, whatever becomes of a head`()
    async throws
  {
    try await history()
    try await a.vacuum(remote, grace: 0)
    let author = try a.author
    for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
      try await remote.remove(path)
    }
    try await settle([b, a])
    #expect(sets.count == 2)
    #expect(try a.author == author)
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a vacuum fails, everybody goes on, and the next one completes it`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let workplace = try Workplace()
      let (a, b, c) = workplace.devices()
      let remote = MemoryBackend()
      for device in [a, b] { try await device.register(remote) }
      for number in 0..<3 {
        try a.write("a\(number)", "text")
        for device in [a, b, a] { try await device.sync(remote) }
      }
      try await a.uploadStore(remote)
      let faulty = FaultyBackend(remote, after: requests, fault)
      _ = try? await a.vacuum(faulty, grace: 0)
      try b.write("b", "text")
      for device in [b, a, b] { try await device.sync(remote) }
      #expect(try await c.begin(remote).store != nil)
      try await c.sync(remote)
      #expect(try c.notes == a.notes, "after \(requests) requests")
      try await a.vacuum(remote, grace: 0)
      #expect(remote.paths { SetName($0) }.count <= 2, "after \(requests) requests")
      for device in [a, b, c] { #expect(try await device.sync(remote).findings.isEmpty) }
      guard faulty.hasFailed else { break }
      requests += 1
    }
    #expect(requests > 10)
  }

  @Test func `two vacuums at once do no harm`() async throws {
    try await history()
    let (a, b, remote) = (a, b, remote)
    async let first = a.vacuum(remote, grace: 0)
    async let second = b.vacuum(remote, grace: 0)
    _ = try await (first, second)
    try await c.begin(remote)
    try await settle([a, b, c])
    #expect(try a.notes == c.notes)
    #expect(try await a.vacuum(remote, grace: 0).plan.obstacle == nil)
  }

  @Test func `where sets were removed and the whole stores are lost, a member uploads another within a day`()
    async throws
  {
    try await history()
    try await a.vacuum(remote, grace: 0)
    for path in remote.paths({ WholeStoreName($0) }) { try await remote.remove(path) }
    #expect(try await a.sync(remote).requests == 1)
    workplace.clock.advance(Self.day)
    #expect(try await a.sync(remote).uploadedStore != nil)
    #expect(try await c.begin(remote).store != nil)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
  }

  @Test func `of whole stores the newest two that open remain`() async throws {
    try await history()
    var names: [WholeStoreName] = []
    for device in [a, b, a, b] {
      try device.write("of \(names.count)", "text")
      for other in [device, a, b] { try await other.sync(remote) }
      names.append(try await device.uploadStore(remote).name)
    }
    try await remote.upload([1], to: DocumentHierarchy.notes.file(of: names[3]))
    try await a.vacuum(remote, grace: 0)
    let left = remote.paths { WholeStoreName($0) }.compactMap(\.name)
    #expect(Set(left) == Set(names[1...].map(\.name)))
    #expect(try await c.begin(remote).store == names[2])
  }

  @Test func `a floor comes back from its bytes, and others are refused`() throws {
    var content = VersionVector()
    content[try a.author] = 7
    content[try b.author] = 3
    let bytes = HistoryFloor.bytes(content)
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let floor = HistoryFloor(
      author: try a.author, phase: .inForce, total: 10, hash: ContentHash(of: bytes), code: code)
    #expect(HistoryFloor(floor.name) == floor)
    #expect(try floor.content(bytes) == content)
    #expect(throws: FormatError.self) { try floor.content(bytes + [0]) }
    let boasting = HistoryFloor(
      author: try a.author, phase: .inForce, total: 11, hash: ContentHash(of: bytes), code: code)
    #expect(throws: FormatError.self) { try boasting.content(bytes) }
  }

  @Test func `an older whole store stays while it alone contains what a device has never heard of`()
    async throws
  {
    try await a.register(remote)
    try a.write("of a", "text")
    try await a.sync(remote)
    try await a.uploadStore(remote)
    let first = remote.paths { WholeStoreName($0) }
    // All that tells of them is late.
    for path in remote.paths({ SetName($0) }) + remote.paths({ HeadName($0) }) {
      try await remote.remove(path)
    }
    try await c.register(remote)
    for number in 0..<3 {
      try c.write("c\(number)", "text")
      try await c.sync(remote)
      try await c.uploadStore(remote)
    }

    let vacuum = try await c.vacuum(remote, grace: 0)

    #expect(vacuum.plan.obstacle == nil && vacuum.plan.wholeStores.isEmpty)
    #expect(Set(first).isSubset(of: remote.paths { WholeStoreName($0) }))
  }
}
