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

  /// Storage delivers late, or once more, what it held of the document.
  private func putBack(_ files: [RemotePath: [UInt8]]) async throws {
    for (path, bytes) in files where path.names.starts(with: document.root.names) {
      try await remote.place(bytes, at: path)
    }
  }

  private func share(_ encryption: EncryptionChoice = .none) async throws {
    try await a.register(remote, encryption)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(remote, encryption)
    try await b.sync(remote)
    try b.write("two", "by b")
    try await b.sync(remote)
  }

  /// Another document under the name of a deleted one, of which storage puts everything back.
  private func succeed(_ encryption: EncryptionChoice) async throws -> (founder: Device, newcomer: Device) {
    try await share(encryption)
    let former = remote.files
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try founder.write("three", "of the successor")
    try await founder.sync(remote)
    try await putBack(former)
    try await newcomer.register(remote, encryption)
    return (founder, newcomer)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `what comes back of a deleted document is nobody's in its successor, not a newcomer's either`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    for _ in 0..<3 { for device in [newcomer, founder] { try await device.sync(remote) } }
    #expect(try newcomer.notes == ["three: of the successor"])
    #expect(try founder.notes == ["three: of the successor"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `each device says whose it is, and calls on nobody else, until it is deleted once more`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    let former = Set(try [a, b].map { try $0.author })
    for device in [newcomer, founder, newcomer, founder] {
      let report = try await device.sync(remote)
      guard report.findings.count == 1, case .headsOfDeleted(2, let first) = report.findings.first else {
        Issue.record("\(report.findings)")
        continue
      }
      #expect(RemoteName(first).flatMap { HeadName($0) }.map { former.contains($0.author) } == true)
      #expect(try await device.status().separations == report.findings)
    }

    try await a.deleteDocument(remote)

    for device in [newcomer, founder] {
      #expect(try await device.sync(remote).findings.isEmpty)
      #expect(try await device.status().separations.isEmpty)
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `what comes back of a deleted document keeps no vacuum of its successor back`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    try founder.write("four", "of the successor")
    for device in [founder, newcomer, founder] { try await device.sync(remote) }
    try await founder.uploadStore(remote)

    let vacuum = try await founder.vacuum(remote, grace: 0)

    #expect(vacuum.plan.obstacle == nil)
    #expect(vacuum.plan.sets.map(\.author) == [try founder.author])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `deleted once more beside its successor, nothing of it is left`(_ encryption: EncryptionChoice)
    async throws
  {
    try await share(encryption)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, encryption)
    b.rename("another name")
    for device in [c, a, b, a] { try await device.sync(remote) }
    try await a.remove(c, remote)
    for text in ["three", "four"] {
      try a.write(text, "by a")
      for device in [a, b, a] { try await device.sync(remote) }
    }
    try await a.uploadStore(remote)
    try await a.vacuum(remote, grace: 0)
    let former = remote.files
    for isThere in [
      remote.paths { RenamingName($0) }, remote.paths { RemovalName($0) }, remote.paths { HistoryFloor($0) },
    ] { try #require(!isThere.isEmpty) }
    try await a.deleteDocument(remote)
    let founder = Device("founder", in: workplace)
    try await founder.register(remote, encryption)
    try await founder.sync(remote)
    let successor = Set(remote.files.keys)
    try await putBack(former)

    try await a.deleteDocument(remote)

    #expect(Set(remote.files.keys).subtracting(successor).isEmpty)
    #expect(Set(remote.files.keys).isSuperset(of: successor))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `an author whose head does not come back is known by what else names it`(
    _ encryption: EncryptionChoice
  )
    async throws
  {
    try await share(encryption)
    b.rename("another name")
    for device in [b, a] { try await device.sync(remote) }
    let author = try b.author
    let former = remote.files.filter { $0.key.name.flatMap { HeadName($0) }?.author != author }
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try await putBack(former)
    try await newcomer.register(remote, encryption)

    let report = try await newcomer.sync(remote)

    #expect(try newcomer.notes.isEmpty)
    #expect(report.findings.count == 1, "\(report.findings)")
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `sets alone tell that they are of the deleted document, and go with it`(_ encryption: EncryptionChoice)
    async throws
  {
    try await share(encryption)
    let former = remote.files.filter { $0.key.names.starts(with: document.syncChanges.names) }
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try founder.write("three", "of the successor")
    try await founder.sync(remote)
    let successor = Set(remote.files.keys)
    try await putBack(former)
    try await newcomer.register(remote, encryption)

    for device in [newcomer, founder, newcomer] { #expect(try await device.sync(remote).findings.isEmpty) }
    try await a.deleteDocument(remote)

    #expect(try newcomer.notes == ["three: of the successor"])
    #expect(try founder.notes == ["three: of the successor"])
    #expect(Set(remote.files.keys).isDisjoint(with: former.keys))
    #expect(Set(remote.files.keys).isSuperset(of: successor))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `where nothing of the application lies, nothing is deleted, and nothing written`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await share(encryption)
    let other = MemoryBackend()

    let error = await failure { try await a.deleteDocument(other) }

    #expect(error?.code == .documentNotFound)
    #expect(other.files.isEmpty)
    try await b.sync(remote)
  }

  @Test(arguments: [true, false])
  func `a description that nobody can open is written anew within a day`(isOfDeleted: Bool) async throws {
    try await share(.password("pass"))
    let former = try #require(remote.files[document.information])
    try await a.deleteDocument(remote)
    let founder = Device("founder", in: workplace)
    try await founder.register(remote, .password("pass"))
    try await founder.sync(remote)
    let own = try #require(remote.files[document.information])
    var damaged = own
    damaged[own.count - 1] ^= 1
    try await remote.upload(isOfDeleted ? former : damaged, to: document.information)

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await founder.sync(remote)

    #expect(remote.files[document.information] == own)
  }

  @Test func `a removed device is told that the document was deleted since`() async throws {
    try await share(.password("pass"))
    try await a.sync(remote)
    try await a.remove(b, remote)
    #expect(await failure { try await b.sync(remote) }?.code == .deviceRemoved)

    try await a.deleteDocument(remote)

    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
  }

  @Test func `without encryption nothing is of a deleted document once the note of that is gone`()
    async throws
  {
    let (founder, newcomer) = try await succeed(.none)
    for device in [newcomer, founder] { try await device.sync(remote) }
    for path in remote.paths({ DeletionName($0) }) { try await remote.remove(path) }
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    let findings = try await founder.sync(remote).findings

    #expect(!findings.contains { if case .headsOfDeleted = $0 { true } else { false } }, "\(findings)")
  }

  @Test func `a forged name beside a deleted document's is still told apart from that`() async throws {
    let (founder, newcomer) = try await succeed(.none)
    try await newcomer.sync(remote)
    let forged = HeadName(author: try a.author, sequence: 9, seen: 0, hash: ContentHash(of: [1]))
    try await remote.place([1], at: document.recentSyncs / forged.name)

    let findings = try await founder.sync(remote).findings

    #expect(findings.contains(.unverifiedHeads(count: 1, first: forged.name.description)))
    #expect(findings.contains { if case .headsOfDeleted(2, _) = $0 { true } else { false } })
    #expect(Set(try await founder.status().separations) == Set(findings))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `nothing is left but a note of it, and the others are told by whom`(_ encryption: EncryptionChoice)
    async throws
  {
    try await share(encryption)
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
    try await share()
    try await a.deleteDocument(remote)
    #expect(await failure { try await a.sync(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.register(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.refill(remote) }?.code == .documentDeleted)
  }

  @Test func `another document may have the name, and gets nothing of the former one`() async throws {
    try await share()
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
    try await share()
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
    try await share(encryption)
    let files = remote.files
    try await a.deleteDocument(remote)
    try await putBack(files)
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
    try await share(encryption)
    try await a.sync(remote)
    let files = remote.files
    try await a.deleteDocument(remote)
    try await putBack(files)
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
    try await share(.password("pass"))
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
    try await putBack(former)
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote, .password("pass"))
    try await newcomer.sync(remote)
    try await putBack(present)
    for _ in 1...3 {
      for device in [newcomer, c] { try await device.sync(remote) }
      workplace.clock.advance(25 * 60 * 60 * 1_000)
    }

    #expect(try c.notes == ["anew: by c"])
    #expect(try newcomer.notes == ["one: by a", "two: by b"])
  }

  @Test func `what members have said is not taken back by whoever removes the note`() async throws {
    try await share(.password("pass"))
    let files = remote.files
    try await a.deleteDocument(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    try await putBack(files)
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
    try await share()
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
    try await share()
    let founded = remote.paths { FoundingName($0) }.filter { $0.parent == document.integrityKey }
    let files = remote.files.filter { !founded.contains($0.key) }
    try await a.deleteDocument(remote)
    try await putBack(files)
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
    try await share(encryption)
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
    try await share(encryption)
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
    try await putBack(files)
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
    try await share()
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
    try await share(.password("pass"))
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

extension MemoryBackend {
  /// Writes a file and the folders that it needs.
  fileprivate func place(_ bytes: [UInt8], at path: RemotePath) async throws {
    for count in 1..<path.names.count {
      try await makeDirectory(RemotePath(Array(path.names.prefix(count))))
    }
    try await upload(bytes, to: path)
  }
}
