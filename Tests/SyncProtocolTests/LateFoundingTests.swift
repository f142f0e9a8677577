import BackendConformance
import ChangeTracking
import Crypto
import Testing

@testable import SyncProtocol

/// What a device does while the files that tell of encryption are missing, late or in the way.
@Suite struct LateFoundingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private let application = DocumentHierarchy.notes.application

  private enum Late: CaseIterable {
    case founding, keyFiles, both, foundingOfDocument
  }

  @Test(arguments: Late.allCases)
  private func `what has not arrived is waited for, and nothing is written`(_ late: Late) async throws {
    try await a.register(remote, .password("pass"))
    try a.write("one", "by a")
    try await a.sync(remote)
    for path in remote.files.keys {
      let isFounding = path.parent == application.founding
      let isKey = path.parent == application.encryption
      let isDocument = path.parent == DocumentHierarchy.notes.integrityKey
      switch late {
      case .founding: if isFounding { remote.hide(path) }
      case .keyFiles: if isKey { remote.hide(path) }
      case .both: if isFounding || isKey { remote.hide(path) }
      case .foundingOfDocument: if isDocument { remote.hide(path) }
      }
    }
    let before = remote.files
    let withPassword = await refusal { try await b.register(remote, .password("pass")) }
    let without = await refusal { try await c.register(remote) }
    let expected: [Late: (SyncError.Code?, SyncError.Code?)] = [
      .founding: (nil, .passwordRequired), .keyFiles: (.keysNotDelivered, .keysNotDelivered),
      .both: (.notDelivered, .notDelivered), .foundingOfDocument: (.notDelivered, .passwordRequired),
    ]
    #expect(withPassword == expected[late]?.0)
    #expect(without == expected[late]?.1)
    let written = remote.files.filter { before[$0.key] == nil }
    #expect(
      written.allSatisfy {
        SealedContainer.isSealed($0.value) || $0.key.name.flatMap { FoundingName($0) } != nil
      },
      "\(written.keys)")

    remote.showAll()
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a"])
    #expect(remote.paths { KeyFileName($0) }.count == 1)
  }

  private func foundingFolder(isOfDocument: Bool) -> RemotePath {
    isOfDocument ? DocumentHierarchy.notes.integrityKey : application.founding
  }

  @Test(
    arguments: [(true, true), (true, false), (false, true), (false, false)],
    [EncryptionChoice.none, .password("pass")])
  func `by the name of a founding record newcomers join, whatever bears it`(
    _ record: (isOfDocument: Bool, isLink: Bool), choice: EncryptionChoice
  ) async throws {
    let (isOfDocument, isLink) = record
    try await a.register(remote, choice)
    try a.write("one", "by a")
    try await a.sync(remote)
    let folder = foundingFolder(isOfDocument: isOfDocument)
    let record = try #require(remote.files.keys.first { $0.parent == folder })
    try await remote.remove(record)
    if isLink {
      remote.addForeign(try #require(record.name).description, to: folder)
    } else {
      try await remote.makeDirectory(record)
    }

    try await b.register(remote, choice)
    try await b.sync(remote)

    #expect(try b.notes == ["one: by a"])
  }

  @Test(arguments: [true, false])
  func `a file in the place of the folder of foundings is named, with what to do about it`(
    isOfDocument: Bool
  ) async throws {
    try await a.register(remote)
    try a.write("one", "by a")
    try await a.sync(remote)
    let folder = foundingFolder(isOfDocument: isOfDocument)
    try await remote.remove(folder)
    try await remote.upload([1], to: folder)
    let before = remote.files
    let error = try #require(await failure { try await b.register(remote) })
    #expect(isOfDocument || remote.files == before)
    #expect("\(error)".contains("\(folder)"), "\(error)")
    #expect(error.code == .damaged || error.backendError?.code == .notADirectory, "\(error)")
    #expect(error.recovery.contains("out of the way") && !error.recovery.contains("Wait"), "\(error)")
  }

  private enum Downgrade: CaseIterable {
    case keyFilesRemoved, keyFileIsALink, everythingOfKeysRemoved, classicSalt, folderOfKeysIsAFile
  }

  @Test(arguments: Downgrade.allCases)
  private func `nobody is brought to write in the clear`(_ downgrade: Downgrade) async throws {
    try await a.register(remote, .password("pass"))
    try a.write("one", "by a")
    try await a.sync(remote)
    let keyFile = try #require(remote.paths { KeyFileName($0) }.first)
    let name = try #require(keyFile.name)
    switch downgrade {
    case .keyFilesRemoved: try await remote.remove(keyFile)
    case .keyFileIsALink:
      try await remote.remove(keyFile)
      remote.addForeign(name.description, to: application.encryption)
    case .everythingOfKeysRemoved:
      try await remote.remove(application.encryption)
      try await remote.remove(application.founding)
    case .classicSalt:
      try await remote.remove(keyFile)
      try await remote.remove(application.founding)
      let salt = RemoteName(trusted: "salt.ticdsync")
      try await remote.upload([UInt8](repeating: 1, count: 16), to: application.encryption.appending(salt))
    case .folderOfKeysIsAFile:
      try await remote.remove(application.encryption)
      try await remote.remove(application.founding)
      try await remote.upload([1], to: application.encryption)
    }
    let before = remote.files
    let without = await refusal { try await b.register(remote) }
    let withPassword = await refusal { try await c.register(remote, .password("pass")) }
    let codes: [SyncError.Code?] = [.keysNotDelivered, .notDelivered, .passwordRequired, .unsupportedFormat]
    #expect(without != nil && codes.contains(without))
    #expect(withPassword != nil && codes.contains(withPassword) && withPassword != .notEncrypted)
    #expect(remote.files == before)
    // Those who have the keys go on.
    try a.write("one", "by a again")
    try await a.sync(remote)
  }

  @Test(arguments: [0, 1, 2])
  func `a strange key file with a smaller name locks nobody out`(_ kind: Int) async throws {
    try await a.register(remote, .password("pass"))
    let name = RemoteName(trusted: "0000000000000000.0000000000000000.keys")
    let path = application.encryption.appending(name)
    switch kind {
    case 0: try await remote.upload([1, 2, 3], to: path)
    case 1:
      let file = try KeyFile.create(
        password: "another", parameters: .init(cost: 16, blockSize: 8, parallelization: 1))
      let right = "\(file.key.identifier).0000000000000000.keys"
      try await remote.upload(
        file.file.bytes, to: application.encryption.appending(RemoteName(trusted: right)))
    default: try await remote.makeDirectory(path)
    }
    try await b.register(remote, .password("pass"))
    try b.write("one", "by b")
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes == ["one: by b"])
    #expect(await refusal { try await c.register(remote, .password("wrong")) } == .wrongPassword)
  }

  @Test func `a new remote is not encrypted with a password that can be guessed`() async throws {
    var configuration = try a.configuration
    configuration.passwordMinimum = 8
    let manager = ApplicationSyncManager(backend: remote, configuration: configuration)
    let error = await #expect(throws: SyncError.self) { try await manager.register(.password("1234567")) }
    #expect(error?.code == .weakPassword)
    #expect(remote.files.isEmpty)
    try await a.register(remote, .password("x"))
    try await manager.register(.password("x"))
  }
}
