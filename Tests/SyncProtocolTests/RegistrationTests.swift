import BackendConformance
import Testing

@testable import SyncProtocol

@Suite struct RegistrationTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  @Test func `the first to register creates the document, the second joins it`() async throws {
    #expect(try await a.register(remote).isNew)
    let joined = try await b.register(remote)
    #expect(!joined.isNew)
    #expect(joined.information.originalClient == "device-a")
  }

  @Test func `registering again changes nothing`() async throws {
    try await a.register(remote, .password("pass"))
    let before = remote.files
    #expect(try await !a.register(remote, .password("pass")).isNew)
    #expect(remote.files == before)
  }

  @Test func `nothing is created where that was not wished`() async throws {
    let application = await #expect(throws: SyncError.self) { try await a.register(remote, mayCreate: false) }
    #expect(application?.code == .applicationNotFound)
    #expect(remote.files.isEmpty)

    try await a.register(remote)
    let before = remote.snapshot
    let other = Device("device-a", in: workplace, document: "other")
    let document = await #expect(throws: SyncError.self) {
      try await other.register(remote, mayCreate: false)
    }
    #expect(document?.code == .storeOfAnotherDocument || document?.code == .documentNotFound)
    #expect(remote.snapshot == before)
  }

  @Test func `a wrong password leaves the remote as it was`() async throws {
    try await a.register(remote, .password("right"))
    let before = remote.files
    let wrong = await #expect(throws: SyncError.self) { try await b.register(remote, .password("wrong")) }
    let none = await #expect(throws: SyncError.self) { try await b.register(remote) }
    #expect(wrong?.code == .wrongPassword)
    #expect(none?.code == .passwordRequired)
    #expect(remote.files == before)
  }

  @Test func `a password for a remote without encryption is refused`() async throws {
    try await a.register(remote)
    let error = await #expect(throws: SyncError.self) { try await b.register(remote, .password("pass")) }
    #expect(error?.code == .notEncrypted)
  }

  @Test func `a store belongs to one document`() async throws {
    try await a.register(remote)
    let same = Device("device-a", in: workplace, document: "other")
    let error = await #expect(throws: SyncError.self) { try await same.register(remote) }
    #expect(error?.code == .storeOfAnotherDocument)
  }

  @Test func `without a registration nothing is synchronised`() async throws {
    let error = await #expect(throws: SyncError.self) { try await a.sync(remote) }
    #expect(error?.code == .notRegistered)
  }

  @Test func `a document of the classic system is recognised and left alone`() async throws {
    try await a.register(remote)
    for path in remote.paths({ FoundingName($0) }) where path.names.contains(DocumentHierarchy.notes.document)
    {
      try await remote.remove(path)
    }
    let path = DocumentHierarchy.notes.information
    var information = try DocumentInformation(try await remote.download(path, limit: 10_000))
    information.format = .classic
    try await remote.upload(information.bytes, to: path)
    let before = remote.files.filter { $0.key.names.starts(with: DocumentHierarchy.notes.root.names) }
    let error = await #expect(throws: SyncError.self) { try await b.register(remote) }
    #expect(error?.code == .unsupportedFormat)
    #expect(remote.files.filter { $0.key.names.starts(with: DocumentHierarchy.notes.root.names) } == before)
  }

  @Test(arguments: ["", "a/b", "..", ".hidden", "with space", String(repeating: "x", count: 101)])
  func `an identifier that can be no file name is refused at once`(_ identifier: String) throws {
    let error = #expect(throws: SyncError.self) {
      try ApplicationConfiguration(application: identifier, client: "client", clientDescription: "")
    }
    #expect(error?.code == .invalidIdentifier)
  }

  // MARK: Races

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `two devices that create everything while apart agree when their folders meet`(
    _ encryption: EncryptionChoice
  ) async throws {
    let other = MemoryBackend()
    try await a.register(remote, encryption)
    try await b.register(other, encryption)
    try a.write("one", "by a")
    try b.write("two", "by b")
    try await a.sync(remote)
    try await b.sync(other)
    remote.meet(other)

    for device in [a, b] { try await device.register(remote, encryption) }
    for device in [a, b, a] { try await device.sync(remote) }

    #expect(try a.notes == ["one: by a", "two: by b"])
    #expect(try b.notes == a.notes)
    let report = try await b.sync(remote)
    #expect(report.requests == 1)
    #expect(report.findings.isEmpty)
  }

  @Test func `encryption that another device turns on meanwhile is not missed`() async throws {
    let interleaved = InterleavingBackend(remote, before: "com.example.notes/ReadMe.txt") { [b, remote] in
      _ = try? await b.register(remote, .password("pass"))
    }
    let error = await #expect(throws: SyncError.self) { try await a.register(interleaved) }
    #expect(error?.code == .passwordRequired)
    #expect(try await !a.register(remote, .password("pass")).isNew)
  }
}
