import BackendConformance
import Crypto
import Inspection
import Testing

@testable import SyncProtocol

/// Storage that keeps key files back, as with HTTP status 403: that is no wrong password, and nothing that waiting helps.
@Suite struct RefusedKeyFileTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device
  private let encryption = DocumentHierarchy.notes.application.encryption

  init() async throws {
    workplace = try Workplace()
    let (a, b, _) = workplace.devices()
    (self.a, self.b) = (a, b)
    try await a.register(remote, .password("pass"))
    try a.write("one", "by a")
    try await a.sync(remote)
  }

  private var keyFile: RemotePath {
    get throws { try #require(remote.paths { KeyFileName($0) }.first) }
  }

  /// Why a device cannot join.
  private func refusal(_ choice: EncryptionChoice) async -> SyncError? {
    await failure { try await b.register(remote, choice, mayCreate: false) }
  }

  private func expectRefusal(
    _ error: SyncError?, of path: RemotePath, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(error?.code == .storage, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.backendError?.code == .forbidden, sourceLocation: sourceLocation)
    #expect(error?.backendError?.path == path, sourceLocation: sourceLocation)
    #expect(
      error?.recovery.contains("Give this account permission to read") == true, sourceLocation: sourceLocation
    )
  }

  @Test func `who joins is told which file the storage keeps back, and joins when it does not any more`()
    async throws
  {
    let file = try keyFile
    remote.refuse(file, with: .forbidden)
    expectRefusal(await refusal(.password("pass")), of: file)

    remote.refuse(file, with: nil)
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a"])
  }

  @Test func `a device that holds its keys goes on, and says so to nobody`() async throws {
    remote.refuse(try keyFile, with: .forbidden)
    try a.write("two", "by a")
    #expect(try await a.sync(remote).findings.isEmpty)
    try await a.register(remote, .keys(try #require(a.ring)))
  }

  @Test func `a strange key file that is kept back locks nobody out`() async throws {
    var random = SystemRandomNumberGenerator()
    let strange = KeyFileName(try MasterKey.generate().identifier, using: &random)
    try await remote.upload([1, 2, 3], to: encryption / strange.name)
    remote.refuse(encryption / strange.name, with: .forbidden)

    #expect(await refusal(.password("mistyped"))?.code == .wrongPassword)
    try await b.register(remote, .password("pass"))
  }

  @Test
  func
    `a second file of the same key that is kept back locks nobody out, and may be what the password opens`()
    async throws
  {
    let file = try keyFile
    var random = SystemRandomNumberGenerator()
    let key = try #require(a.ring).primary.identifier
    let second = encryption / KeyFileName(key, using: &random).name
    try await remote.upload([1, 2, 3], to: second)
    remote.refuse(second, with: .forbidden)

    let error = await refusal(.password("other"))
    expectRefusal(error, of: second)
    #expect(error?.message.contains("none of the others there opens with the password") == true)
    #expect(error?.recovery.contains("check the password") == true)
    #expect(file != second)
    try await b.register(remote, .password("pass"))
  }

  @Test func `a file that is no key file is not taken for one that is kept back`() async throws {
    remote.tamper(try keyFile) { $0 = [1, 2, 3] }
    let error = await refusal(.password("pass"))
    #expect(error?.code == .keysNotDelivered && error?.message.contains("is damaged") == true)
  }

  /// `a` replaces the keys, and the file of the new one is kept back from `b`.
  private func replaceKeysKeptBack() async throws -> RemotePath {
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    let former = Set(remote.paths { KeyFileName($0) })
    a.setKeys(try await a.application(remote).replaceKeys(password: "new"))
    let new = try #require(remote.paths { KeyFileName($0) }.first { !former.contains($0) })
    remote.refuse(new, with: .forbidden)
    return new
  }

  @Test func `a device that needs the new password is told the same`() async throws {
    let new = try await replaceKeysKeptBack()
    expectRefusal(await refusal(.keysAndPassword(try #require(b.ring), "new")), of: new)

    remote.refuse(new, with: nil)
    try await b.register(remote, .keysAndPassword(try #require(b.ring), "new"))
  }

  @Test func `a device whose key others have replaced is told of the file of the new one that is kept back`()
    async throws
  {
    let new = try await replaceKeysKeptBack()

    let error = await failure { try await b.application(remote).addPassword("third") }
    expectRefusal(error, of: new)
    #expect(error?.recovery.contains("give this device the new password") == true)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    let findings = try await b.sync(remote).findings
    #expect(findings.contains(.replacementRefused(file: new)), "\(findings)")
    #expect(!findings.contains(.replacementLate))
  }

  @Test func `members write no other file beside one that is kept back, and say which it is`() async throws {
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    let file = try keyFile
    remote.refuse(file, with: .forbidden)
    for _ in 0..<3 {
      workplace.clock.advance(25 * 60 * 60 * 1_000)
      for device in [a, b] {
        #expect(try await device.sync(remote).findings == [.keptBack(paths: [file.description])])
      }
    }
    #expect(remote.paths { KeyFileName($0) } == [file])

    remote.refuse(file, with: nil)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    #expect(try await a.sync(remote).findings.isEmpty)
  }

  @Test func `whoever asks for the passwords, or changes them, is told which file is kept back`() async throws
  {
    let file = try keyFile
    remote.refuse(file, with: .forbidden)
    let application = try await a.application(remote)
    expectRefusal(await failure { _ = try await application.passwords() }, of: file)
    expectRefusal(await failure { try await application.addPassword("other") }, of: file)
    expectRefusal(await failure { try await application.changePassword(from: "pass", to: "new") }, of: file)
    expectRefusal(await failure { try await application.removePassword("pass") }, of: file)
    #expect(remote.paths { KeyFileName($0) } == [file])
  }

  @Test func `a password of a second file that is kept back is not called wrong`() async throws {
    var random = SystemRandomNumberGenerator()
    let second = encryption / KeyFileName(try #require(a.ring).primary.identifier, using: &random).name
    try await remote.upload([1, 2, 3], to: second)
    remote.refuse(second, with: .forbidden)
    let application = try await a.application(remote)

    let error = await failure { try await application.changePassword(from: "other", to: "new") }
    expectRefusal(error, of: second)
    #expect(error?.message.contains("none of the others there opens with the password") == true)
    #expect(try await application.passwords().count == 1)
    try await application.changePassword(from: "pass", to: "new")
    try await b.register(remote, .password("new"))
  }

  @Test func `whoever founds while another does, and may not read his key file, leaves it to him`()
    async throws
  {
    let elsewhere = MemoryBackend()
    let rival = RivalFounding(base: elsewhere, rival: remote)
    let error = await failure { try await b.register(rival, .password("pass")) }
    expectRefusal(error, of: try keyFile)
    #expect(elsewhere.paths { KeyFileName($0) } == [try keyFile])
  }

  private func verificationFailure(_ inspector: RemoteInspector) async -> InspectionError? {
    do throws(InspectionError) {
      _ = try await inspector.verify()
      return nil
    } catch {
      return error
    }
  }

  @Test func `an inspection names the file instead of calling the password wrong`() async throws {
    let file = try keyFile
    remote.refuse(file, with: .forbidden)
    guard
      case .keyFileRefused(let refused) = await verificationFailure(
        RemoteInspector(backend: remote, password: "pass"))
    else {
      Issue.record("nothing said that the file is kept back")
      return
    }
    #expect(refused.code == .forbidden && refused.path == file)
    let findings = try await RemoteInspector(backend: remote).verify().findings
    #expect(findings.contains { $0.code == .unreadable && $0.path == file.description })
  }
}

/// Storage on which somebody else has founded when this device has written its own record, and whose key file it may not read.
private final class RivalFounding: WrappingBackend {
  let base: any SyncBackend
  private let memory: MemoryBackend
  private let rival: MemoryBackend

  init(base: MemoryBackend, rival: MemoryBackend) {
    (self.base, memory, self.rival) = (base, base, rival)
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await base.createIfAbsent(bytes, at: path)
    guard path.parent == DocumentHierarchy.notes.application.founding else { return }
    memory.meet(rival)
    for file in rival.paths({ KeyFileName($0) }) { memory.refuse(file, with: .forbidden) }
  }
}
