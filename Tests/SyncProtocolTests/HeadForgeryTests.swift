import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Heads that somebody has forged, replayed, emptied or removed.
@Suite struct HeadForgeryTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  /// Both registered, and so many sets of `a` on the remote, of which `b` has everything.
  private func prepare(sets: Int, _ encryption: EncryptionChoice = .password("pass")) async throws {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
    for number in 1...sets {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    for device in [b, a, b] { try await device.sync(remote) }
  }

  private func forge(_ sequence: UInt64, seen: UInt64 = 0, by author: AuthorID) async throws {
    let hash = ContentHash(of: Array("\(sequence).\(seen)".utf8))
    try await remote.upload(
      [],
      to: DocumentHierarchy.notes.file(
        of: HeadName(author: author, sequence: sequence, seen: seen, hash: hash)))
  }

  @Test func `a head with the next sequence and an invented hash blocks nobody`() async throws {
    try await prepare(sets: 2)
    try await forge(3, by: a.author)
    try a.write("note 3", "text")
    try await a.sync(remote)
    let report = try await b.sync(remote)
    #expect(try b.notes == a.notes)
    #expect(report.findings.count == 1)
    #expect(report.findings.contains { if case .unverifiedHeads(1, _) = $0 { true } else { false } })
  }

  @Test func `forged heads cost nothing lasting, are told as one finding, and are forgotten when they go`()
    async throws
  {
    try await prepare(sets: 2)
    let author = try a.author
    for number in UInt64(1)...200 { try await forge(number, seen: number, by: author) }
    var requests = 0
    for _ in 0..<128 {
      let report = try await b.sync(remote)
      requests += report.requests
      #expect(report.findings.count == 1)
    }
    // One listing each, and a closer look after 0, 1, 2, 4 … 64 synchronisations.
    #expect(requests <= 128 + 9 * 3)
    for path in remote.files.keys where remote.files[path] == [] { try await remote.remove(path) }
    let report = try await b.sync(remote)
    #expect(report.requests == 1 && report.findings.isEmpty)
  }

  @Test func `a forged head cannot make a device take a new author`() async throws {
    try await prepare(sets: 1)
    let author = try a.author
    try await forge(9, by: author)
    let report = try await a.sync(remote)
    #expect(report.findings.contains { if case .unverifiedHeads(1, _) = $0 { true } else { false } })
    #expect(try a.author == author)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `old own heads that are put back force no new author, and are tidied up`(
    _ encryption: EncryptionChoice
  )
    async throws
  {
    try await prepare(sets: 1, encryption)
    var old: [RemotePath: [UInt8]] = [:]
    for number in 0..<80 {
      let own = try a.author.description
      for path in remote.paths({ HeadName($0) }) where path.name?.description.hasPrefix(own) == true {
        old[path] = remote.files[path]
      }
      try a.write("note \(number)", "changed")
      try await a.sync(remote)
    }
    for (path, bytes) in old { try await remote.upload(bytes, to: path) }
    let author = try a.author
    let report = try await a.sync(remote)
    #expect(try a.author == author)
    #expect(report.findings.isEmpty)
    // The other device has all that they name.
    try await b.sync(remote)
    let idle = try await b.sync(remote)
    #expect(idle.requests == 1 && idle.findings.isEmpty)
    try a.write("last", "text")
    try await a.sync(remote)
    let own = remote.paths { HeadName($0) }.filter {
      $0.name?.description.hasPrefix(author.description) == true
    }
    #expect(own.count == 1)
  }

  @Test func `old heads of others that are put back cost no fetch`() async throws {
    try await prepare(sets: 1)
    var old: [RemotePath: [UInt8]] = [:]
    for number in 0..<20 {
      for path in remote.paths({ HeadName($0) }) { old[path] = remote.files[path] }
      try a.write("note \(number)", "changed")
      try await a.sync(remote)
    }
    try await b.sync(remote)
    for (path, bytes) in old { try await remote.upload(bytes, to: path) }
    for _ in 0..<3 {
      let report = try await b.sync(remote)
      #expect(report.requests <= 2)
      #expect(report.pulledSets == 0)
    }
  }

  // MARK: Lost heads

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `an author whose head was lost is not hidden from whoever joins`(_ encryption: EncryptionChoice)
    async throws
  {
    try await prepare(sets: 5, encryption)
    let author = try a.author
    for path in remote.paths({ HeadName($0) })
    where path.name?.description.hasPrefix(author.description) == true {
      try await remote.remove(path)
    }
    let c = Device("device-c", in: workplace)
    try await c.register(remote, encryption)
    let report = try await c.sync(remote)
    #expect(try c.notes == a.notes)
    #expect(report.findings.contains(.headMissing(author: author)))
    // It is looked into with growing pauses, until the author publishes a head anew.
    var requests = 0
    for _ in 0..<64 { requests += try await c.sync(remote).requests }
    #expect(requests <= 64 + 8 * 4)
    try await a.sync(remote)
    let idle = try await c.sync(remote)
    #expect(idle.findings.isEmpty)
  }

  @Test func `what an author wrote before its heads were lost is found after the listing fell back`()
    async throws
  {
    try await prepare(sets: 2)
    let before = remote.copy()
    try a.write("note 3", "text")
    try await a.sync(remote)
    let sets = remote.files
    // Its head falls back, its sets do not.
    remote.restore(before)
    for (path, bytes) in sets where path.name.flatMap({ SetName($0) }) != nil {
      try await remote.upload(bytes, to: path)
    }
    for path in remote.paths({ HeadName($0) })
    where path.name?.description.hasPrefix(try a.author.description) == true {
      try await remote.remove(path)
    }
    let report = try await b.sync(remote)
    #expect(try b.notes == a.notes)
    #expect(report.findings.contains(.headMissing(author: try a.author)))
  }

  /// A device uploads a set, and is killed before a head names it.
  private func uploadNameless(_ device: Device) async throws -> RemotePath? {
    let before = Set(remote.paths { SetName($0) })
    for requests in 0..<32 {
      _ = await failure { try await device.sync(FaultyBackend(remote, after: requests, .requestLost)) }
      if let path = remote.paths({ SetName($0) }).first(where: { !before.contains($0) }) { return path }
    }
    return nil
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `of a set that no head came to name and that is damaged, people are told for 30 days`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await prepare(sets: 1, encryption)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, encryption)
    for device in [a, b, c] { try await device.sync(remote) }
    try c.write("by c", "text")
    let path = try #require(try await uploadNameless(c))
    try await a.remove(c, remote)
    remote.tamper(path) { $0.removeLast() }
    let former = try c.author
    try await c.rejoin(remote)
    let devices = [a, b]
    func told(_ finding: SyncFinding, in syncs: Int) async throws -> Set<String> {
      var told: Set<String> = []
      for _ in 0..<syncs {
        for device in devices where try await device.sync(remote).findings.contains(finding) {
          told.insert(device.client)
        }
      }
      return told
    }
    #expect(try await told(.headMissing(author: former), in: 9) == ["device-a", "device-b"])
    for device in devices { #expect(try device.shows("by c")) }
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    // Who was away for that long looks once more before.
    #expect(
      try await told(.givenUp(author: former, sequence: 1), in: 3) == ["device-a", "device-b"])
    #expect(try await told(.headMissing(author: former), in: 130).isEmpty)
    #expect(try await told(.givenUp(author: former, sequence: 1), in: 130).isEmpty)
  }

  /// A third device without a head, whose set no head has named.
  private func prepareHeadless() async throws -> (device: Device, set: RemotePath) {
    try await prepare(sets: 1)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, .password("pass"))
    for device in [a, b, c] { try await device.sync(remote) }
    try c.write("by c", "text")
    let path = try #require(try await uploadNameless(c))
    let author = try c.author
    for head in remote.paths({ HeadName($0) })
    where head.name?.description.hasPrefix(author.description) == true {
      try await remote.remove(head)
    }
    return (c, path)
  }

  @Test func `a set that no head names is merged if it becomes whole after people are told no more`()
    async throws
  {
    let (_, path) = try await prepareHeadless()
    let whole = try #require(remote.files[path])
    remote.tamper(path) { $0.removeLast() }
    for _ in 0..<3 { try await b.sync(remote) }
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    for _ in 0..<3 { try await b.sync(remote) }
    try await remote.upload(whole, to: path)
    for _ in 0..<64 { try await b.sync(remote) }
    #expect(try b.shows("by c"))
  }

  @Test func `an author whose head comes is sought no more, and not given up later`() async throws {
    let (c, path) = try await prepareHeadless()
    let author = try c.author
    remote.tamper(path) { $0.removeLast() }
    #expect(try await b.sync(remote).findings.contains(.headMissing(author: author)))
    #expect(try b.remembered("headless") == 1)
    try await c.sync(remote)
    for _ in 0..<2 { try await b.sync(remote) }
    #expect(try b.shows("by c") && b.remembered("headless") == 0)
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    for _ in 0..<3 { #expect(try await b.sync(remote).findings.isEmpty) }
    #expect(try await b.sync(remote).requests == 1)
  }

  // MARK: Forks

  @Test func `a fork that never arrives is given up after 30 days`() async throws {
    try await prepare(sets: 1, .none)
    let copy = Device("device-a-copy", in: workplace)
    try copy.restore(try a.backUp())
    let elsewhere = remote.copy()
    try copy.write("by copy", "text")
    try await copy.sync(elsewhere)
    // Only the head of the copy arrives.
    let author = try a.author
    try a.write("note 2", "text")
    try await a.sync(remote)
    try a.write("note 3", "text")
    try await a.sync(remote)
    try await b.sync(remote)
    let head = try #require(
      elsewhere.files.first {
        $0.key.name.flatMap { HeadName($0) }.map { $0.author == author && $0.sequence == 2 } ?? false
      })
    try await remote.upload(head.value, to: head.key)

    var requests = 0
    for _ in 0..<32 { requests += try await b.sync(remote).requests }
    // It is looked for with growing pauses, and asked for by a file that is replaced as often.
    #expect(requests <= 32 + 7 + 7 * 2)
    workplace.clock.advance(31 * 24 * 60 * 60 * 1_000)
    let last = try await b.sync(remote)
    #expect(last.findings.contains(.givenUp(author: author, sequence: 2)))
    // Whether a whole store contains it is looked at with growing pauses, too.
    requests = 0
    for _ in 0..<16 {
      let idle = try await b.sync(remote)
      #expect(idle.findings.isEmpty)
      requests += idle.requests
    }
    #expect(requests <= 16 + 5)
  }
}
