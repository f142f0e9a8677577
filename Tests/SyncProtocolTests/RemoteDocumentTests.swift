import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What a remote tells of its documents without a store.
@Suite struct RemoteDocumentTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func share(_ encryption: EncryptionChoice) async throws {
    try await a.register(remote, encryption)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(remote, encryption)
    try await b.sync(remote)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `documents are listed with their devices and sets`(_ encryption: EncryptionChoice) async throws {
    try await share(encryption)
    let application = try await a.application(remote)
    let document = try #require(try await application.documents().first)
    #expect(document.identifier == "notes")
    #expect(try await document.information().originalClient == "device-a")

    let devices = try await document.devices()
    #expect(Set(devices.map(\.name)) == ["Device device-a", "Device device-b"])
    let author = try a.author
    #expect(devices.first { $0.author == author }?.pushed == 1)
    let sets = try await document.sets(by: author)
    #expect(sets.map(\.set.sequence) == [1])
    let changes = try await document.changes(in: sets[0])
    #expect(changes.author == author && !changes.changes.isEmpty)
  }

  @Test func `devices of the application are known by what they say of themselves`() async throws {
    try await share(.password("pass"))
    let devices = try await a.application(remote).devices()
    #expect(devices.map(\.client) == ["device-a", "device-b"])
    #expect(devices.map(\.information?.description) == ["Device device-a", "Device device-b"])
  }

  @Test func `what one device has damaged hides no other`() async throws {
    try await share(.password("pass"))
    let application = try await a.application(remote)
    try await remote.upload(
      [1, 2, 3], to: application.hierarchy.deviceInformation(of: RemoteName(trusted: "device-b")))
    let author = try a.author
    let head = try #require(
      remote.paths { HeadName($0) }.first { $0.name.flatMap { HeadName($0) }?.author == author })
    try await remote.upload([1, 2, 3], to: head)

    #expect(try await application.devices().map(\.information?.description) == ["Device device-a", nil])
    let devices = try await application.document("notes").devices()
    #expect(Set(devices.map(\.name)) == ["Device device-b", nil])
  }

  @Test func `a set that is not what its author wrote is no set`() async throws {
    try await share(.none)
    let document = try await a.application(remote).document("notes")
    let author = try a.author
    let reference = try #require(try await document.sets(by: author).first)
    try await remote.upload([1, 2, 3], to: document.hierarchy.file(of: reference.set, by: author))
    let error = await #expect(throws: SyncError.self) { try await document.changes(in: reference) }
    #expect(error?.code == .damaged)
  }

  @Test func `a document by its name is deleted with all its foundings that the keys at hand open`()
    async throws
  {
    try await share(.password("pass"))
    let document = try await a.application(remote).document("notes")
    #expect(try await document.delete().isEmpty)
    #expect(!remote.contains(below: document.hierarchy.root))
  }

  @Test func `a store's document is told from a newer one of its name`() async throws {
    try await a.register(remote)
    try a.write("one", "by a")
    try await a.sync(remote)
    let elsewhere = MemoryBackend()
    workplace.clock.advance(1_000)
    try await b.register(elsewhere)
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
    for device in [a, b] {
      #expect(try await device.remoteDocument(remote).devices().map(\.name) == ["Device \(device.client)"])
    }
  }

  @Test func `a document that is not there is not found`() async throws {
    try await a.register(remote)
    let document = try await a.application(remote).document("elsewhere")
    for operation in [{ _ = try await document.devices() }, { try await document.delete() }] {
      let error = await #expect(throws: SyncError.self) { try await operation() }
      #expect(error?.code == .documentNotFound)
    }
  }

  @Test func `without the keys nothing is told and nothing deleted`() async throws {
    try await share(.password("pass"))
    let before = remote.files
    a.forgetKeys()
    let document = try await a.application(remote).document("notes")
    for operation in [{ _ = try await document.information() }, { try await document.delete() }] {
      let error = await #expect(throws: SyncError.self) { try await operation() }
      #expect(error?.code == .keyMissing)
    }
    #expect(remote.files == before)
  }
}
