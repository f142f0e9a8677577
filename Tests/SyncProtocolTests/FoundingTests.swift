import BackendConformance
import ChangeTracking
import Crypto
import Testing

@testable import SyncProtocol

/// Devices that found a remote while others do, or before it has arrived.
@Suite struct FoundingTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device
  private let c: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
    c = Device("device-c", in: workplace)
  }

  private let application = DocumentHierarchy.notes.application

  /// `a` and `b` found the document, each on storage of its own, write a note and synchronise; then the folders meet.
  private func foundApart(_ one: EncryptionChoice, _ other: EncryptionChoice) async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote, one)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(elsewhere, other)
    try b.write("two", "by b")
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
  }

  private func agree(_ devices: [Device], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<3 { for device in devices { try await device.sync(remote) } }
    let notes = try devices[0].notes
    #expect(notes == ["one: by a", "two: by b"], sourceLocation: sourceLocation)
    for device in devices {
      #expect(try device.notes == notes, sourceLocation: sourceLocation)
      let last = try await device.sync(remote)
      #expect(last.requests == 1 && last.findings.isEmpty, "\(last.findings)", sourceLocation: sourceLocation)
    }
  }

  private func asksForKey(_ report: SyncReport) -> Bool {
    report.findings.contains { if case .keyMissing = $0 { true } else { false } }
  }

  private func refusal(_ body: () async throws -> Void) async -> SyncError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? SyncError)?.code
    }
  }

  // MARK: Two foundings that meet

  @Test func `without encryption, foundings that meet become one by themselves`() async throws {
    try await foundApart(.none, .none)
    try await agree([a, b])
    try await c.register(remote)
    try await agree([a, b, c])
  }

  @Test func `with one password, a newcomer heals the rings of all devices`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    #expect(asksForKey(try await a.sync(remote)))
    #expect(asksForKey(try await b.sync(remote)))
    #expect(try a.notes == ["one: by a"])

    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
  }

  @Test func `with two passwords, all devices say so until somebody gives both`() async throws {
    try await foundApart(.password("by a"), .password("by b"))
    for device in [a, b, a, b] { #expect(asksForKey(try await device.sync(remote))) }

    let ring = try #require(a.ring)
    try await a.register(remote, .keysAndPassword(ring, "by b"))
    try await agree([a, b])
    // Newcomers can use either.
    try await c.register(remote, .password("by a"))
    let d = Device("device-d", in: workplace)
    try await d.register(remote, .password("by b"))
    try await agree([a, b, c, d])
  }

  @Test func `of a founding with encryption and one without, both sides are told and nothing is mixed`()
    async throws
  {
    try await foundApart(.none, .password("pass"))
    for _ in 0..<2 {
      let plain = try await a.sync(remote)
      let sealed = try await b.sync(remote)
      #expect(plain.findings.contains { if case .foundedEncrypted = $0 { true } else { false } })
      #expect(sealed.findings.contains { if case .unverifiedHeads = $0 { true } else { false } })
    }
    #expect(try a.notes == ["one: by a"] && b.notes == ["two: by b"])
    // Nobody joins in the clear any more.
    #expect(await refusal { try await c.register(remote) } == .passwordRequired)
    try await c.register(remote, .password("pass"))
    try await c.sync(remote)
    #expect(try c.notes == ["two: by b"])
  }

  @Test func `keys that came from others outlast the program, sealed`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
    for path in remote.paths({ WrappedKeyName($0) }) { try await remote.remove(path) }
    try b.write("two", "by b again")
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes == ["one: by a", "two: by b again"])
  }

  @Test func `of a wrapped key that somebody else has made nothing is believed`() async throws {
    try await foundApart(.password("pass"), .password("pass"))
    let names = remote.paths { KeyFileName($0) }.compactMap { $0.name.flatMap { KeyFileName($0) }?.key }
    for (key, wrapping) in [(names[0], names[1]), (names[1], names[0])] {
      let name = WrappedKeyName(key, wrapping: wrapping).name
      try await remote.upload([1, 2, 3], to: application.encryption.appending(name))
    }
    #expect(asksForKey(try await a.sync(remote)))
    #expect(asksForKey(try await b.sync(remote)))
    // It does not keep the right one away.
    try await c.register(remote, .password("pass"))
    try await agree([a, b, c])
  }

  @Test func `sets that were made before registration are not pushed in the clear`() async throws {
    try a.write("one", "by a")
    try a.freeze()
    try await a.register(remote, .password("pass"))
    try await a.sync(remote)
    let sets = remote.paths { SetName($0) }
    #expect(!sets.isEmpty && sets.allSatisfy { SealedContainer.isSealed(remote.files[$0] ?? []) })
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a"])
  }

  // MARK: At once, on one folder

  @Test func `with one password, two that found at once have both keys`() async throws {
    let interleaved = InterleavingBackend(remote, before: application.readMe.description) { [b, remote] in
      _ = try? await b.register(remote, .password("pass"))
    }
    try await a.register(interleaved, .password("pass"))
    try a.write("one", "by a")
    try b.write("two", "by b")
    try await agree([a, b])
  }

  @Test func `with two passwords, one founding remains and the other device is told`() async throws {
    for seed in UInt64(1)...6 {
      let remote = MemoryBackend()
      let workplace = try Workplace(seed: seed)
      let (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
      let interleaved = InterleavingBackend(remote, before: application.readMe.description) {
        _ = try? await b.register(remote, .password("by b"))
      }
      #expect(await refusal { try await a.register(interleaved, .password("by a")) } == .wrongPassword)
      #expect(remote.paths { KeyFileName($0) }.count == 1)
      #expect(remote.paths { FoundingName($0) }.filter { $0.parent == application.founding }.count == 1)
      #expect(try await !a.register(remote, .password("by b")).isNew)
    }
  }

  @Test func `a founding without encryption is withdrawn if there is one with`() async throws {
    let interleaved = InterleavingBackend(remote, before: application.readMe.description) { [b, remote] in
      _ = try? await b.register(remote, .password("pass"))
    }
    #expect(await refusal { try await a.register(interleaved) } == .passwordRequired)
    #expect(remote.paths { FoundingName($0) }.allSatisfy { !$0.description.contains("plain") })
    #expect(try await !a.register(remote, .password("pass")).isNew)
  }

  @Test func `a founder that was interrupted is completed by whoever has the password`() async throws {
    for requests in 0..<20 {
      let remote = MemoryBackend()
      let (a, b) = (
        Device("device-a\(requests)", in: workplace), Device("device-b\(requests)", in: workplace)
      )
      _ = try? await a.register(FaultyBackend(remote, after: requests, .answerLost), .password("pass"))
      try await b.register(remote, .password("pass"))
      try await a.register(remote, .password("pass"))
      try a.write("one", "by a")
      try b.write("two", "by b")
      for device in [a, b, a, b] { try await device.sync(remote) }
      #expect(try a.notes == ["one: by a", "two: by b"])
      #expect(try b.notes == a.notes)
    }
  }

  // MARK: Late delivery

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

  // MARK: Downgrade

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

  // MARK: A document that was deleted

  @Test func `a document's sets are not accepted in its successor, nor its record`() async throws {
    try await a.register(remote, .password("pass"))
    try a.write("one", "of the former")
    try await a.sync(remote)
    let former = remote.copy()
    try await remote.remove(DocumentHierarchy.notes.root)
    workplace.clock.advance(1_000)
    try await b.register(remote, .password("pass"))
    // Storage puts everything back, and a newcomer comes.
    remote.meet(former)
    workplace.clock.advance(1_000)
    try await c.register(remote, .password("pass"))
    try c.write("two", "of the successor")
    for _ in 0..<3 { for device in [b, c] { try await device.sync(remote) } }
    #expect(try b.notes == ["two: of the successor"])
    #expect(try c.notes == ["two: of the successor"])
  }

  @Test func `an empty file named like the own head does not hide that the document was replaced`()
    async throws
  {
    try await a.register(remote, .password("pass"))
    try a.write("one", "text")
    try await a.sync(remote)
    let head = try #require(remote.paths { HeadName($0) }.first)
    try await remote.remove(DocumentHierarchy.notes.root)
    try await b.register(remote, .password("pass"))
    try await remote.upload([], to: head)
    try a.write("two", "text")
    #expect(await refusal { try await a.sync(remote) } == .documentReplaced)
    #expect(remote.paths { SetName($0) }.isEmpty)
  }

  @Test func `a founding record that was lost is put back by a device that has its heads before it`()
    async throws
  {
    try await a.register(remote, .password("pass"))
    try a.write("one", "text")
    try await a.sync(remote)
    let record = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == DocumentHierarchy.notes.integrityKey })
    let bytes = remote.files[record]
    try await remote.remove(record)
    #expect(await refusal { try await b.register(remote, .password("pass")) } == .notDelivered)
    try await a.register(remote, .password("pass"))
    #expect(remote.files[record] == bytes)
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }
}

/// The file that says who founded.
@Suite struct FoundingRecordTests {
  private func record(_ key: KeyIdentifier?) -> FoundingRecord {
    var random = SystemRandomNumberGenerator()
    return FoundingRecord(
      key: key, time: 7, application: "app", document: "doc", format: "compact", formatVersion: 1,
      creator: "me",
      nonce: FoundingRecord.nonce(using: &random))
  }

  @Test(arguments: [true, false])
  func `a record comes back as it was written, and is refused if anything was changed`(_ isSealed: Bool)
    throws
  {
    let key = isSealed ? try MasterKey.generate() : nil
    let ring = key.map { KeyRing($0) }
    let record = record(key?.identifier)
    let bytes = try record.encoded(with: key)
    #expect(try FoundingRecord(bytes, keys: ring) == record)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: (any Error).self) { try FoundingRecord(changed, keys: ring) }
      #expect(throws: (any Error).self) { try FoundingRecord(Array(bytes[..<index]), keys: ring) }
    }
    #expect(throws: FormatError.self) { try FoundingRecord(bytes + [0], keys: ring) }
  }

  @Test func `the names of foundings, acceptances and keys come back as they were written`() throws {
    let key = try MasterKey.generate()
    let (one, two) = (record(key.identifier).integrityKey, record(nil).integrityKey)
    let code = try NameAuthenticator(keys: KeyRing(key)).code(["x"])
    for founding in [
      FoundingName(one, key: key.identifier, code: code), FoundingName(two, key: nil, code: code),
    ] {
      #expect(FoundingName(founding.name) == founding)
    }
    let acceptance = AcceptanceName(one, accepts: two, code: code)
    #expect(AcceptanceName(acceptance.name) == acceptance)
    #expect(acceptance.name.description.utf8.count <= RemoteName.byteLimit)
    let wrapped = WrappedKeyName(key.identifier, wrapping: try MasterKey.generate().identifier)
    #expect(WrappedKeyName(wrapped.name) == wrapped)
    var random = SystemRandomNumberGenerator()
    let file = KeyFileName(key.identifier, using: &random)
    #expect(KeyFileName(file.name) == file)
  }
}
