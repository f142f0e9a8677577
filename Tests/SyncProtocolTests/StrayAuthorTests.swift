import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// The folder of an author came into another document by a mistake, where nothing is encrypted.
@Suite struct StrayAuthorTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b, stranger): (Device, Device, Device)
  private let notes = DocumentHierarchy.notes
  private let work: DocumentHierarchy

  init() async throws {
    workplace = try Workplace()
    (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
    stranger = Device("device-c", in: workplace, document: "work")
    work = notes.application.document(try #require(RemoteName("work")))
    for device in [a, b, stranger] { try await device.register(remote) }
    try a.write("one", "of the notes")
    try stranger.write("two", "of the work")
    for device in [a, b, stranger] { try await device.sync(remote) }
    try await remote.move(work.changes(of: stranger.author), to: notes.changes(of: stranger.author))
  }

  private func loseHead(of device: Device) async throws {
    let author = try device.author
    for path in remote.paths({ HeadName($0) })
    where path.parent == notes.recentSyncs && path.name.flatMap({ HeadName($0) })?.author == author {
      try await remote.remove(path)
    }
  }

  @Test func `a device that looks for lost heads does not take it for one of its document`() async throws {
    try await loseHead(of: a)

    for _ in 0..<3 { try await b.sync(remote) }

    #expect(try b.notes == ["one: of the notes"])
  }

  @Test func `neither does who joins`() async throws {
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote)
    try await newcomer.sync(remote)

    #expect(try newcomer.notes == ["one: of the notes"])
  }

  @Test(arguments: ["RecentSyncs", "IntegrityKey"])
  func `whatever the other document has lost, its objects appear in none but that`(folder: String)
    async throws
  {
    for path in remote.files.keys where path.parent == work.root / RemoteName(trusted: folder) {
      try await remote.remove(path)
    }
    try await loseHead(of: a)
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote)

    for _ in 0..<3 { for device in [b, newcomer, b] { try await device.sync(remote) } }

    #expect(try b.notes == ["one: of the notes"])
    #expect(try newcomer.notes == ["one: of the notes"])
    let stray = try stranger.author
    #expect(remote.paths { Mention($0) }.allSatisfy { $0.name.flatMap { Mention($0) }?.author != stray })
  }

  @Test func `heads that came with the sets bring nothing in either`() async throws {
    for path in remote.files.keys where path.parent == work.recentSyncs {
      try await remote.move(path, to: notes.recentSyncs / path.names[path.names.count - 1])
    }
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote)

    for _ in 0..<3 { for device in [b, newcomer] { try await device.sync(remote) } }

    #expect(try b.notes == ["one: of the notes"])
    #expect(try newcomer.notes == ["one: of the notes"])
  }

  @Test func `a copy of the document beside it does not keep anybody from finding an author without a head`()
    async throws
  {
    let copy = notes.application.document(try #require(RemoteName("notes-copy")))
    try await remote.makeFolder(copy.root)
    for (path, bytes) in remote.files where path.names.starts(with: notes.root.names) {
      var target = copy.root
      for name in path.names.dropFirst(notes.root.names.count).dropLast() {
        target = target / name
        try await remote.makeFolder(target)
      }
      try await remote.upload(bytes, to: target / path.names[path.names.count - 1])
    }
    try await loseHead(of: a)
    let newcomer = Device("device-d", in: workplace)
    try await newcomer.register(remote)
    try await newcomer.sync(remote)

    #expect(try newcomer.notes.contains("one: of the notes"))
  }
}
