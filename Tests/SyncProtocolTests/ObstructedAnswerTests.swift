import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Somebody asks a device for a set, and something else lies in the place of that device's folder.
@Suite struct ObstructedAnswerTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// a has pushed two sets, b has merged them, and somebody asks for the first.
  private func prepare() async throws -> RemotePath {
    for device in [a, b] { try await device.register(remote) }
    for number in 1...2 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    try await b.sync(remote)
    let request = try await a.protection().request(
      asker: AuthorID(bits: 7), subject: .set(author: try a.author, sequence: 1), count: 1)
    try await remote.upload([], to: DocumentHierarchy.notes.file(of: request))
    return DocumentHierarchy.notes.changes(of: try a.author)
  }

  @Test(arguments: [true, false])
  func `a file in place of the folder goes, and what is asked for is sent again`(isOfFormerAuthor: Bool)
    async throws
  {
    let folder = try await prepare()
    let former = try a.author
    if isOfFormerAuthor {
      let before = try a.backUp()
      try a.write("note 3", "text")
      try await a.sync(remote)
      try a.restore(before)
      try await a.sync(remote)
      #expect(try a.author != former)
      let again = try await a.protection().request(
        asker: AuthorID(bits: 7), subject: .set(author: former, sequence: 1), count: 2)
      try await remote.upload([], to: DocumentHierarchy.notes.file(of: again))
    }
    try await remote.remove(folder)
    try await remote.upload([1], to: folder)
    try a.write("new", "text")

    let report = try await a.sync(remote)

    #expect(report.findings.contains(.cleared(folder)))
    #expect(report.findings.contains { if case .resent(former, _) = $0 { true } else { false } })
    #expect(report.pushedSets == 1)
    try await c.register(remote)
    try await c.sync(remote)
    #expect(try c.shows("note 1") && c.shows("new"))
  }

  @Test func `a request that cannot be answered stops nothing, is told, and is answered later`() async throws
  {
    let folder = try await prepare()
    remote.refuse(folder, with: .forbidden)
    try a.write("new", "text")

    let report = try await a.sync(remote)

    #expect(report.pushedSets == 1)
    #expect(report.findings == [.asked(by: AuthorID(bits: 7), sequence: 1)])
    remote.refuse(folder, with: nil)
    #expect(try await a.sync(remote).findings.contains(.resent(author: a.author, count: 1)))
    #expect(try await a.sync(remote).findings == [])
  }
  @Test func `a folder in the place of what a device asks for goes, and nothing is held up`() async throws {
    for device in [a, b] { try await device.register(remote) }
    for number in 1...2 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    let first = try #require(
      remote.files.keys.filter { $0.name.flatMap { SetName($0) }?.sequence == 1 }.min { "\($0)" < "\($1)" })
    let set = remote.files[first] ?? []
    try await remote.remove(first)
    try await b.sync(remote)
    let request = try await b.protection().request(
      asker: b.author, subject: .set(author: a.author, sequence: 1), count: 1)
    let place = DocumentHierarchy.notes.file(of: request)
    try await remote.makeFolder(place)
    try b.write("new", "text")

    let report = try await b.sync(remote)

    #expect(report.findings.contains(.cleared(place)), "\(report.findings)")
    #expect(report.pushedSets == 1)
    #expect(try await remote.stat(place).kind == .file)
    #expect(try await a.sync(remote).findings.contains(.resent(author: a.author, count: 1)))
    #expect(remote.files[first] == set)
  }
  @Test func `where a file lay in place of the own folder, all that belongs there is sent again at once`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    for number in 1...3 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    let folder = DocumentHierarchy.notes.changes(of: try a.author)
    let sets = remote.files.filter { $0.key.parent == folder }
    try await remote.remove(folder)
    try await remote.upload([1], to: folder)
    try a.write("note 4", "text")

    let report = try await a.sync(remote)

    #expect(report.findings.contains(.cleared(folder)))
    #expect(report.findings.contains(.resent(author: try a.author, count: 3)))
    for (path, bytes) in sets { #expect(remote.files[path] == bytes) }
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a file in place of the long values stops nobody, though all heads are gone`(choice: EncryptionChoice)
    async throws
  {
    for device in [a, b] { try await device.register(remote, choice) }
    try a.write("long", String(repeating: "text ", count: 10_000))
    for device in [a, b] { try await device.sync(remote) }
    let folder = DocumentHierarchy.notes.longValues
    try await remote.remove(folder)
    try await remote.upload([1], to: folder)
    for path in remote.files.keys where path.parent == DocumentHierarchy.notes.recentSyncs {
      try await remote.remove(path)
    }
    for device in [a, b] { try device.write("short of \(try device.author)", "text") }

    var reports: [SyncReport] = []
    for device in [a, b, a] { reports.append(try await device.sync(remote)) }

    #expect(reports[0].pushedSets == 1 && reports[1].pushedSets == 1)
    #expect(reports[0].findings.contains(.obstructed(folder)), "\(reports[0].findings)")
    #expect(try a.notes == b.notes)
  }
}
