import FileManagerBackend
import Foundation
import Inspection
import Testing

/// Each test makes one kind of damage and expects the verification to name it.
@Suite struct VerificationTests {
  func kinds(_ remote: SampleRemote) async throws -> Set<Finding.Kind> {
    Set(try await remote.inspector.verify().findings.map(\.kind))
  }

  @Test(arguments: [true, false]) func `a sound remote has no findings`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let verification = try await remote.inspector.verify()
    #expect(verification.findings == [])
    #expect(verification.documents == 1)
    #expect(verification.sets == 4)
    #expect(verification.heads == 2)
    #expect(verification.locked == 0)
  }

  @Test func `without a password, names and hashes are checked and the rest is counted`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    let verification = try await inspector.verify()
    #expect(verification.findings == [])
    #expect(verification.locked == 4 + 2 + 2 + 1 + 2)

    try remote.flip(try remote.sets()[1])
    #expect(try await inspector.verify().findings.map(\.kind) == [.damagedFile])
  }

  @Test(arguments: [true, false]) func `a changed byte`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try remote.flip(try remote.sets()[1])
    #expect(try await kinds(remote) == [.damagedFile])
  }

  @Test func `of a file that no device writes again, it is said what does`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let application = try #require(
      FileManager.default.contentsOfDirectory(at: remote.remote, includingPropertiesForKeys: nil).first)
    try FileManager.default.removeItem(at: application.appending(path: "ReadMe.txt"))
    let finding = try #require(try await remote.inspector.verify().findings.first)
    #expect(finding.code == .partMissing && finding.next.contains("repair REMOTE --apply"))
    #expect(!finding.next.contains("Sync") && !finding.message.contains("cut off"))
    try FileManager.default.removeItem(at: application.appending(path: "Founding"))
    let both = try #require(try await remote.inspector.verify().findings.first?.next)
    #expect(both.contains("repair REMOTE --apply") && both.contains("Sync a device that has joined"))
  }

  @Test func `a changed byte under a name made to fit is not authentic`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let last = try remote.sets()[2]
    try remote.flip(last)
    try remote.rename(last, sequence: 3)
    #expect(try await kinds(remote) == [.notAuthentic, .missingSet])
  }

  @Test func `a set put in the place of another is not authentic`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let sets = try remote.sets()
    try FileManager.default.removeItem(at: sets[2])
    try remote.rename(sets[1], sequence: 3)
    #expect(try await kinds(remote) == [.gap, .missingSet, .notAuthentic])
  }

  @Test func `without encryption, a set put in the place of another is misplaced`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let sets = try remote.sets()
    try FileManager.default.removeItem(at: sets[2])
    try remote.rename(sets[1], sequence: 3)
    #expect(try await kinds(remote) == [.gap, .missingSet, .misplaced])
  }

  @Test func `a missing set between others`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    try FileManager.default.removeItem(at: try remote.sets()[1])
    let findings = try await remote.inspector.verify().findings
    #expect(findings.map(\.kind) == [.gap])
    #expect(findings.first?.message == "Set 2 is missing, though there is set 3.")
  }

  @Test func `a missing last set`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    try FileManager.default.removeItem(at: try remote.sets()[2])
    #expect(try await kinds(remote) == [.missingSet])
  }

  @Test(arguments: [true, false]) func `long values that are there, changed, missing or of no use`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "a long text ", count: 10_000))
    let verification = try await remote.inspector.verify()
    #expect(verification.findings == [])
    #expect(verification.longValues == 1)

    let value = try #require(try remote.files(in: "LongValues").first)
    let unused = value.deletingLastPathComponent().appending(
      path: "\(String(repeating: "0", count: 32)).value")
    try FileManager.default.copyItem(at: value, to: unused)
    #expect(try await kinds(remote) == [.unusedValue])
    try remote.flip(value)
    let damaged = try await kinds(remote).subtracting([.unusedValue])
    #expect(!damaged.isEmpty && damaged.isSubset(of: [.damagedFile, .undecodable, .notAuthentic]))
    try FileManager.default.removeItem(at: value)
    #expect(try await kinds(remote) == [.missingValue, .unusedValue])
  }

  @Test func `sets without a head`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    for head in try remote.files(in: "RecentSyncs") { try FileManager.default.removeItem(at: head) }
    let verification = try await remote.inspector.verify()
    #expect(verification.findings.map(\.kind) == [.missingHead, .missingHead])
    #expect(!verification.isClean)
  }

  @Test(arguments: [true, false]) func `a damaged head`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try remote.flip(try remote.files(in: "RecentSyncs")[0])
    #expect(try await kinds(remote) == [encrypted ? .notAuthentic : .undecodable])
  }

  @Test(arguments: [true, false]) func `a head that nobody has written`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let head = try remote.files(in: "RecentSyncs")[0]
    let name = head.lastPathComponent
    let forged = name.replacing(/\.[0-9a-f]{20}\.head$/, with: ".00000000000000000000.head")
    try Data().write(to: head.deletingLastPathComponent().appending(path: forged))
    #expect(try await kinds(remote) == [.forgedName])
  }

  @Test func `a founding record that was changed`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    try remote.flip(try remote.files(in: "IntegrityKey")[0])
    #expect(try await kinds(remote) == [.undecodable])
  }

  @Test func `a key file under the name of another key`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = remote.remote.appending(path: "sample/Encryption")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).first)
    try FileManager.default.moveItem(
      at: file, to: folder.appending(path: "0000000000000000.0000000000000000.keys"))
    #expect(try await kinds(remote) == [.misplaced, .incompleteHierarchy])
  }

  @Test func `a file that was put there without the key`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let plain = try await SampleRemote(encrypted: false)
    let bytes = try Data(contentsOf: try plain.sets()[2])
    let last = try remote.sets()[2]
    try bytes.write(to: last)
    try remote.rename(last, sequence: 3)
    #expect(try await kinds(remote) == [.notSealed, .missingSet])
  }

  @Test func `foreign files are hints`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let set = try remote.sets()[0]
    let copy = set.deletingLastPathComponent().appending(path: "\(set.lastPathComponent) (conflicted copy)")
    try FileManager.default.copyItem(at: set, to: copy)
    try Data().write(to: remote.remote.appending(path: ".DS_Store"))
    let verification = try await remote.inspector.verify()
    #expect(verification.findings.map(\.kind) == [.foreignEntry, .foreignEntry])
    #expect(verification.isClean)
  }

  @Test func `missing parts of the hierarchy`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.removeItem(at: remote.remote.appending(path: "sample/ReadMe.txt"))
    try FileManager.default.removeItem(
      at: remote.remote.appending(path: "sample/Documents/things/documentInfo.plist"))
    #expect(
      try await remote.inspector.verify().findings.map(\.kind) == [
        .incompleteHierarchy, .incompleteHierarchy,
      ])
  }

  @Test func `a damaged key file`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = remote.remote.appending(path: "sample/Encryption")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).first)
    try Data("x".utf8).write(to: file)
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    #expect(try await inspector.verify().findings.map(\.kind) == [.undecodable])
    #expect(try await kinds(remote) == [.undecodable])
    await #expect(throws: InspectionError.self) { try await remote.inspector.forEachSet { _ in } }
  }

  @Test func `every finding says what to do next`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let sets = try remote.sets()
    try remote.flip(sets[0])
    try FileManager.default.removeItem(at: sets[1])
    try Data().write(to: remote.remote.appending(path: "a b"))
    for finding in try await remote.inspector.verify(named: "REMOTE").findings {
      #expect(!finding.next.isEmpty)
      #expect(finding.message.hasSuffix("."), "\(finding.message)")
    }
  }
}
