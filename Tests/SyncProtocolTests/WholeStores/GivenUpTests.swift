import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A device that gave up what whole stores contain, because what tells of that came too late, says so to others and gets it all the same.
@Suite struct GivenUpTests {
  private let stage: ReturnStage
  private var remote: MemoryBackend { stage.remote }
  private var a: Device { stage.a }
  private var c: Device { stage.c }
  private let never: SyncOptions

  init() throws {
    stage = try ReturnStage()
    var never = SyncOptions()
    never.returning = .never
    self.never = never
  }

  private func hide(_ isHidden: (RemoteName) -> Bool) {
    for path in remote.files.keys { if let name = path.name, isHidden(name) { remote.hide(path) } }
  }

  private func hideFloors() { hide { HistoryFloor($0) != nil } }
  private func hideStores() { hide { WholeStoreName($0) != nil } }

  private func hasGivenUp(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .givenUp = $0 { true } else { false } }
  }

  /// Lets the one who was away wait until it gives up what was removed.
  private func giveUp(_ encryption: EncryptionChoice = .none, hidesStores: Bool = true) async throws {
    try await stage.leave(encryption)
    hideFloors()
    if hidesStores { hideStores() }
    try #require(try await c.sync(remote).findings.contains { $0.waitsFor != nil })
    stage.workplace.clock.advance(31 * ReturnStage.day)
    try #require(try await !hasGivenUp(c.sync(remote)))
    #expect(try await hasGivenUp(c.sync(remote)))
  }

  private func expectAgreement(_ source: SourceLocation = #_sourceLocation) async throws {
    try await stage.settle()
    for device in [a, stage.b, c] {
      #expect(try device.notes == stage.expected, sourceLocation: source)
      #expect(try device.incomplete.isEmpty, sourceLocation: source)
    }
    let report = try await c.sync(remote)
    #expect(report.requests == 1 && report.findings.isEmpty, sourceLocation: source)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `it takes over a whole store when the floor is there at last, and keeps what it had not pushed`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await giveUp(encryption)
    try #require(try c.shows("last") && !c.shows("later 0"))
    remote.showAll()
    for _ in 0..<2 where try !c.shows("later 0") { try await c.sync(remote) }
    #expect(try c.shows("later 0"))
    try await expectAgreement()
  }

  @Test func `it looks for a whole store before it goes on without, floor or none`() async throws {
    try await stage.leave()
    hideFloors()
    try #require(try await c.sync(remote).findings.contains { $0.waitsFor != nil })
    stage.workplace.clock.advance(31 * ReturnStage.day)
    try await c.sync(remote)
    #expect(try await c.sync(remote).takenStore != nil)
    try await expectAgreement()
  }

  @Test func `it takes over one that comes later, though the floor was lost for good`() async throws {
    try await giveUp()
    for path in remote.files.keys where path.name.flatMap({ HistoryFloor($0) }) != nil {
      try await remote.remove(path)
    }
    for _ in 0..<3 { try await c.sync(remote) }
    remote.showAll()
    for _ in 0..<64 where try !c.shows("later 0") { try await c.sync(remote) }
    try await expectAgreement()
  }

  @Test func `a floor that was torn and is whole a day later is read again`() async throws {
    try await stage.leave()
    let floors = remote.files.filter { $0.key.name.flatMap { HistoryFloor($0) } != nil }
    for path in floors.keys { remote.tamper(path) { $0 = Array($0.prefix(5)) } }
    hideStores()
    try await c.sync(remote)
    stage.workplace.clock.advance(61 * ReturnStage.day)
    for _ in 0..<2 { try await c.sync(remote) }
    try #require(try !c.incomplete.isEmpty)
    for (path, bytes) in floors { remote.tamper(path) { $0 = bytes } }
    stage.workplace.clock.advance(2 * ReturnStage.day)
    #expect(try await c.sync(remote, never).findings.contains(.belowFloor))
    remote.showAll()
    for _ in 0..<64 where try !c.shows("later 0") { try await c.sync(remote) }
    try await expectAgreement()
  }

  @Test func `neither its head nor its whole stores claim what it lacks`() async throws {
    try await giveUp()
    let author = try stage.b.author
    #expect(try c.held[author] < stage.a.held[author])
    let upload = try await c.uploadStore(remote)
    #expect(try upload.contents[author] == c.held[author])
    #expect(upload.name.total == upload.contents.total)
    let heads = remote.files.keys.compactMap(\.name).compactMap { HeadName($0) }
    let newest = try #require(
      try heads.filter { try $0.author == c.author }.max { $0.sequence < $1.sequence })
    #expect(try newest.seen == c.held.total)
  }

  @Test func `its whole stores take the place of none that contain more, whoever removes`() async throws {
    try await giveUp()
    remote.showAll()
    hideFloors()
    for number in 0..<40 {
      try c.write("much \(number)", "text")
      try await c.sync(remote, never)
      if number > 37 { try await c.manager(remote).uploadStore(never) }
    }
    try await a.sync(remote)
    func stores() -> [WholeStoreName] {
      remote.files.keys.compactMap(\.name).compactMap { WholeStoreName($0) }.sorted()
    }
    let own = try c.author
    try #require(stores().suffix(2).allSatisfy { $0.author == own })
    let before = stores().filter { $0.author != own }

    try await c.manager(remote).vacuum(VacuumPolicy(grace: 0), never)
    #expect(stores().filter { $0.author != own } == before)
    try await a.vacuum(remote, grace: 0)
    #expect(stores().filter { $0.author != own }.suffix(2) == before.suffix(2))

    let d = Device("device-d", in: stage.workplace)
    try await d.begin(remote)
    for _ in 0..<4 { for device in [d, a] { try await device.sync(remote) } }
    #expect(try d.notes == a.notes && d.incomplete.isEmpty)
  }

  @Test func `who begins with its whole store knows what is missing, and gets it when the floor is there`()
    async throws
  {
    try await giveUp()
    try await c.uploadStore(remote)
    let d = Device("device-d", in: stage.workplace)
    try await d.begin(remote)
    try await d.sync(remote)
    #expect(try d.held[stage.b.author] == c.held[stage.b.author])
    #expect(try !d.shows("later 0"))
    remote.showAll()
    for _ in 0..<64 where try !d.shows("later 0") { try await d.sync(remote) }
    try await expectAgreement()
    try await d.sync(remote)
    #expect(try d.notes == stage.expected)
  }

  @Test func `it counts as having everything again once the set itself has come`() async throws {
    for device in [a, c] { try await device.register(remote) }
    for note in ["one", "two", "three"] {
      try a.write(note, "text")
      try await a.sync(remote)
    }
    let author = try a.author
    let second = try #require(
      remote.paths { SetName($0).flatMap { $0.sequence == 2 ? $0 : nil } }.first)
    let bytes = try await remote.download(second, limit: .max)
    try await remote.remove(second)
    try await c.sync(remote)
    stage.workplace.clock.advance(31 * ReturnStage.day)
    for _ in 0..<2 { try await c.sync(remote) }
    #expect(try c.notes == ["one: text", "three: text"] && c.held[author] == 1)

    try await remote.upload(bytes, to: second)
    for _ in 0..<64 where try !c.shows("two") { try await c.sync(remote) }
    #expect(try c.notes == a.notes && c.held[author] == 3 && c.incomplete.isEmpty)
  }
}
