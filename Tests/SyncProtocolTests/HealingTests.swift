import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What storage loses is put back by whoever has it.
@Suite struct HealingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// a and b are registered; a has pushed so many sets, which b has merged.
  private func prepare(
    sets: Int, by a: Device, _ encryption: EncryptionChoice = .none
  ) async throws -> [RemotePath] {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
    for number in 1...sets {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    try await b.sync(remote)
    return setFiles
  }

  private var setFiles: [RemotePath] {
    remote.files.keys.filter { $0.name.flatMap { SetName($0) } != nil }.sorted()
  }

  private func join(_ encryption: EncryptionChoice = .none) async throws -> SyncReport {
    try await c.register(remote, encryption)
    return try await c.sync(remote)
  }

  private func isWaiting(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .waiting = $0 { true } else { false } }
  }

  private let document = DocumentHierarchy.notes

  @Test(arguments: [false, true])
  func `what a rolled-back remote lacks is sent again`(_ isEncrypted: Bool) async throws {
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    _ = try await prepare(sets: 1, by: a, encryption)
    let earlier = remote.copy()
    for number in 2...3 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    remote.restore(earlier)
    let report = try await a.sync(remote)
    #expect(try report.findings.contains(.resent(author: a.author, count: 2)))
    let joined = try await join(encryption)
    #expect(!isWaiting(joined))
    #expect(try c.notes == a.notes)
    // The name of the device that has joined.
    #expect(try await a.sync(remote).requests == 2)
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test func `a head that was lost is published again, and nothing is sent again`() async throws {
    _ = try await prepare(sets: 2, by: a)
    for head in remote.files.keys.filter({ $0.name.flatMap { HeadName($0) }?.sequence == 2 }) {
      try await remote.remove(head)
    }
    let report = try await a.sync(remote)
    #expect(!report.findings.contains { if case .resent = $0 { true } else { false } })
    _ = try await join()
    #expect(try c.notes == a.notes)
  }

  @Test(arguments: [0, 7]) func `a damaged set is sent again when somebody asks for it`(_ size: Int)
    async throws
  {
    let files = try await prepare(sets: 2, by: a)
    remote.tamper(files[0]) { $0 = [UInt8](repeating: 0, count: size == 0 ? $0.count : size) }
    #expect(isWaiting(try await join()))
    #expect(isWaiting(try await c.sync(remote)))
    #expect(remote.snapshot.contains(".resend"))
    #expect(try await a.sync(remote).findings.contains(.resent(author: a.author, count: 1)))
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
    try await c.sync(remote)
    #expect(!remote.snapshot.contains(".resend"))
  }

  @Test func `a request is answered once, however long it lies there`() async throws {
    _ = try await prepare(sets: 2, by: a)
    let request = try await a.protection().request(
      asker: AuthorID(bits: 7), subject: .set(author: try a.author, sequence: 1), count: 1)
    try await remote.upload([], to: document.file(of: request))
    #expect(try await a.sync(remote).findings.contains(.resent(author: a.author, count: 1)))
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test func `requests that were invented cost a bounded number of requests`() async throws {
    _ = try await prepare(sets: 2, by: a)
    for number in 1...100 {
      let request = try await a.protection().request(
        asker: AuthorID(bits: UInt64(number)), subject: .set(author: try a.author, sequence: 1), count: 1)
      try await remote.upload([], to: document.file(of: request))
    }
    #expect(try await a.sync(remote).requests <= 20)
    #expect(try a.remembered("asked") <= 4_096)
  }

  @Test func `requests and statements with the code of nobody are not looked at`() async throws {
    _ = try await prepare(sets: 2, by: a, .password("pass"))
    let (own, other) = (try a.author, AuthorID(bits: 7))
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let request = ResendRequest(
      asker: other, subject: .set(author: own, sequence: 1), count: 1, code: code)
    let statement = Supersession(author: other, restated: 0, former: own, through: 2, code: code)
    for path in [document.file(of: request), document.file(of: statement)] {
      try await remote.upload([], to: path)
    }
    let report = try await b.sync(remote)
    #expect(report.findings.count == 1)
    #expect(report.findings.contains { if case .unverifiedHeads(2, _) = $0 { true } else { false } })
    #expect(try await !a.sync(remote).findings.contains(.resent(author: own, count: 1)))
    #expect(try await a.status().asking.isEmpty)
  }

  // MARK: What is not kept

  @Test func `what nobody has any more is said again under a new author, and nobody waits for it`()
    async throws
  {
    let a = Device("device-a", in: workplace, keptBytes: 0)
    _ = try await prepare(sets: 3, by: a)
    let former = try a.author
    for file in setFiles.dropLast() { try await remote.remove(file) }
    for head in remote.files.keys.filter({ $0.name.flatMap { HeadName($0) }?.author == former }) {
      try await remote.remove(head)
    }

    for _ in 1...2 { try await a.sync(remote) }
    #expect(try a.author != former)
    var joined = try await join()
    joined = try await c.sync(remote)

    #expect(!isWaiting(joined))
    #expect(try c.notes == a.notes)
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
    try a.write("note 4", "text")
    try await a.sync(remote)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
    for device in [a, b, c, a, b, c] { try await device.sync(remote) }
    for device in [a, b, c] { #expect(try await device.sync(remote).requests == 1) }
  }

  @Test func `a set that is damaged and not kept is said again when somebody asks for it`() async throws {
    let a = Device("device-a", in: workplace, keptBytes: 0)
    let files = try await prepare(sets: 3, by: a)
    remote.tamper(files[1]) { $0 = [] }
    _ = try await join()
    try await c.sync(remote)
    let report = try await a.sync(remote)
    #expect(report.findings.contains { if case .restated = $0 { true } else { false } })
    for device in [c, b, c] { try await device.sync(remote) }
    #expect(try c.notes == a.notes)
    #expect(try b.notes == a.notes)
    #expect(!isWaiting(try await c.sync(remote)))
  }

  @Test func `who asks for what is there and sound makes nobody say anything again`() async throws {
    let a = Device("device-a", in: workplace, keptBytes: 0)
    _ = try await prepare(sets: 3, by: a)
    let author = try a.author
    let request = try await a.protection().request(
      asker: AuthorID(bits: 7), subject: .set(author: author, sequence: 2), count: 1)
    try await remote.upload([], to: document.file(of: request))
    for _ in 1...3 { try await a.sync(remote) }
    #expect(try a.author == author)
  }

  @Test func `what a device wrote that is gone is said again by one that has merged it`() async throws {
    let files = try await prepare(sets: 3, by: a)
    try await remote.remove(files[1])
    _ = try await join()
    for _ in 1...9 { try await c.sync(remote) }
    let report = try await b.sync(remote)
    #expect(try report.findings.contains(.retired(author: a.author)))
    for device in [c, c] { try await device.sync(remote) }
    #expect(try c.notes == a.notes)
    #expect(!isWaiting(try await c.sync(remote)))
    try a.write("note 4", "text")
    for device in [a, b, c, a, b, c] { try await device.sync(remote) }
    for device in [b, c] { #expect(try device.notes == a.notes) }
    for device in [a, b, c] { #expect(try await device.sync(remote).requests == 1) }
  }

  @Test func `who asks again and again for what is there and sound retires nobody`() async throws {
    _ = try await prepare(sets: 2, by: a)
    let request = try await a.protection().request(
      asker: AuthorID(bits: 7), subject: .set(author: try a.author, sequence: 1), count: 9_999)
    try await remote.upload([], to: document.file(of: request))
    let author = try b.author
    for _ in 1...3 { try await b.sync(remote) }
    #expect(try b.author == author)
  }

  @Test func `a statement that its author did not seal makes nobody pass over anything`() async throws {
    let files = try await prepare(sets: 2, by: a, .password("pass"))
    remote.hide(files[0])
    try b.write("of b", "text")
    try await b.sync(remote)
    let forged = try await b.protection().supersession(
      author: try b.author, restated: 1, former: try a.author, through: 2)
    let content = Supersession.Content(chain: ContentHash(of: []), sets: [])
    try await remote.upload(content.bytes, to: document.file(of: forged))
    _ = try await join(.password("pass"))
    let report = try await c.sync(remote)
    #expect(isWaiting(report))
    remote.showAll()
    try await c.sync(remote)
    #expect(try c.notes == a.notes + b.notes.filter { $0.contains("of b") })
  }

  @Test
  func `a statement about more sets than anybody can write is ignored, and named as long as it lies there`()
    async throws
  {
    _ = try await prepare(sets: 2, by: a)
    let invented = AuthorID(bits: 0xaa00)
    let statement = try await b.protection().supersession(
      author: AuthorID(bits: 1), restated: 0, former: invented, through: 9_999_999_999)
    let content = Supersession.Content(chain: ContentHash(of: []), sets: [])
    try await remote.upload(content.bytes, to: document.file(of: statement))
    for _ in 1...2 {
      for device in [a, b] {
        #expect(try await device.sync(remote).findings.contains(.statementRefused(statement)))
      }
    }
    try await remote.remove(document.file(of: statement))
    try a.write("later", "text")
    for device in [a, b, a, b] { try await device.sync(remote) }
    for device in [a, b] {
      let report = try await device.sync(remote)
      #expect(report.findings.isEmpty)
      #expect(report.requests == 1)
      #expect(try await device.status().replica.applied.contains { $0.author == invented } == false)
    }
    let upload = try await a.manager(remote).uploadStore().contents
    #expect(upload.total < 100)
  }

  // MARK: Long values

  @Test(arguments: [false, true])
  func `a long value of zeros is replaced by a device that has it`(_ isEncrypted: Bool) async throws {
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    try await a.register(remote, encryption)
    try a.write("long", String(repeating: "value ", count: 10_000))
    try await a.sync(remote)
    let file = try #require(remote.files.keys.first { $0.name.flatMap { LongValueName($0) } != nil })
    remote.tamper(file) { $0 = [UInt8](repeating: 0, count: $0.count) }

    _ = try await join(encryption)
    try await a.sync(remote)
    try await c.sync(remote)

    #expect(try c.notes == a.notes)
    try await c.sync(remote)
    #expect(!remote.snapshot.contains(".resend"))
  }

  @Test func `a long value of zeros is replaced by whoever writes the value again`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    let text = String(repeating: "value ", count: 10_000)
    try a.write("long", text)
    try await a.sync(remote)
    let file = try #require(remote.files.keys.first { $0.name.flatMap { LongValueName($0) } != nil })
    remote.tamper(file) { $0 = [UInt8](repeating: 0, count: $0.count) }
    try b.write("copy", text)
    try await b.sync(remote)
    _ = try await join()
    #expect(try c.notes == a.notes + b.notes.filter { $0.contains("copy") } || c.notes.count == 2)
  }

  @Test func `a folder of heads that was lost is no lost document`() async throws {
    _ = try await prepare(sets: 1, by: a)
    try await remote.remove(document.recentSyncs)
    try await a.sync(remote)
    try await b.sync(remote)
    _ = try await join()
    #expect(try c.notes == a.notes)
  }

  // MARK: A remote that was wiped

  @Test(arguments: [false, true])
  func `a remote that was wiped is refilled by any device`(_ isEncrypted: Bool) async throws {
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    _ = try await prepare(sets: 2, by: a, encryption)
    try b.write("of b", "text")
    try await b.sync(remote)
    try await a.sync(remote)
    try a.delete("note 1")
    try await a.sync(remote)
    try await b.sync(remote)
    try await remote.remove(document.application.root)
    let error = await #expect(throws: SyncError.self) { try await b.sync(remote) }
    #expect(error?.code == .documentNotFound)

    try await b.refill(remote)
    _ = try await join(encryption)

    #expect(try c.notes == ["note 2: text", "of b: text"])
    for device in [a, b, c, a, b, c] { try await device.sync(remote) }
    for device in [a, b] { #expect(try device.notes == c.notes) }
    for device in [a, b, c] { #expect(try await device.sync(remote).requests == 1) }
  }

  @Test(arguments: [FaultyBackend.Fault.requestLost, .answerLost])
  func `a refill that is cut off at any request is completed by the next`(_ fault: FaultyBackend.Fault)
    async throws
  {
    _ = try await prepare(sets: 2, by: a)
    try b.write("of b", "text")
    try await remote.remove(document.application.root)
    let (empty, backup) = (remote.copy(), try b.backUp())
    var requests = 0
    while true {
      remote.restore(empty)
      try b.restore(backup)
      let faulty = FaultyBackend(remote, after: requests, fault)
      _ = try? await b.refill(faulty)
      guard faulty.hasFailed else { break }
      try await b.refill(remote)
      let newcomer = Device("newcomer-\(requests)", in: workplace)
      try await newcomer.register(remote)
      for _ in 1...2 { try await newcomer.sync(remote) }
      #expect(try newcomer.notes == ["note 1: text", "note 2: text", "of b: text"], "cut off at \(requests)")
      requests += 3
    }
    #expect(requests > 15)
  }

  @Test func `a document that another took the place of is not filled with the former one`() async throws {
    _ = try await prepare(sets: 1, by: a)
    try await remote.remove(document.application.root)
    try await c.register(remote)
    let before = remote.files
    let error = await #expect(throws: SyncError.self) { try await a.refill(remote) }
    #expect(error?.code == .documentReplaced)
    #expect(remote.files == before)
  }

  @Test func `two devices that refill at once lose nothing`() async throws {
    _ = try await prepare(sets: 2, by: a)
    try await a.sync(remote)
    try a.write("only a", "text")
    try b.write("only b", "text")
    try await remote.remove(document.application.root)
    try await a.refill(remote)
    try await b.refill(remote)
    for device in [a, b, a, b] { try await device.sync(remote) }
    _ = try await join()
    try await c.sync(remote)
    #expect(try a.notes.count == 4)
    #expect(try b.notes == a.notes)
    #expect(try c.notes == a.notes)
  }
}
