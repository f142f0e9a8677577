import ChangeTracking
import Crypto
import FileManagerBackend
import Foundation
import Inspection
import TICDSOpenSSL
import Testing

@testable import SyncProtocol

/// Keys, foundings and acceptances that somebody has forged, damaged or removed; each is named.
@Suite struct FoundingVerificationTests {
  private func application(_ remote: SampleRemote) -> URL { remote.remote.appending(path: "sample") }

  private func findings(_ remote: SampleRemote) async throws -> [Finding] {
    try await remote.inspector.verify().findings
  }

  /// A key file that somebody locked who does not know the password.
  private func foreignKeyFile(cost: UInt64 = 16) throws -> (name: String, bytes: Data) {
    let made = try KeyFile.create(
      password: "another", parameters: Scrypt.Parameters(cost: cost, blockSize: 8, parallelization: 1))
    return ("\(made.key.identifier).0123456789abcdef.keys", Data(made.file.bytes))
  }

  @Test func `a text in place of the explanation for people is told of`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    try Data("Send your password to …".utf8).write(to: application(remote).appending(path: "ReadMe.txt"))
    let findings = try await findings(remote)
    #expect(findings.map(\.kind) == [.damagedFile])
    #expect(findings.first?.path == "sample/ReadMe.txt")
  }

  @Test(arguments: [true, false])
  func `founding records that are gone are missed`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let folders = ["Founding", "Documents/things/IntegrityKey"]
    for folder in folders {
      for file in try FileManager.default.contentsOfDirectory(
        atPath: application(remote).appending(path: folder).path)
      {
        try FileManager.default.removeItem(at: application(remote).appending(path: "\(folder)/\(file)"))
      }
    }
    let paths = try await findings(remote).filter { $0.kind == .incompleteHierarchy }.map(\.path)
    #expect(paths == folders.reversed().map { "sample/\($0)" })
  }

  @Test(arguments: [("compact", 2), ("classic", 1), ("", 0)] as [(String, UInt16)])
  func `a record that founds a document in a format which is not read is named`(
    _ format: (name: String, version: UInt16)
  ) async throws {
    let remote = try await SampleRemote(encrypted: false)
    let (one, two) = (try #require(RemoteName("sample")), try #require(RemoteName("things")))
    let hierarchy = ApplicationHierarchy(application: one).document(two)
    let record = FoundingRecord(
      key: nil, time: 1, application: "sample", document: "things", format: format.name,
      formatVersion: format.version, creator: "forged", nonce: [UInt8](repeating: 7, count: 16))
    let statement = hierarchy.statement(founding: record.integrityKey, key: nil)
    let name = FoundingName(
      record.integrityKey, key: nil, code: try NameAuthenticator(keys: nil).code(statement))
    let path = hierarchy.file(of: name).description
    try Data(try record.encoded(with: nil)).write(to: remote.remote.appending(path: path))

    let named = try await findings(remote).filter { $0.code == .unknownFormat }

    #expect(named.map(\.path) == [path])
    #expect(named.first?.message.contains("“\(format.name)” \(format.version)") == true, "\(named)")
  }

  @Test(arguments: ["Documents", "Founding", "Information", "Documents/things/SyncChanges"], [true, false])
  func `something else in place of a folder is an error that names it`(_ folder: String, isLink: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let place = application(remote).appending(path: folder)
    try FileManager.default.moveItem(at: place, to: remote.folder.url.appending(path: "aside"))
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: "/")
    } else {
      try Data([1]).write(to: place)
    }
    let named = try await findings(remote).filter { $0.path == "sample/\(folder)" && $0.severity == .error }
    #expect(named.map(\.kind) == [.incompleteHierarchy])
  }

  @Test
  func
    `key files that no founding record names are told of once, for the passwords of newcomers are tried on them`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    for _ in 0..<5 {
      let file = try foreignKeyFile()
      try file.bytes.write(to: application(remote).appending(path: "Encryption/\(file.name)"))
    }
    let named = try await findings(remote).filter { $0.code == .keyFilesUnnamed }
    #expect(named.map(\.path) == ["sample/Encryption"])
    #expect(named.first?.message.hasPrefix("5 files, ") == true)
  }

  @Test(arguments: ["Founding", "Documents/things/IntegrityKey"], [true, false])
  func `the name of a founding record is enough to read by where something else bears it`(
    _ folder: String, isLink: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let records = application(remote).appending(path: folder)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: records.path).first)
    let record = records.appending(path: name)
    try FileManager.default.removeItem(at: record)
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: record.path, withDestinationPath: "/")
    } else {
      try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
    }

    let findings = try await findings(remote)

    #expect(findings.map(\.code) == [.fileReplaced], "\(findings)")
    #expect(findings.first?.path == "sample/\(folder)/\(name)")
  }

  @Test func `notes of withdrawals that nobody with the key has written are told of once`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = application(remote).appending(path: "Encryption")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let key = try #require(names.lazy.compactMap { RemoteName($0).flatMap(KeyFileName.init) }.first).key
    for number in 0..<3 {
      let slot = String(repeating: "\(number)", count: 32)
      let name = "\(key).\(slot).\(String(repeating: "0", count: 20)).withdrawn"
      try Data().write(to: folder.appending(path: name))
    }

    let named = try await findings(remote).filter { $0.code == .withdrawalForged }

    #expect(named.map(\.severity) == [.warning])
    #expect(named.first?.message.hasPrefix("3 files, ") == true)
  }

  @Test func `what makes newcomers take an application for encrypted that is not is an error`() async throws {
    for name in ["0000000000000000.1111111111111111.wrapped", "salt.ticdsync"] {
      let remote = try await SampleRemote(encrypted: false)
      let folder = application(remote).appending(path: "Encryption")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data([1]).write(to: folder.appending(path: name))
      let named = try await findings(remote).filter { $0.path == "sample/Encryption/\(name)" }
      #expect(named.contains { $0.kind == .misplaced && $0.severity == .error })
    }
  }

  @Test func `there are no more findings than foundings, however many are forged`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let hierarchy = ApplicationHierarchy(application: try #require(RemoteName("sample")))
      .document(try #require(RemoteName("things")))
    let authenticator = try NameAuthenticator(keys: nil)
    for number in 0..<60 {
      let key = IntegrityKey(ContentHash(of: [UInt8(number)]))
      let name = FoundingName(
        key, key: nil, code: authenticator.code(hierarchy.statement(founding: key, key: nil)))
      try Data([1]).write(
        to: application(remote).appending(path: "Documents/things/IntegrityKey/\(name.name)"))
    }
    let rivals = try await findings(remote).filter { $0.kind == .rivalCreation && $0.severity == .warning }
    #expect(rivals.count == 61)
    #expect(rivals.allSatisfy { $0.message.utf8.count < 500 })
  }

  @Test func `a key without its key file is missed`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = application(remote).appending(path: "Encryption")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appending(path: file))
    }
    let missed = try await findings(remote).filter { $0.kind == .incompleteHierarchy }
    #expect(missed.map(\.path) == ["sample/Encryption"])
  }

  @Test func `a damaged key file hides nothing else`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = application(remote).appending(path: "Encryption")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try Data([1, 2, 3]).write(to: folder.appending(path: file))
    }
    try remote.flip(try remote.sets()[1])
    let verification = try await remote.inspector.verify()
    #expect(Set(verification.findings.map(\.kind)).isSuperset(of: [.undecodable, .damagedFile]))
    #expect(verification.locked > 0)
  }

  @Test func `a wrapped key that does not hold what its name says is not authentic`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = application(remote).appending(path: "Encryption")
    let own = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first).prefix(16)
    try Data([1, 2, 3]).write(to: folder.appending(path: "0123456789abcdef.\(own).wrapped"))
    try Data([1, 2, 3]).write(to: folder.appending(path: "\(own).0123456789abcdef.wrapped"))
    let findings = try await findings(remote)
    #expect(findings.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.forgedName, .notAuthentic])
  }

  @Test(arguments: [true, false])
  func `an acceptance with the code of nobody is forged`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let folder = try #require(try remote.files(in: "IntegrityKey").first).deletingLastPathComponent()
    let digits = String(repeating: "01", count: 16)
    let name = "\(digits).\(String(digits.reversed())).\(String(repeating: "0", count: 20)).accepted"
    try Data(name.utf8).write(to: folder.appending(path: name))
    let findings = try await findings(remote)
    #expect(findings.map(\.kind) == [.forgedName])
    #expect(findings.first?.path.hasSuffix(".accepted") == true)
  }

  @Test func `the work of trying a password is bounded, however many key files there are`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = application(remote).appending(path: "Encryption")
    let dear = try foreignKeyFile()
    for number in 0..<600 {
      let digits = String(number, radix: 16)
      let random = String(repeating: "0", count: 16 - digits.count) + digits
      try dear.bytes.write(to: folder.appending(path: "\(dear.name.prefix(16)).\(random).keys"))
    }
    let counting = CountingBackend(FileManagerBackend(folder: remote.remote.path))
    let inspector = RemoteInspector(backend: counting, password: SampleRemote.password)
    var sets = 0
    try await inspector.forEachSet { set in if case .success = set.result { sets += 1 } }
    #expect(sets == 4)
    // 256 key files at most, the folders and the sets.
    #expect(counting.count.requests < 300)
  }

  @Test(arguments: [true, false], [true, false])
  func `of what is left of a deleted document no repair is promised`(encrypted: Bool, hasRecord: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    let (folder, kept) = (
      application(remote).appending(path: "Documents/things"), remote.folder.url.appending(path: "kept")
    )
    try FileManager.default.copyItem(at: folder, to: kept)
    try await remote.deleteDocument()
    #expect(try await findings(remote).map(\.code) == [.onlyDeletions])
    try FileManager.default.moveItem(at: kept, to: folder)
    if !hasRecord { try FileManager.default.removeItem(at: folder.appending(path: "IntegrityKey")) }

    let told = try await findings(remote)
    #expect(told.count == 1 && told[0].path.hasSuffix(".deleted"), "\(told)")
    #expect(told[0].next.contains("Delete it once more"))
    #expect(encrypted != told[0].next.contains("If nobody has deleted it"))
  }

  @Test(arguments: [true, false], [Verification.Depth.names, .data])
  func `a deleted document whose files came back beside its successor is no rival of that`(
    encrypted: Bool, depth: Verification.Depth
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let folder = application(remote).appending(path: "Documents/things/IntegrityKey")
    let former = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let records = try former.map { ($0, try Data(contentsOf: $0)) }
    try await remote.deleteDocument()
    try await remote.device("founder").push("anew")
    for (place, bytes) in records { try bytes.write(to: place) }

    let told = try await remote.inspector.verify(depth: depth).findings

    #expect(told.map(\.code) == [.deletedDocumentLeft], "\(told)")
  }

  @Test(arguments: [true, false])
  func `a document that has lost its record is not taken for the one that had its name and was deleted`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.deleteDocument()
    try await remote.device("founder").push("anew")
    #expect(try await findings(remote).isEmpty)
    try FileManager.default.removeItem(
      at: application(remote).appending(path: "Documents/things/IntegrityKey"))

    let told = try await findings(remote)

    #expect(!told.contains { $0.code == .deletedDocumentLeft || $0.next.contains("Delete it") }, "\(told)")
    #expect(told.contains { $0.next.contains("Sync a device") }, "\(told)")
  }

  @Test func `a folder of another application with another password hides nothing`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let foreign = try foreignKeyFile()
    let folder = remote.remote.appending(path: "other/Encryption")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try foreign.bytes.write(to: folder.appending(path: foreign.name))
    let verification = try await remote.inspector.verify()
    #expect(verification.sets == 4 && verification.locked == 0)
    #expect(verification.findings.contains { $0.path == "other" && $0.kind == .notAuthentic })
    #expect(!verification.findings.contains { $0.path.hasPrefix("sample") })
  }
}
