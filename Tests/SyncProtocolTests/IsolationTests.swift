import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Whatever is wrong with one author's files stops that author alone, and nobody's push.
@Suite struct IsolationTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  enum Damage: CaseIterable {
    case folderForSet, refusedSet, unreachableSet, fileForFolder, refusedFolder, emptiedSet, largeSet
  }

  /// All registered; a has pushed two sets and b one.
  private func prepare() async throws {
    for device in [a, b, c] { try await device.register(remote) }
    for number in 1...2 {
      try a.write("of a \(number)", "text")
      try await a.sync(remote)
    }
    try b.write("of b", "text")
    try await b.sync(remote)
    try c.write("of c", "text")
  }

  private func sets(of device: Device) throws -> [RemotePath] {
    let author = try device.author.description
    return remote.files.keys.filter { $0.parent?.name?.description == author }.sorted()
  }

  private func inflict(_ damage: Damage, on device: Device) async throws {
    let set = try #require(try sets(of: device).first)
    let folder = try #require(set.parent)
    switch damage {
    case .folderForSet:
      try await remote.remove(set)
      try await remote.makeDirectory(set)
    case .refusedSet: remote.refuse(set, with: .forbidden)
    case .unreachableSet: remote.refuse(set, with: .unreachable)
    case .fileForFolder:
      try await remote.remove(folder)
      try await remote.upload([1], to: folder)
    case .refusedFolder: remote.refuse(folder, with: .forbidden)
    case .emptiedSet: remote.tamper(set) { $0 = [] }
    case .largeSet: remote.refuse(set, with: .tooLarge)
    }
  }

  private func waiting(_ report: SyncReport) -> [AuthorID] {
    report.findings.compactMap { if case .waiting(let author, _, _) = $0 { author } else { nil } }
  }

  @Test(arguments: Damage.allCases)
  func `what is wrong with one author stops that author alone, and push happens`(_ damage: Damage)
    async throws
  {
    try await prepare()
    try await inflict(damage, on: a)
    let report = try await c.sync(remote)
    #expect(try waiting(report) == [a.author])
    #expect(try c.notes == ["of b: text", "of c: text"])
    #expect(report.pushedSets == 1)
  }

  @Test func `a report calls the device that cannot be read by its name`() async throws {
    try await prepare()
    try await inflict(.refusedSet, on: a)
    let report = try await c.sync(remote)
    let finding = try #require(report.findings.first { if case .waiting = $0 { true } else { false } })
    #expect(report.sentence(finding).contains("“Device device-a”"))
  }

  @Test func `an author who stays unreadable is told of, for how long and by name`() async throws {
    try await prepare()
    try await inflict(.refusedSet, on: a)
    for _ in 1..<BlockedAuthor.patience { #expect(try await c.sync(remote).isBlocked == false) }
    let report = try await c.sync(remote)
    #expect(report.isBlocked)
    let blocked = try #require(try await c.status().blocked.first)
    #expect(try blocked.author == a.author)
    #expect(blocked.name == "Device device-a")
    #expect(blocked.sequence == 1)
    #expect(blocked.syncs == BlockedAuthor.patience)
  }

  @Test(arguments: [[2, 1], [1, 2]] as [[UInt64]])
  func `what is waited for is the next set, even if one of another copy of the store is missing as well`(
    missing: [UInt64]
  ) async throws {
    try await prepare()
    try c.note(missing.map { .waiting(author: try a.author, sequence: $0, obstacle: .missing) })

    #expect(try await c.status().blocked.map(\.sequence) == [1])
  }

  @Test func `the author learns that he cannot be read, and by whom`() async throws {
    try await prepare()
    try await inflict(.refusedSet, on: a)
    for _ in 1...3 { try await c.sync(remote) }
    let report = try await a.sync(remote)
    #expect(try report.findings.contains(.asked(by: c.author, sequence: 1)))
    let asking = try await a.status().asking
    #expect(try asking.map(\.author) == [c.author])
    #expect(asking.first?.sequence == 1)
    #expect(asking.first?.answer == .sentAgain)
  }

  @Test func `an author who can be read again is told of no more`() async throws {
    try await prepare()
    try await inflict(.refusedSet, on: a)
    for _ in 1...3 { try await c.sync(remote) }
    for set in try sets(of: a) { remote.refuse(set, with: nil) }
    let report = try await c.sync(remote)
    #expect(report.blocked.isEmpty)
    try await c.sync(remote)
    #expect(!remote.snapshot.contains(".resend"))
    #expect(try c.notes.count == 4)
  }

  @Test func `storage that goes away in the middle is a failure of the sync`() async throws {
    try await prepare()
    let faulty = FaultyBackend(remote, after: 1, .requestLost)
    await #expect(throws: SyncError.self) { try await c.sync(faulty) }
  }

  @Test func `something in the place of a head of this device is no copy of its store`() async throws {
    try await prepare()
    let author = try a.author
    let document = ApplicationHierarchy(application: RemoteName(trusted: "com.example.notes"))
      .document(RemoteName(trusted: "notes"))
    let forged = HeadName(author: author, sequence: 9, seen: 0, hash: ContentHash(of: []))
    try await remote.upload([1], to: document.file(of: forged))
    remote.refuse(document.file(of: forged), with: .forbidden)
    let report = try await a.sync(remote)
    let finding = SyncFinding.unverifiedHeads(count: 1, first: forged.name.description)
    #expect(report.findings.contains(finding))
    #expect(try await a.status().separations == [finding])
    #expect(try a.author == author)
    remote.refuse(document.file(of: forged), with: nil)
    try await remote.remove(document.file(of: forged))
    try await a.sync(remote)
    #expect(try await a.status().separations.isEmpty)
  }
}
