import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What one device has merged all come to merge, whatever storage loses and whichever stores are restored or copied.
@Suite struct BranchTests {
  let remote = MemoryBackend()
  let workplace: Workplace
  let a: Device
  let b: Device
  let c: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
    c = Device("device-c", in: workplace)
  }

  func write(_ notes: [String], on device: Device, _ remote: MemoryBackend) async throws {
    for note in notes {
      try device.write(note, "text")
      try await device.sync(remote)
    }
  }

  func settle(_ devices: [Device]) async throws {
    for _ in 1...10 { for device in devices { try await device.sync(remote) } }
    for device in devices {
      let last = try await device.sync(remote)
      #expect(last.requests == 1 && last.findings.isEmpty, "\(device.client): \(last.findings)")
      #expect(try device.notes == devices[0].notes)
    }
  }

  func isWaiting(_ report: SyncReport) -> Bool { report.findings.contains { $0.waitsFor != nil } }

  /// A copy of the store of `a`, and storage on which it goes on without anybody's seeing it.
  func copyOfA() throws -> (device: Device, remote: MemoryBackend) {
    let copy = Device("device-a-copy", in: workplace)
    try copy.restore(try a.backUp())
    return (copy, remote.copy())
  }

  func remove(_ sequence: UInt64, of author: AuthorID) async throws {
    for path in remote.paths({ SetName($0).flatMap { $0.sequence == sequence ? $0 : nil } })
    where path.parent == DocumentHierarchy.notes.changes(of: author) {
      try await remote.remove(path)
    }
  }

  @Test func `what one device has merged outlives its author's store and the storage`() async throws {
    for device in [a, b, c] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    for device in [b, c] { try await device.sync(remote) }
    let (backup, earlier) = (try a.backUp(), remote.copy())
    try await write(["two"], on: a, remote)
    try await b.sync(remote)

    remote.restore(earlier)
    try a.restore(backup)
    try await write(["three"], on: a, remote)
    try await settle([a, b, c])

    #expect(try c.notes == ["one: text", "three: text", "two: text"])
  }

  @Test func `a set without a head that one device has merged is mentioned, and merged by all`() async throws
  {
    for device in [a, b, c] { try await device.register(remote) }
    try await write(["one", "two"], on: a, remote)
    for device in [b, c] { try await device.sync(remote) }
    let (backup, author) = (try a.backUp(), try a.author)
    try a.write("three", "text")
    let faulty = FaultyBackend(remote, after: 2, .requestLost)
    await #expect(throws: SyncError.self) { try await a.sync(faulty) }
    try a.restore(backup)
    for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
      try await remote.remove(path)
    }
    // Found without a head, for that is lost.
    try await b.sync(remote)
    try #require(try b.notes.contains("three: text"))

    try await settle([a, b, c])

    #expect(try c.notes == ["one: text", "three: text", "two: text"])
    #expect(try a.author != author)
  }

  @Test func `a set without a head is named before anything is sent that builds on it`()
    async throws
  {
    for device in [a, b, c] { try await device.register(remote) }
    try await write(["one", "two"], on: a, remote)
    for device in [b, c] { try await device.sync(remote) }
    let (backups, author) = (try [a, b].map { try $0.backUp() }, try a.author)
    try a.write("three", "text")
    let faulty = FaultyBackend(remote, after: 2, .requestLost)
    await #expect(throws: SyncError.self) { try await a.sync(faulty) }
    for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
      try await remote.remove(path)
    }
    try await b.sync(remote)
    try #require(try b.notes.contains("three: text"))
    try b.write("three", "text of b")
    try await b.sync(remote)
    for (device, backup) in zip([a, b], backups) { try device.restore(backup) }

    try await settle([a, b, c])

    #expect(try c.notes == ["one: text", "three: text of b", "two: text"])
  }

  @Test func `an author without a head whose earlier set is mentioned has all sets looked for`() async throws
  {
    let removeHeads = { (author: AuthorID) in
      for path in remote.paths({ HeadName($0).flatMap { $0.author == author ? $0 : nil } }) {
        try await remote.remove(path)
      }
    }
    for device in [a, b, c] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    let author = try a.author
    for device in [b, c] { try await device.sync(remote) }
    try await removeHeads(author)
    for _ in 1...3 { try await b.sync(remote) }
    try #require(!remote.paths({ Mention($0) }).isEmpty)
    try await write(["two"], on: a, remote)
    try await removeHeads(author)
    let d = Device("device-d", in: workplace)

    try await d.register(remote)
    try await settle([b, c, d])

    #expect(try d.notes == ["one: text", "two: text"])
  }

  @Test func `a vacuum leaves what names a branch as long as it lacks what a newer head names`() async throws
  {
    for device in [a, b] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    let author = try a.author
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1", "x2"], on: a, remote)
    try await write(["y1"], on: copy, elsewhere)
    elsewhere.meet(remote)
    // The head of the other branch has arrived, and not yet the set that it names.
    let last = try #require(
      elsewhere.paths({ SetName($0).flatMap { $0.sequence == 3 ? $0 : nil } })
        .first { $0.parent == DocumentHierarchy.notes.changes(of: author) })
    elsewhere.hide(last)

    try await copy.vacuum(elsewhere)
    elsewhere.showAll()

    // Nobody hears of that copy any more.
    try await b.sync(elsewhere)
    #expect(try b.notes.contains("y1: text"))
  }

  @Test func `a branch is merged back to where it parts, though sets of the other are gone`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    let author = try a.author
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1", "x2", "x3"], on: a, remote)
    try await b.sync(remote)
    try await write(["y1", "y2", "y3"], on: copy, elsewhere)
    for sequence in UInt64(2)...3 { try await remove(sequence, of: author) }
    remote.meet(elsewhere)

    try await b.sync(remote)

    #expect(try b.notes == ["one", "x1", "x2", "x3", "y1", "y2", "y3"].map { "\($0): text" })
    try await settle([a, b, copy])
  }

  @Test func `what another branch goes on from is merged, though it comes late`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1"], on: a, remote)
    try await b.sync(remote)
    try await write(["x2", "x3"], on: a, remote)
    try await write(["y1", "y2"], on: copy, elsewhere)
    let late = try #require(elsewhere.paths { SetName($0).flatMap { $0.sequence == 1 ? $0 : nil } }.first)
    let bytes = try #require(elsewhere.files[late])
    try await elsewhere.remove(late)
    remote.meet(elsewhere)
    try await b.sync(remote)
    try #require(try b.notes == ["x1", "x2", "x3", "y2"].map { "\($0): text" })

    try await remote.upload(bytes, to: late)
    for _ in 1...3 { try await b.sync(remote) }

    #expect(try b.notes == ["x1", "x2", "x3", "y1", "y2"].map { "\($0): text" })
    try await settle([a, b, copy])
  }

  @Test func `a statement covers no branch that whoever made it has not merged`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    let author = try a.author
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1", "x2"], on: a, remote)
    try await b.sync(remote)
    try await remove(2, of: author)
    try await c.register(remote)
    for _ in 1...9 { try await c.sync(remote) }
    try #require(try await b.sync(remote).findings.contains(.retired(author: author)))
    try await c.sync(remote)
    try #require(try c.notes == b.notes)

    try await write(["y1", "y2"], on: copy, elsewhere)
    remote.meet(elsewhere)
    try await settle([b, c, copy])

    #expect(try c.notes == ["one", "x1", "x2", "y1", "y2"].map { "\($0): text" })
  }

  @Test func `a store that was restored to before what others have said again goes on as a new author`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    try await write(["one"], on: a, remote)
    let (backup, author) = (try a.backUp(), try a.author)
    try await write(["two", "three"], on: a, remote)
    try await b.sync(remote)
    try await remove(2, of: author)
    try await c.register(remote)
    for _ in 1...9 { try await c.sync(remote) }
    try #require(try await b.sync(remote).findings.contains(.retired(author: author)))

    try a.restore(backup)
    try await write(["four"], on: a, remote)
    try await settle([a, b, c])

    #expect(try a.author != author)
    #expect(try c.notes == ["four", "one", "three", "two"].map { "\($0): text" })
  }

  @Test func `what a former self has written and nobody keeps is said again`() async throws {
    let a = Device("device-a", in: workplace, keptBytes: 0)
    for device in [a, b] { try await device.register(remote) }
    try await write(["one", "two"], on: a, remote)
    let (backup, author) = (try a.backUp(), try a.author)
    try await write(["three"], on: a, remote)
    try a.restore(backup)
    try await a.sync(remote)
    try #require(try a.author != author)
    try await remove(1, of: author)

    try await settle([a, b])

    #expect(try b.notes == ["one", "three", "two"].map { "\($0): text" })
  }

  @Test func `a statement that arrived in part is read again`() async throws {
    let a = Device("device-a", in: workplace, keptBytes: 0)
    for device in [a, b] { try await device.register(remote) }
    try await write(["one", "two", "three"], on: a, remote)
    try await b.sync(remote)
    let author = try a.author
    try await remove(2, of: author)
    try await c.register(remote)
    for _ in 1...3 { try await c.sync(remote) }
    let heads = remote.files.filter { $0.key.name.flatMap { HeadName($0) }?.author == author }
    for _ in 1...3 { try await a.sync(remote) }
    // The head of the former author is there still, as it may be where files come and go in any order.
    for (path, bytes) in heads { try await remote.upload(bytes, to: path) }
    let statement = try #require(remote.paths { Supersession($0) }.first)
    let whole = try #require(remote.files[statement])
    remote.tamper(statement) { $0 = Array($0.prefix(20)) }
    try #require(isWaiting(try await c.sync(remote)))

    remote.tamper(statement) { $0 = whole }
    try await c.sync(remote)

    #expect(try c.notes == a.notes)
    #expect(!isWaiting(try await c.sync(remote)))
  }

  @Test func `a set that no head has ever named and that is damaged is waited for by nobody`() async throws {
    try await a.register(remote)
    try a.write("one", "text")
    // The heads, the folder of sets and the set.
    let faulty = FaultyBackend(remote, after: 3, .requestLost)
    await #expect(throws: SyncError.self) { try await a.sync(faulty) }
    let set = try #require(remote.paths { SetName($0) }.first)
    remote.tamper(set) { $0 = Array($0.prefix(5)) }
    for path in remote.paths({ HeadName($0) }) { try await remote.remove(path) }
    try await b.register(remote)
    #expect(try await !isWaiting(b.sync(remote)))
  }

  @Test func `the end of a branch is made known once what follows it is given up`() async throws {
    for device in [a, b, c] { try await device.register(remote) }
    let (copy, elsewhere) = try copyOfA()
    try await write(["y1"], on: copy, elsewhere)
    try await b.sync(elsewhere)
    try await write(["y2"], on: copy, elsewhere)
    let y2 = try #require(elsewhere.paths { SetName($0).flatMap { $0.sequence == 2 ? $0 : nil } }.first)
    elsewhere.tamper(y2) { $0 = Array($0.prefix(5)) }
    try await write(["x1"], on: a, remote)
    try await c.sync(remote)
    remote.meet(elsewhere)
    for _ in 1...9 { for device in [a, b, c] { try await device.sync(remote) } }

    workplace.clock.advance(month)
    try await settle([a, b, c])

    #expect(try c.notes == ["x1: text", "y1: text"])
  }

  @Test func `the end of a branch is made known though its head was lost before it came`() async throws {
    for device in [a, b, c] { try await device.register(remote) }
    let (copy, elsewhere) = try copyOfA()
    try await write(["x1"], on: a, remote)
    for device in [b, c] { try await device.sync(remote) }
    try await write(["y1"], on: copy, elsewhere)
    let y1 = try #require(elsewhere.paths { SetName($0) }.first)
    let head = try #require(elsewhere.paths { HeadName($0).flatMap { $0.sequence == 1 ? $0 : nil } }.first)
    let bytes = try #require(elsewhere.files[y1])
    try await elsewhere.remove(y1)
    remote.meet(elsewhere)
    try #require(try await isWaiting(b.sync(remote)))

    try await remote.remove(head)
    try await remote.upload(bytes, to: y1)
    for _ in 1...4 { try await b.sync(remote) }
    try #require(try b.notes == ["x1: text", "y1: text"])

    try await c.sync(remote)
    #expect(try c.notes == b.notes)
    try await settle([a, b, c, copy])
  }

  @Test func `mentions that were invented are not looked at`() async throws {
    for device in [a, b] { try await device.register(remote, .password("pass")) }
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let set = SetName(sequence: 4, hash: ContentHash(of: [1]))
    let forged = Mention(author: try a.author, set: set, code: code)
    try await remote.upload([], to: DocumentHierarchy.notes.file(of: forged))
    let author = try a.author
    let report = try await b.sync(remote)
    #expect(report.findings.contains { if case .unverifiedHeads(1, _) = $0 { true } else { false } })
    #expect(!isWaiting(report))
    try await a.sync(remote)
    #expect(try a.author == author)
  }
}
