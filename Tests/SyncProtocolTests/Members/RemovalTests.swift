import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A device that others remove from a document is told, loses nothing, and may come back; the others wait for it no more.
@Suite struct RemovalTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// All three have the same notes, and one has not sent another.
  private func meet(_ encryption: EncryptionChoice = .password("pass")) async throws {
    for device in [a, b, c] { try await device.register(remote, encryption) }
    for device in [a, b, c] { try device.write("by \(device.client)", "text") }
    try await settle([a, b, c])
    try c.write("unpushed", "of c")
  }

  private func settle(_ devices: [Device]) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
  }

  private var notes: [RemotePath] { remote.paths { RemovalName($0) } }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `it is told by whom and when, keeps its data and what it has not sent, and sends nothing`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await meet(encryption)
    #expect(try await a.remove(c, remote).map(\.name) == ["Device device-c"])
    let before = remote.snapshot
    for error in [
      await failure { try await c.sync(remote) }, await failure { try await c.uploadStore(remote) },
      await failure { try await c.vacuum(remote) },
    ] {
      #expect(error?.code == .deviceRemoved)
      #expect(error?.message.contains("“Device device-a” on 2023-11-1") == true)
      #expect(error?.recovery.contains("rejoin") == true)
    }
    #expect(await refusal { try await c.register(remote, encryption) } == .deviceRemoved)
    #expect(try c.shows("unpushed") && c.shows("by device-a"))
    let status = try await c.status()
    #expect(status.isRemoved && status.failure?.code == .deviceRemoved)
    #expect(remote.snapshot == before)
  }

  @Test func `one whose head storage has lost is listed and removed, and nobody misses it any more`()
    async throws
  {
    try await meet()
    let author = try c.author
    for head in remote.paths({ HeadName($0) })
    where head.name.flatMap({ HeadName($0) })?.author == author {
      try await remote.remove(head)
    }
    try a.write("later", "text")
    for device in [a, b] { try await device.sync(remote) }
    let listed = try await a.devices(remote).first { $0.author == author }
    #expect(listed?.name == "Device device-c" && listed?.presence == .present && listed?.lacks == nil)

    #expect(try await a.remove(c, remote).map(\.name) == ["Device device-c"])

    #expect(try await b.devices(remote).contains { $0.author == author && $0.presence != .present })
    try await settle([a, b])
    for device in [a, b] { #expect(try await device.sync(remote).findings.isEmpty) }
    #expect(await refusal { try await c.sync(remote) } == .deviceRemoved)
  }

  @Test func `what it has sent stays in effect, also what comes late`() async throws {
    try await meet()
    try await c.sync(remote)
    try await a.remove(c, remote)
    try await settle([a, b])
    for device in [a, b] { #expect(try device.shows("by device-c") && device.shows("unpushed")) }
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `it comes back as a new author, with everything that it had not sent`(_ encryption: EncryptionChoice)
    async throws
  {
    try await meet(encryption)
    try await a.remove(c, remote)
    _ = await refusal { try await c.sync(remote) }
    try a.delete("by device-c")
    try await settle([a, b])
    let former = try c.author
    #expect(try await c.rejoin(remote).findings.contains(.readmitted(former: former)))
    #expect(try c.author != former)
    try await settle([a, b, c])
    for device in [a, b, c] {
      #expect(try device.notes == ["by device-a: text", "by device-b: text", "unpushed: of c"])
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty)
    }
    #expect(try await !c.status().isRemoved)
  }

  @Test func `a copy of its store from before it took part joins as a device of its own`() async throws {
    try c.write("early", "of c")
    try c.freeze()
    let (backup, author) = (try c.backUp(), try c.author)
    try await meet(.none)
    #expect(try c.author == author)
    try await a.remove(c, remote)
    try await settle([a, b])
    try c.restore(backup)

    try await c.register(remote, .none)

    #expect(try c.author != author)
    try await settle([a, b, c])
    let notes = try a.notes
    for device in [a, b, c] { #expect(try device.notes == notes && device.shows("early")) }
  }

  @Test func `a note of earlier that somebody puts back removes nobody who has returned`() async throws {
    try await meet()
    try await a.remove(c, remote)
    let kept = try notes.map { ($0, try #require(remote.files[$0])) }
    try await c.rejoin(remote)
    for (path, _) in kept { try? await remote.remove(path) }
    try await settle([b, c])
    for (path, bytes) in kept { try await remote.upload(bytes, to: path) }
    try await settle([a, b, c])
    #expect(try await c.sync(remote).findings.isEmpty)
  }

  @Test func `who has no key removes nobody`() async throws {
    try await meet()
    let author = try c.author
    let forger = try DocumentProtection(
      keys: nil, hierarchy: .notes, own: try #require(try await a.protection().foundings.first))
    let name = forger.removal(of: author)
    let other = RemovalName(author: author, code: try await a.protection().removal(of: try b.author).code)
    for name in [name, other] {
      try await remote.upload([], to: DocumentHierarchy.notes.file(of: name))
    }
    let report = try await c.sync(remote)
    #expect(report.pushedSets == 1)
    let isTold = report.findings.contains { if case .unverifiedHeads(2, _) = $0 { true } else { false } }
    #expect(isTold)
  }

  @Test func `what the code of an absence or a head proves is no removal`() async throws {
    try await meet()
    let protection = try await a.protection()
    let author = try c.author
    for code in [protection.absence(of: author).code, protection.renaming(author: author, time: 1).code] {
      #expect(!protection.verifies(RemovalName(author: author, code: code)))
    }
    #expect(protection.verifies(protection.removal(of: author)))
  }

  @Test func `with encryption it stays removed whoever takes the note away, and members put that back`()
    async throws
  {
    try await meet()
    try await a.remove(c, remote)
    try await settle([a, b])
    #expect(await refusal { try await c.sync(remote) } == .deviceRemoved)
    let before = notes
    for path in before { try await remote.remove(path) }
    #expect(await refusal { try await c.sync(remote) } == .deviceRemoved)
    #expect(notes.isEmpty)
    try await b.sync(remote)
    #expect(notes == before)
  }

  @Test func `without encryption it goes on once a person has removed the note, and nobody puts that back`()
    async throws
  {
    try await meet(.none)
    try await a.remove(c, remote)
    try await settle([a, b])
    let error = await failure { try await c.sync(remote) }
    let path = try #require(notes.first)
    #expect(error?.recovery.contains("“\(path)”") == true)
    try await remote.remove(path)
    try await settle([a, b, c])
    #expect(notes.isEmpty)
    #expect(try a.shows("unpushed"))
    #expect(try await a.devices(remote).allSatisfy { $0.presence == .present })
  }

  @Test func `a vacuum waits for it no more, and it takes over a whole store when it returns`() async throws {
    try await meet()
    for number in 0..<3 {
      try b.write("later \(number)", "text")
      try await settle([b, a])
      try await a.uploadStore(remote)
    }
    #expect(try await a.vacuum(remote, grace: 0, dryRun: true).plan.holding == [try c.author])
    try await a.remove(c, remote)
    let plan = try await a.vacuum(remote, grace: 0, dryRun: true).plan
    #expect(plan.holding.isEmpty && plan.absent.isEmpty && !plan.sets.isEmpty)
    try await a.vacuum(remote, grace: 0)
    try a.delete("by device-c")
    try await settle([a, b])
    let report = try await c.rejoin(remote)
    #expect(report.takenStore != nil)
    try await settle([a, b, c])
    for device in [a, b, c] {
      #expect(try device.notes == a.notes && device.shows("unpushed") && device.shows("later 2"))
      #expect(try !device.shows("by device-c"))
    }
    #expect(try await a.vacuum(remote, grace: 0).plan.absent.isEmpty)
  }

  @Test func `a head of it that cannot be read stops no vacuum`() async throws {
    try await meet()
    for number in 0..<2 {
      try b.write("later \(number)", "text")
      try await settle([b, a])
      try await a.uploadStore(remote)
    }
    let author = try c.author
    for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
      try await remote.upload([7], to: path)
    }
    #expect(try await a.vacuum(remote, grace: 0).plan.obstacle == .unreadableHead(author))
    try await a.remove(c, remote)
    #expect(try await a.vacuum(remote, grace: 0).plan.obstacle == nil)
  }

  @Test func `a device removes neither itself nor one that does not take part`() async throws {
    try await meet()
    let before = remote.snapshot
    #expect(await refusal { try await a.remove(a, remote) } == .noSuchDevice)
    let stranger = AuthorID(bits: 7)
    #expect(await refusal { try await a.manager(remote).removeDevice(stranger) } == .noSuchDevice)
    #expect(await refusal { try await a.application(remote).removeDevice("device-a") } == .noSuchDevice)
    #expect(await refusal { try await a.application(remote).removeDevice("device-x") } == .noSuchDevice)
    #expect(remote.snapshot == before)
  }

  @Test func `who was removed removes nobody`() async throws {
    try await meet()
    try await a.remove(c, remote)
    #expect(await refusal { try await c.remove(b, remote) } == .deviceRemoved)
    #expect(notes.count == 1)
  }

  @Test func `from all documents it is removed at once, and described no more until it returns`()
    async throws
  {
    try await meet()
    let elsewhere = try Workplace(seed: 2)
    let (first, second) = (
      Device("device-a", in: elsewhere, document: "other"),
      Device("device-c", in: elsewhere, document: "other")
    )
    for device in [first, second] { try await device.register(remote, .password("pass")) }
    try await first.sync(remote)
    let removal = try await a.application(remote).removeDevice("device-c")
    #expect(removal.documents == ["notes", "other"] && removal.unread.isEmpty)
    #expect(try await a.application(remote).devices().map(\.client) == ["device-a", "device-b"])
    for device in [c, second] {
      #expect(await refusal { try await device.sync(remote) } == .deviceRemoved)
    }
    try await c.rejoin(remote)
    #expect(try await a.application(remote).devices().map(\.client) == ["device-a", "device-b", "device-c"])
    try await settle([a, b, c])
    #expect(try a.shows("unpushed"))
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of a removal fails, repeating it removes the device once`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let stage = try RemovalTests()
      try await stage.meet()
      let faulty = FaultyBackend(stage.remote, after: requests, fault)
      _ = try? await stage.a.remove(stage.c, faulty)
      try await stage.a.remove(stage.c, stage.remote)
      #expect(stage.notes.count == 1, "after \(requests) requests")
      #expect(await refusal { try await stage.c.sync(stage.remote) } == .deviceRemoved)
      try await stage.c.rejoin(stage.remote)
      try await stage.settle([stage.a, stage.b, stage.c])
      #expect(try stage.a.shows("unpushed"), "after \(requests) requests")
      guard faulty.hasFailed else { break }
      requests += 1
      await Task.yield()
    }
    #expect(requests > 4)
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of coming back fails, the next one completes it`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let stage = try RemovalTests()
      try await stage.meet()
      try await stage.a.remove(stage.c, stage.remote)
      _ = await refusal { try await stage.c.sync(stage.remote) }
      let faulty = FaultyBackend(stage.remote, after: requests, fault)
      _ = try? await stage.c.rejoin(faulty)
      #expect(try stage.c.shows("unpushed"), "after \(requests) requests")
      if try await stage.c.status().isRemoved { try await stage.c.rejoin(stage.remote) }
      try await stage.settle([stage.c, stage.a, stage.b])
      for device in [stage.a, stage.b, stage.c] {
        #expect(
          try device.notes == [
            "by device-a: text", "by device-b: text", "by device-c: text", "unpushed: of c",
          ],
          "after \(requests) requests")
      }
      guard faulty.hasFailed else { break }
      requests += 1
      await Task.yield()
    }
    #expect(requests > 4)
  }
}
