import BackendConformance
import Crypto
import Synchronization
import Testing

@testable import SyncProtocol

/// What a device has written of passwords itself it keeps, whatever storage lists of it.
@Suite struct OwnKeyFileTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let a: Device

  init() async throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    try await a.register(remote, .password("first"))
    try a.write("one", "by a")
    try await a.sync(remote)
  }

  private func opens(_ password: String) async throws -> Bool {
    let newcomer = Device("newcomer-\(workplace.random())", in: workplace)
    do {
      try await newcomer.register(remote, .password(password), mayCreate: false)
      return true
    } catch let error as SyncError where error.code == .wrongPassword {
      return false
    }
  }

  /// What a device does with passwords.
  enum Change: CaseIterable {
    case added, changed, removed, keysReplaced
  }

  private func make(_ change: Change, _ application: ApplicationSyncManager) async throws {
    switch change {
    case .added: try await application.addPassword("second")
    case .changed: try await application.changePassword(from: "first", to: "second")
    case .removed: try await application.removePassword("first")
    case .keysReplaced: _ = try await application.replaceKeys(password: "second")
    }
  }

  @Test(arguments: Change.allCases)
  func `what was made of passwords outlasts a rollback, whatever storage listed`(_ change: Change)
    async throws
  {
    let application = try await a.application(remote)
    if change == .removed { try await application.addPassword("second") }
    let before = remote.copy()
    let stale = StaleBackend(remote)
    let manager = try await a.manager(stale)
    try await stale.freeze(DocumentHierarchy.notes.application.encryption)
    try await make(change, manager.application)
    try await manager.keepPasswordFiles()
    stale.thaw()

    remote.restore(before)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    _ = try await manager.synchronize()

    #expect(try await opens("second"))
    #expect(try await opens("first") == (change == .added))
  }

  @Test(arguments: Change.allCases)
  func `what was made of passwords outlasts a rollback after which others founded the document anew`(
    _ change: Change
  ) async throws {
    let application = try await a.application(remote)
    if change == .removed { try await application.addPassword("second") }
    let before = remote.copy()
    let manager = try await a.manager(remote)
    try await make(change, manager.application)
    try await manager.keepPasswordFiles()

    remote.restore(before)
    try await remote.remove(DocumentHierarchy.notes.root)
    let b = Device("device-b", in: workplace)
    try await b.register(remote, .password("first"))
    // Its owner is told to begin anew with another store, which keeps nothing of this one.
    #expect(await refusal { _ = try await manager.synchronize() } == .documentReplaced)

    #expect(try await opens("second"))
    #expect(try await opens("first") == (change == .added))
  }

  @Test func `nothing of keys is put back beside a document that others have founded with others`()
    async throws
  {
    func isOfKeys(_ name: RemoteName) -> RemoteName? {
      KeyFileName(name) != nil || WrappedKeyName(name) != nil ? name : nil
    }
    let elsewhere = MemoryBackend()
    let b = Device("device-b", in: workplace)
    try await b.register(elsewhere, .password("second"))
    let files = elsewhere.paths { isOfKeys($0) }
    let own = try #require(a.ring)
    a.setKeys(KeyRing(own.primary, others: try #require(b.ring).all))

    #expect(await refusal { try await a.sync(elsewhere) } == .documentReplaced)
    #expect(elsewhere.paths { isOfKeys($0) } == files)
  }

  @Test func `what was made of passwords is kept though storage fails when it is looked after`() async throws
  {
    let before = remote.copy()
    let storage = StaleBackend(remote)
    let manager = try await a.manager(storage)
    try await manager.application.changePassword(from: "first", to: "second")
    storage.close()
    await #expect(throws: SyncError.self) { try await manager.keepPasswordFiles() }

    remote.restore(before)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    _ = try await a.sync(remote)

    #expect(try await opens("second"))
    #expect(try await !opens("first"))
  }
}

/// Lists one folder as it was at a moment, or lists nothing any more.
private final class StaleBackend: ForwardingBackend {
  let backend: any SyncBackend
  private let state = Mutex((frozen: [RemotePath: RemoteListing](), isClosed: false))

  init(_ backend: any SyncBackend) { self.backend = backend }

  func freeze(_ folder: RemotePath) async throws {
    let listing = try await backend.list(folder)
    state.withLock { $0.frozen[folder] = listing }
  }

  func thaw() { state.withLock { $0.frozen = [:] } }

  func close() { state.withLock { $0.isClosed = true } }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    let (frozen, isClosed) = state.withLock { ($0.frozen[folder], $0.isClosed) }
    if isClosed { throw BackendError(.unreachable, path: folder) }
    if let frozen { return frozen }
    return try await backend.list(folder)
  }
}
