import BackendConformance
import Testing

@testable import SyncProtocol

/// Something else lies in the place of a document's founding record, or of the folder where it lies, and all heads are gone: what
/// somebody can do who may write to the storage.
@Suite struct ObstructedFoundingTests {
  enum Place: CaseIterable {
    case record, folder
  }

  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// - Returns: the path where something else lies.
  private func obstruct(_ place: Place, _ choice: EncryptionChoice) async throws -> RemotePath {
    for device in [a, b] { try await device.register(remote, choice) }
    try a.write("one", "by a")
    for device in [a, b] { try await device.sync(remote) }
    let folder = DocumentHierarchy.notes.integrityKey
    let record = try #require(remote.files.keys.first { $0.parent == folder })
    for head in remote.files.keys where head.parent == DocumentHierarchy.notes.recentSyncs {
      try await remote.remove(head)
    }
    try await remote.remove(place == .record ? record : folder)
    switch place {
    case .record: try await remote.makeFolder(record)
    case .folder: try await remote.upload([1], to: folder)
    }
    return place == .record ? record : folder
  }

  @Test(arguments: Place.allCases, [EncryptionChoice.none, .password("pass")])
  func `members go on and name it`(place: Place, choice: EncryptionChoice) async throws {
    let path = try await obstruct(place, choice)
    try a.write("two", "by a")

    let report = try await a.sync(remote)

    #expect(report.findings.contains(.obstructed(path)), "\(report.findings)")
    #expect(report.pushedSets == 1)
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a", "two: by a"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a member that does not even find the folder of heads names what lies in the place of the records`(
    choice: EncryptionChoice
  ) async throws {
    let path = try await obstruct(.folder, choice)
    try await remote.remove(DocumentHierarchy.notes.recentSyncs)

    let error = try #require(await failure { try await b.sync(remote) })

    #expect(error.code == .damaged, "\(error)")
    #expect("\(error)".contains("“\(path)”"), "\(error)")
  }

  @Test(arguments: Place.allCases, [EncryptionChoice.none, .password("pass")])
  func `a member that registers again goes on`(place: Place, choice: EncryptionChoice) async throws {
    _ = try await obstruct(place, choice)
    try await a.sync(remote)

    try await b.register(remote, choice)

    try b.write("two", "by b")
    for device in [b, a] { try await device.sync(remote) }
    #expect(try a.notes == ["one: by a", "two: by b"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `the name of a record that a folder bears is enough for a newcomer`(choice: EncryptionChoice)
    async throws
  {
    _ = try await obstruct(.record, choice)
    try await a.sync(remote)

    try await c.register(remote, choice)

    try await c.sync(remote)
    #expect(try c.notes == ["one: by a"])
  }

  @Test func `a newcomer is told what lies in the place of the folder`() async throws {
    let path = try await obstruct(.folder, .password("pass"))
    try await a.sync(remote)

    let error = await #expect(throws: SyncError.self) { try await c.register(remote, .password("pass")) }

    #expect(error?.message.contains("Something else lies") == true, "\(String(describing: error))")
    #expect(error?.subject.contains("\(path)") == true)
  }

  @Test func `once it is out of the way the record is put back`() async throws {
    let path = try await obstruct(.record, .password("pass"))
    for device in [a, b] { try await device.sync(remote) }

    try await remote.remove(path)
    workplace.clock.advance(2 * 24 * 60 * 60 * 1_000)
    for device in [a, b] { try await device.sync(remote) }

    #expect(try await remote.stat(path).kind == .file)
  }
}
