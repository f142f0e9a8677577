import ChangeTracking
import Crypto
import FileManagerBackend
import Foundation
import Inspection
import TICDSOpenSSL
import SyncProtocol
import Synchronization
import Testing

/// Key files that are damaged: the right password is not called wrong because of them, nor the file another's because it was read badly once.
@Suite struct DamagedKeyFileTests {
  private func folder(_ remote: SampleRemote) -> URL { remote.remote.appending(path: "sample/Encryption") }

  private func keyFile(_ remote: SampleRemote) throws -> URL {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder(remote), includingPropertiesForKeys: nil)
    return try #require(files.first { $0.pathExtension == "keys" })
  }

  private func addStrangersFile(_ remote: SampleRemote) throws {
    let made = try KeyFile.create(
      password: "another", parameters: Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1))
    try Data(made.file.bytes).write(
      to: folder(remote).appending(path: "\(made.key.identifier).0123456789abcdef.keys"))
  }

  /// Which file a command names that needs the keys.
  private func named(_ work: () async throws -> Void) async throws -> String {
    let error = await #expect(throws: InspectionError.self) { try await work() }
    guard case .keyFile(let path, let failure)? = error else { throw try #require(error) }
    #expect(failure.code == .damaged)
    return path
  }

  @Test(arguments: [true, false])
  func `a damaged key file is named by all that needs the keys, whatever a stranger lays beside it`(
    hasStrangersFile: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let file = try keyFile(remote)
    try remote.flip(file)
    if hasStrangersFile { try addStrangersFile(remote) }
    let path = "sample/Encryption/\(file.lastPathComponent)"
    let inspector = remote.inspector

    #expect(try await named { try await inspector.forEachSet { _ in } } == path)
    #expect(try await named { _ = try await inspector.vacuumOutlooks() } == path)
    #expect(try await named { _ = try await inspector.planRebuild(of: "things") } == path)
    #expect(try await named { try await inspector.watchSets(every: .seconds(1)) { _, _ in } } == path)
    #expect(
      try await named { try await inspector.writeOpened(to: remote.folder.file("opened")) { _ in } } == path)
    let obstacle = try await inspector.inspectedApplications().first?.obstacle
    #expect(try await named { throw try #require(obstacle) } == path)

    let findings = try await inspector.verify().findings
    #expect(findings.contains { $0.path == path && $0.code == .undecodable })
  }

  @Test func `a damaged key file is put aside where another file of the key opens`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let file = try keyFile(remote)
    let whole = try Data(contentsOf: file)
    try remote.flip(file)
    let digits = file.lastPathComponent.split(separator: ".")[0]
    let other = folder(remote).appending(path: "\(digits).0123456789abcdef.keys")
    try whole.write(to: other)
    #expect(try await remote.inspector.verify().findings.contains { $0.code == .undecodable })

    try await remote.repair()

    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try Data(contentsOf: other) == whole)
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test func `the damaged file of a key that was replaced is a hint`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let file = try keyFile(remote)
    _ = try await remote.device("first").application.replaceKeys(password: "another horse")
    try Data([1, 2, 3]).write(to: file)

    let verification = try await remote.inspector("another horse").verify()

    let path = "sample/Encryption/\(file.lastPathComponent)"
    #expect(verification.findings.filter { $0.path == path }.map(\.code) == [.foreignEntry])
    #expect(!verification.findings.contains { $0.severity == .error }, "\(verification.findings)")
  }

  @Test func `a wrong password is wrong where a stranger's file is the one that is damaged`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    try Data([1, 2, 3]).write(
      to: folder(remote).appending(path: "\(try MasterKey.generate().identifier).0123456789abcdef.keys"))

    let error = await #expect(throws: InspectionError.self) {
      _ = try await remote.inspector("mistyped").verify()
    }

    guard case .wrongPassword? = error else { throw try #require(error) }
  }

  @Test(arguments: [0, 40], [1, 2])
  func `a key file that is read badly once is none that somebody has changed`(
    length: Int, badReading: Int
  ) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let path = try #require(RemotePath("sample/Encryption/\(try keyFile(remote).lastPathComponent)"))
    let inspector = RemoteInspector(
      backend: OneBadReading(
        base: FileManagerBackend(folder: remote.remote.path), file: path, number: badReading, length: length),
      password: SampleRemote.password)

    let verification = try await inspector.verify()

    #expect(verification.isClean, "\(verification.findings)")
    #expect(verification.locked == 0)
  }
}

/// Storage that cuts a file off at one of its readings.
private final class OneBadReading: WrappingBackend {
  let base: any SyncBackend
  private let file: RemotePath
  private let number: Int
  private let length: Int
  private let count = Mutex(0)

  init(base: any SyncBackend, file: RemotePath, number: Int, length: Int) {
    self.base = base
    self.file = file
    self.number = number
    self.length = length
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    let bytes = try await base.download(path, limit: limit)
    guard path == file else { return bytes }
    let isBad = count.withLock { count in
      count += 1
      return count == number
    }
    return isBad ? Array(bytes.prefix(length)) : bytes
  }
}
