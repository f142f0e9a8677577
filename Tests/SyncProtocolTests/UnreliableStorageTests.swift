import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Storage that is late, torn, littered, rolled back or hostile.
@Suite struct UnreliableStorageTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  /// Both registered, and so many sets of `a` on the remote.
  private func prepare(sets: Int, _ encryption: EncryptionChoice = .none) async throws -> [RemotePath] {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
    for number in 1...sets {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    return setFiles
  }

  private var setFiles: [RemotePath] {
    remote.files.keys.filter { $0.name.flatMap { SetName($0) } != nil }.sorted()
  }

  private func waiting(_ report: SyncReport) -> [UInt64] {
    report.findings.compactMap { if case .waiting(_, let sequence, _) = $0 { sequence } else { nil } }
  }

  @Test func `a head whose set has not arrived is waited for`() async throws {
    let files = try await prepare(sets: 1)
    remote.hide(files[0])
    let early = try await b.sync(remote)
    #expect(waiting(early) == [1])
    #expect(early.pulled == 0)
    remote.showAll()
    #expect(try await b.sync(remote).pulled == 1)
    #expect(try b.notes == a.notes)
  }

  @Test func `what comes before a missing set is applied`() async throws {
    let files = try await prepare(sets: 4)
    remote.hide(files[2])
    let report = try await b.sync(remote)
    #expect(report.pulledSets == 2)
    #expect(waiting(report) == [3])
    #expect(try b.notes == ["note 1: text", "note 2: text"])
    remote.showAll()
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test(arguments: [0, 1, 40])
  func `a torn set is not read by half`(_ length: Int) async throws {
    let files = try await prepare(sets: 2)
    let whole = try #require(remote.files[files[1]])
    remote.tamper(files[1]) { $0 = Array($0.prefix(length)) }
    let author = try a.author
    let report = try await b.sync(remote)
    #expect(report.findings == [.waiting(author: author, sequence: 2, obstacle: .torn)])
    #expect(try b.notes == ["note 1: text"])
    remote.tamper(files[1]) { $0 = whole }
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `of a file that is larger than any set only as much is taken into memory as a set may have`(
    _ encryption: EncryptionChoice
  ) async throws {
    let files = try await prepare(sets: 2, encryption)
    let whole = try #require(remote.files[files[1]])
    remote.tamper(files[1]) { $0 += [UInt8](repeating: 0, count: SetLimits.fileSize + 1 - $0.count) }
    let author = try a.author

    let report = try await b.sync(remote)

    guard case .waiting(author, 2, .unreadable(let why))? = report.findings.first else {
      Issue.record("\(report.findings)")
      return
    }
    #expect(why.contains("larger than expected"))
    #expect(try b.notes == ["note 1: text"])
    remote.tamper(files[1]) { $0 = whole }
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test func `what others drop among the heads is reported and left alone`() async throws {
    _ = try await prepare(sets: 1)
    let folder = try #require(RemotePath("com.example.notes/Documents/notes/RecentSyncs"))
    remote.addForeign("head (conflicted copy).head", to: folder)
    try await remote.upload([1], to: folder.appending(RemoteName(trusted: "notes.txt")))
    let report = try await b.sync(remote)
    #expect(report.findings == [.foreign(names: ["head (conflicted copy).head", "notes.txt"])])
    #expect(try b.notes == a.notes)
    #expect(remote.files[folder.appending(RemoteName(trusted: "notes.txt"))] == [1])
  }

  @Test func `a remote that was rolled back is noticed by everybody`() async throws {
    _ = try await prepare(sets: 1)
    let earlier = remote.copy()
    try a.write("note 2", "text")
    try await a.sync(remote)
    try await b.sync(remote)
    remote.restore(earlier)

    let seenByB = try await b.sync(remote).findings
    let seenByA = try await a.sync(remote).findings

    let author = try a.author
    #expect(seenByB.contains(.regressed(author: author, applied: 2, listed: 1)))
    #expect(seenByA.contains(.ownRegressed(sent: 2, listed: 1)))
    #expect(try b.notes == ["note 1: text", "note 2: text"])
  }

  @Test func `a document that was deleted is not written to, and not mistaken for an empty one`() async throws
  {
    _ = try await prepare(sets: 1)
    try await remote.remove(try #require(RemotePath("com.example.notes/Documents/notes")))
    let before = remote.files
    let error = await #expect(throws: SyncError.self) { try await b.sync(remote) }
    #expect(error?.code == .documentNotFound)
    #expect(remote.files == before)
  }

  @Test func `a document that was created anew does not get the changes of the former one`() async throws {
    _ = try await prepare(sets: 1)
    try await remote.remove(try #require(RemotePath("com.example.notes/Documents/notes")))
    try await Device("device-c", in: workplace).register(remote)
    try a.write("note 2", "text")
    let before = remote.files
    let synchronizing = await #expect(throws: SyncError.self) { try await a.sync(remote) }
    let registering = await #expect(throws: SyncError.self) { try await a.register(remote) }
    #expect(synchronizing?.code == .documentReplaced)
    #expect(registering?.code == .documentReplaced)
    #expect(remote.files == before)
    #expect(try a.notes == ["note 1: text", "note 2: text"])
  }

  // MARK: Hostile storage

  @Test func `a set that is passed off as another is refused`() async throws {
    let files = try await prepare(sets: 2, .password("pass"))
    let first = try #require(remote.files[files[0]])
    let author = try a.author
    let replayed = SetName(sequence: 3, hash: ContentHash(of: first))
    try await remote.upload(first, to: DocumentHierarchy.notes.file(of: replayed, by: author))
    // Even if storage knew the code, which only members can make.
    let head = try await a.headName(sequence: 3, hash: replayed.hash)
    try await remote.upload([], to: DocumentHierarchy.notes.file(of: head))
    let report = try await b.sync(remote)
    #expect(waiting(report) == [3])
    #expect(try b.notes == a.notes)
  }

  @Test func `an unsealed set in an encrypted document is refused`() async throws {
    _ = try await prepare(sets: 1, .password("pass"))
    let plain = MemoryBackend()
    let stranger = Device("device-c", in: workplace)
    try await stranger.register(plain)
    try stranger.write("slipped in", "text")
    try await stranger.sync(plain)
    remote.meet(plain)
    let report = try await b.sync(remote)
    #expect(report.findings.count == 1)
    #expect(report.findings.contains { if case .unverifiedHeads(1, _) = $0 { true } else { false } })
    #expect(try b.notes == ["note 1: text"])
  }
}
