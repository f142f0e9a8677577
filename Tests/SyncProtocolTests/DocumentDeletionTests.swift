import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What becomes of devices whose document somebody deletes.
@Suite struct DocumentDeletionTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private let document = DocumentHierarchy.notes

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `where nothing of the application lies, nothing is deleted, and nothing written`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await remote.share(a, b, encryption)
    let other = MemoryBackend()

    let error = await failure { try await a.deleteDocument(other) }

    #expect(error?.code == .documentNotFound)
    #expect(other.files.isEmpty)
    try await b.sync(remote)
  }

  @Test func `a removed device is told that the document was deleted since`() async throws {
    try await remote.share(a, b, .password("pass"))
    try await a.sync(remote)
    try await a.remove(b, remote)
    #expect(await failure { try await b.sync(remote) }?.code == .deviceRemoved)

    try await a.deleteDocument(remote)

    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `nothing is left but a note of it, and the others are told by whom`(_ encryption: EncryptionChoice)
    async throws
  {
    try await remote.share(a, b, encryption)
    try b.write("three", "not pushed")
    try await a.deleteDocument(remote)
    #expect(!remote.contains(below: document.root))
    #expect(remote.paths { DeletionName($0) }.count == 1)

    let error = await failure { try await b.sync(remote) }
    #expect(error?.code == .documentDeleted)
    #expect(error?.message.contains("Device device-a") == true)
    #expect(try b.notes == ["one: by a", "three: not pushed", "two: by b"])
    #expect(!remote.contains(below: document.root))
  }

  @Test func `whoever deleted it is told as well`() async throws {
    try await remote.share(a, b)
    try await a.deleteDocument(remote)
    #expect(await failure { try await a.sync(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.register(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.refill(remote) }?.code == .documentDeleted)
  }

  @Test func `another document may have the name, and gets nothing of the former one`() async throws {
    try await remote.share(a, b)
    try await a.deleteDocument(remote)
    let c = Device("device-c", in: workplace)
    try await c.register(remote)
    try c.write("anew", "by c")
    try await c.sync(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    try await c.sync(remote)
    #expect(try c.notes == ["anew: by c"])
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `a deletion that is interrupted is completed by the next one, and nobody puts anything back`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    try await remote.share(a, b)
    let complete = remote.files
    var requests = 0
    while true {
      let remote = MemoryBackend()
      for (path, bytes) in complete { try await remote.place(bytes, at: path) }
      let faulty = FaultyBackend(remote, after: requests, fault)
      let outcome = await failure { try await a.deleteDocument(faulty) }
      guard faulty.hasFailed else { break }
      #expect(outcome == nil || outcome?.code == .storage)
      let isDeleted = !remote.paths { DeletionName($0) }.isEmpty
      let c = Device("device-c-\(requests)", in: workplace)
      if isDeleted {
        let founded = remote.paths { FoundingName($0) }
        #expect(await failure { try await c.register(remote, mayCreate: false) } != nil, "after \(requests)")
        #expect(remote.paths { FoundingName($0) } == founded)
      }
      try await a.deleteDocument(remote)
      #expect(!remote.contains(below: document.root), "after \(requests)")
      requests += 1
    }
    #expect(requests > 6)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func
    `what storage delivers late of a deleted document is joined by nobody, and newcomers are told by whom it was deleted`(
      _ encryption: EncryptionChoice
    ) async throws
  {
    try await remote.share(a, b, encryption)
    let files = remote.files
    try await a.deleteDocument(remote)
    try await remote.putBack(files, of: document)
    let c = Device("device-c", in: workplace)
    for _ in 1...2 {
      let error = await failure { try await c.register(remote, encryption) }
      #expect(error?.code == .documentDeleted)
      #expect(error?.message.contains("Device device-a") == true)
    }
    #expect(await failure { try await b.register(remote, encryption) }?.code == .documentDeleted)
    try await a.deleteDocument(remote)
    #expect(!remote.contains(below: document.root))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `although storage puts all files back, every device is told within a day, and goes on saying so`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await remote.share(a, b, encryption)
    try await a.sync(remote)
    let files = remote.files
    try await a.deleteDocument(remote)
    try await remote.putBack(files, of: document)
    #expect(await failure { try await a.sync(remote) }?.code == .documentDeleted)
    #expect(try await a.status().isDeleted)
    #expect(try await !b.status().isDeleted)
    // Asking each time would cost a request each time.
    #expect(try await b.sync(remote).requests == 1)

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try b.write("later", "by b")
    let before = remote.files
    for _ in 1...3 {
      for device in [a, b] {
        let error = await failure { try await device.sync(remote) }
        #expect(error?.code == .documentDeleted)
        #expect(error?.message.contains("Device device-a") == true)
      }
    }
    #expect(remote.files == before)
    #expect(try b.notes == ["later: by b", "one: by a", "two: by b"])
  }

  @Test func `the successor's members take nothing of a deleted document that somebody puts beside it`()
    async throws
  {
    // Given a successor, and somebody who has the files of the former document and removes the note.
    try await remote.share(a, b, .password("pass"))
    let former = remote.files
    try await a.deleteDocument(remote)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, .password("pass"))
    try c.write("anew", "by c")
    try await c.sync(remote)
    for path in remote.paths({ DeletionName($0) }) { try await remote.remove(path) }
    let present = remote.files
    // When he shows a newcomer the former document alone, then both.
    for path in present.keys where path.names.starts(with: document.root.names) {
      try await remote.remove(path)
    }
    try await remote.putBack(former, of: document)
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote, .password("pass"))
    try await newcomer.sync(remote)
    try await remote.putBack(present, of: document)
    for _ in 1...3 {
      for device in [newcomer, c] { try await device.sync(remote) }
      workplace.clock.advance(25 * 60 * 60 * 1_000)
    }

    #expect(try c.notes == ["anew: by c"])
    #expect(try newcomer.notes == ["one: by a", "two: by b"])
  }

  @Test func `what members have said is not taken back by whoever removes the note`() async throws {
    try await remote.share(a, b, .password("pass"))
    let files = remote.files
    try await a.deleteDocument(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    try await remote.putBack(files, of: document)
    for path in remote.paths({ DeletionName($0) }) { try await remote.remove(path) }
    for device in [a, b] {
      let error = await failure { try await device.sync(remote) }
      #expect(error?.code == .documentDeleted)
      #expect(error?.message.contains("Device device-a") == true)
      #expect(await failure { try await device.refill(remote) }?.code == .documentDeleted)
    }
  }

  @Test func `without encryption a note that anybody can write stops all alike, until it is removed`()
    async throws
  {
    try await remote.share(a, b)
    let founding = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == document.integrityKey }?.name)
    let key = try #require(FoundingName(founding)).integrityKey
    let code = try NameAuthenticator(keys: nil).code(document.statement(deleted: key))
    let note = document.application.file(of: DeletionName(key, code: code))
    try await remote.upload(Array("anything".utf8), to: note)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    let c = Device("device-c", in: workplace)
    for _ in 1...2 {
      for device in [a, b] {
        let error = await failure { try await device.sync(remote) }
        #expect(error?.code == .documentDeleted)
        #expect(error?.recovery.contains(note.description) == true)
      }
      let error = await failure { try await c.register(remote) }
      #expect(error?.code == .documentDeleted)
      #expect(error?.recovery.contains(note.description) == true)
    }

    try await remote.remove(note)
    for device in [a, b, a] { try await device.sync(remote) }
    try await c.register(remote)
    try await c.sync(remote)
    for device in [a, b, c] { #expect(try device.notes == ["one: by a", "two: by b"]) }
  }

  @Test
  func `a device that wrote while the document was deleted is told, and newcomers are not told to wait`()
    async throws
  {
    try await remote.share(a, b)
    let founded = remote.paths { FoundingName($0) }.filter { $0.parent == document.integrityKey }
    let files = remote.files.filter { !founded.contains($0.key) }
    try await a.deleteDocument(remote)
    try await remote.putBack(files, of: document)
    try b.write("three", "while it was deleted")
    try await b.sync(remote)
    let c = Device("device-c", in: workplace)
    #expect(await failure { try await c.register(remote) }?.code == .documentDeleted)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    #expect(!remote.paths { FoundingName($0) }.contains { $0.parent == document.integrityKey })
  }

  // MARK: Others of the same name

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `the record of a successor is waited for`(_ encryption: EncryptionChoice) async throws {
    try await remote.share(a, b, encryption)
    try await a.deleteDocument(remote)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, encryption)
    try await c.sync(remote)
    for path in remote.paths({ FoundingName($0) }) where path.parent == document.integrityKey {
      remote.hide(path)
    }
    let d = Device("device-d", in: workplace)
    #expect(await failure { try await d.register(remote, encryption) }?.code == .notDelivered)
    remote.showAll()
    try await d.register(remote, encryption)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a deletion that is repeated from a store of the former document leaves its successor alone`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await remote.share(a, b, encryption)
    let files = remote.files
    try await a.deleteDocument(remote)
    let c = Device("device-c", in: workplace)
    workplace.clock.advance(1_000)
    try await c.register(remote, encryption)
    try c.write("anew", "by c")
    try await c.sync(remote)
    let successor = remote.files
    for device in [a, b] {
      #expect(try await device.deleteDocument(remote).foundings == 1)
      #expect(remote.files == successor)
      let error = await #expect(throws: SyncError.self) { try await device.remoteDocument(remote).devices() }
      #expect(error?.code == .documentDeleted)
    }
    // What came late of the former goes, and only that.
    try await remote.putBack(files, of: document)
    try await b.deleteDocument(remote)
    let heads = remote.paths { HeadName($0) }.compactMap { $0.name.flatMap { HeadName($0) }?.author }
    #expect(heads == [try c.author])
    #expect(
      Set(remote.paths { SetName($0) })
        == Set(successor.keys.filter { $0.name.flatMap { SetName($0) } != nil }))
    try await c.sync(remote)
    #expect(try c.notes == ["anew: by c"])
    #expect(try await c.remoteDocument(remote).devices().map(\.name) == ["Device device-c"])
  }

  @Test func `what devices with another password have founded is left to them, and told of`() async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote, .password("by a"))
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(elsewhere, .password("by b"))
    try b.write("two", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
    for device in [a, b] { try await device.sync(remote) }

    let remainder = try await a.deleteDocument(remote)
    #expect(remainder.unknownKeys == [try #require(b.ring).primary.identifier])
    #expect(!remote.contains(below: document.changes(of: try a.author)))
    #expect(await failure { try await a.sync(remote) }?.code == .documentDeleted)
    try await b.sync(remote)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, .password("by b"))
    try await c.sync(remote)
    #expect(try c.notes == ["two: by b"])
  }

  @Test func `nothing that a deleter writes of himself reaches a terminal as a command`() async throws {
    try await remote.share(a, b)
    let founding = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == document.integrityKey }?.name)
    let key = try #require(FoundingName(founding)).integrityKey
    let information = DeletionInformation(
      document: "notes", description: "", deviceName: "\u{9B}31m\u{202E}\u{1B}[2JAnna", time: 1)
    try await a.deleteDocument(remote)
    let note = try #require(remote.paths { DeletionName($0) }.first)
    #expect(note.name.flatMap { DeletionName($0) }?.founding == key)
    try await remote.upload(information.bytes, to: note)
    let error = try #require(await failure { try await b.sync(remote) })
    #expect(
      error.message.contains("Anna")
        && !error.message.unicodeScalars.contains {
          $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
        })
  }

  @Test func `a note of a deletion that nobody with the key has written is ignored`() async throws {
    try await remote.share(a, b, .password("pass"))
    let founding = try #require(
      remote.paths { FoundingName($0) }.first { $0.names.starts(with: document.root.names) }?.name)
    let key = try #require(FoundingName(founding)).integrityKey
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    try await remote.upload([], to: document.application.file(of: DeletionName(key, code: code)))
    for path in remote.paths({ HeadName($0) }) { try await remote.remove(path) }
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes == ["one: by a", "two: by b"])
  }
}
