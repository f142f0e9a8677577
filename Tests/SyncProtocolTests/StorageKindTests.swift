import BackendConformance
import Testing

@testable import SyncProtocol

/// Storage of several kinds, as their capabilities tell.
@Suite struct StorageKindTests {
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  @Test(arguments: [false, true])
  func `devices synchronise over storage whose folders vanish when they are empty`(
    _ isEncrypted: Bool
  ) async throws {
    let remote = MemoryBackend(capabilities: MemoryBackend.standardCapabilities.union(.implicitFolders))
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
    try a.write("note", "by a")
    try await a.sync(remote)
    try b.write("other", String(repeating: "long ", count: 10_000))
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes.count == 2)
    #expect(try b.notes == a.notes)
  }

  @Test func `no folders are made where they come with their files`() async throws {
    let remote = MemoryBackend(capabilities: MemoryBackend.standardCapabilities.union(.implicitFolders))
    let counting = CountingBackend(remote)
    try await a.register(counting)
    let folders = MemoryBackend()
    let countingFolders = CountingBackend(folders)
    try await b.register(countingFolders)
    #expect(counting.count.requests < countingFolders.count.requests)
  }

  @Test func `a device is told that another one has pushed`() async throws {
    let remote = MemoryBackend()
    try await a.register(remote)
    try await b.register(remote)
    var told = try #require(try await b.remoteChanges(remote)).makeAsyncIterator()
    try a.write("note", "by a")
    try await a.sync(remote)
    await told.next()
    #expect(try await b.sync(remote).pulled > 0)
  }

  @Test func `a device is not promised to be told by storage that does not watch`() async throws {
    let remote = MemoryBackend(capabilities: [])
    #expect(try await b.remoteChanges(remote) == nil)
  }
}
