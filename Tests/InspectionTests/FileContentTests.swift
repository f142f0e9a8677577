import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import TICDSSQLite
import TemporaryFolders
import Testing

/// `content(of:)` and `FileContent`: what a file is, whatever it is.
@Suite struct FileContentTests {
  @Test(arguments: [true, false])
  func `every file of a remote is recognised, opened and without a problem`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 10_000))
    var kinds: Set<FileContent.Kind> = []
    for node in try await remote.inspector.tree().all where !node.isFolder {
      let path = try #require(node.path)
      let content = try await remote.inspector.content(of: path)
      if case .wrappedKey = node.role { continue }
      if case .acceptance = node.role { continue }
      kinds.insert(content.kind)
      #expect(content.problem == nil, "\(path): \(content.problem ?? "")")
      #expect(content.size == node.size)
    }
    var expected: Set<FileContent.Kind> = [.changeSet, .head, .founding, .propertyList, .text, .longValue]
    if encrypted { expected.insert(.keyFile) }
    #expect(kinds == expected)
  }

  @Test(arguments: [true, false])
  func `what is not what belongs in its place has a problem, whatever it is`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 10_000))
    let nodes = try await remote.inspector.tree().all.filter { !$0.isFolder }
    for node in nodes {
      switch node.role {
      case .head, .founding, .longValue, .set, .documentInformation, .deviceInformation: break
      default: continue
      }
      let path = try #require(node.path)
      let file = remote.remote.appending(path: path.description)
      let whole = try Data(contentsOf: file)
      for bytes in [Data(), Data((0..<128).map { UInt8($0 * 7 % 251) }), Data("words".utf8)] {
        try bytes.write(to: file)
        let content = try await remote.inspector.content(of: path)
        #expect(content.problem != nil && !content.isLocked, "\(path), \(bytes.count) bytes: \(content.kind)")
      }
      try whole.write(to: file)
    }
  }

  @Test func `bytes of nothing behind what describes a document are passed over, as by devices`() async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let path = try #require(RemotePath("sample/Documents/things/documentInfo.plist"))
    let file = remote.remote.appending(path: path.description)
    try (Data(contentsOf: file) + Data([0, 0])).write(to: file)

    let content = try await remote.inspector.content(of: path)

    #expect(try await remote.inspector.verify().findings.isEmpty)
    #expect(content.kind == .propertyList && content.problem == nil, "\(content.problem ?? "")")
  }

  @Test func `a request that holds something has a problem`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.removeItem(at: try #require(try remote.sets().first))
    try await remote.repair()
    let request = try #require(try remote.files(in: "RecentSyncs", suffix: ".resend").first)
    let path = try #require(RemotePath("sample/Documents/things/RecentSyncs/\(request.lastPathComponent)"))
    #expect(try await remote.inspector.content(of: path).problem == nil)

    try Data("words".utf8).write(to: request)

    #expect(try await remote.inspector.content(of: path).problem?.contains("its name says all") == true)
  }

  @Test func `a long value that is another than its name says has a problem`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    for text in ["one ", "two "] { try await remote.addLongValue(String(repeating: text, count: 10_000)) }
    let files = try await remote.inspector.tree().all.filter {
      if case .longValue = $0.role { true } else { false }
    }.compactMap(\.path)
    try #require(files.count == 2)
    try Data(contentsOf: remote.remote.appending(path: "\(files[0])"))
      .write(to: remote.remote.appending(path: "\(files[1])"))

    #expect(try await remote.inspector.content(of: files[0]).problem == nil)
    #expect(try await remote.inspector.content(of: files[1]).problem?.contains("another value") == true)
  }

  @Test(arguments: [true, false])
  func `the note of a deletion is opened where its document is there again, and else it is said why not`(
    isBack: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = remote.remote.appending(path: "sample/Documents/things")
    let kept = remote.folder.url.appending(path: "kept")
    try FileManager.default.copyItem(at: folder, to: kept)
    try await remote.deleteDocument()
    if isBack { try FileManager.default.moveItem(at: kept, to: folder) }
    let note = try #require(try await remote.inspector.tree().all.first { $0.role == .deletion }?.path)

    let content = try await remote.inspector.content(of: note)

    #expect(content.kind == (isBack ? .propertyList : .sealed) && !content.isLocked)
    #expect(content.problem == nil && !content.isLocked, "\(content.problem ?? "")")
    #expect(isBack || content.facts.contains { $0.name == "sealedFor" })
  }

  @Test func `a database with a column that would be computed is not read`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("store.sqlite")
    let connection = try Connection(path: path)
    try connection.execute(
      script: """
        CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID TEXT,
          Z_PLIST BLOB GENERATED ALWAYS AS (zeroblob(900000000)) VIRTUAL);
        INSERT INTO Z_METADATA(Z_UUID) VALUES (1);
        """)

    let content = try FileContent(ofFileAt: path)

    #expect(content.problem?.contains("“Z_METADATA.Z_PLIST” would be computed") == true)
  }

  @Test func `without the password a sealed file tells its key and that it is locked`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let set = try #require(try remote.sets().first)
    let path = try #require(RemotePath(set.path.replacing(remote.remote.path + "/", with: "")))
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    let content = try await inspector.content(of: path)
    #expect(content.kind == .sealed)
    #expect(content.isLocked)
    #expect(content.facts.map(\.name) == ["key"])
    let opened = try await remote.inspector.content(of: path)
    #expect(opened.kind == .changeSet)
    #expect(opened.isEncrypted)
    #expect(opened.set?.changes.count == 1)
  }

  @Test(arguments: [true, false])
  func `a flipped bit is told`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try #require(try remote.sets().first)
    try remote.flip(set)
    let path = try #require(RemotePath(set.path.replacing(remote.remote.path + "/", with: "")))
    let content = try await remote.inspector.content(of: path)
    #expect(content.problem != nil)
    #expect(!content.isLocked)
  }

  @Test(arguments: [true, false])
  func `a set that is larger than any may be is told, and not read`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try #require(try remote.sets().first)
    let path = try #require(RemotePath(set.path.replacing(remote.remote.path + "/", with: "")))
    let handle = try FileHandle(forWritingTo: set)
    try handle.truncate(atOffset: 200 << 20)
    try handle.close()

    let content = try await remote.inspector.content(of: path)
    #expect(content.problem?.contains("larger than 18 MiB") == true || content.kind == .changeSet)
    #expect(content.problem != nil && !content.isLocked && content.set == nil)
    let local = try FileContent(ofFileAt: set.path)
    #expect(local.kind == (encrypted ? .sealed : .changeSet) && local.set == nil && local.problem != nil)
    let findings = try await remote.inspector.verify().findings
    #expect(findings.contains { $0.path == path.description && $0.message.contains("larger than expected") })
  }

  @Test func `a store, an archive, text and nothing are recognised by their bytes`() throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore(model: ManagedObjectModel(Item.self), path: folder.file("store"))
    let context = try store.newContext()
    try context.insert(Item.self).name = "kept"
    try context.save()
    let content = try FileContent(ofFileAt: folder.file("store"))
    #expect(content.kind == .store)
    #expect(content.problem == nil)
    let objects = try #require(content.facts.first { $0.name == "objects" })
    guard case .group(let counts) = objects.value else {
      Issue.record("no counts")
      return
    }
    #expect(counts.map(\.value) == [.number(1)])
    let files: [(String, [UInt8], FileContent.Kind)] = [
      ("empty", [], .empty), ("note", Array("words\n".utf8), .text),
      ("zip", [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18), .zip),
      ("noise", [0xff, 0xfe, 0x00], .unknown),
      ("blocks", [UInt8](repeating: 0xa5, count: 112), .classicContainer),
    ]
    for (name, bytes, kind) in files {
      try Data(bytes).write(to: folder.url.appending(path: name))
      #expect(try FileContent(ofFileAt: folder.file(name)).kind == kind)
    }
    #expect(throws: InspectionError.self) { try FileContent(ofFileAt: folder.file("missing")) }
  }

  @Test func `bytes that begin like ours and go on as anything end with words`() throws {
    let folder = try TemporaryFolder()
    var random = SystemRandomNumberGenerator()
    let beginnings = [
      "TICDSset", "TICDSHD\u{1}", "TICDSFR\u{1}", "TICDSFL\u{1}", "TICDSSP\u{1}", "TICDSWS\u{1}",
      "TICDSval\u{1}\u{1}",
      "bplist00", "PK\u{3}\u{4}", "SQLite format 3\0", "<?xml ",
    ]
    for beginning in beginnings {
      for length in [0, 1, 40, 4_000] {
        let bytes =
          Array(beginning.utf8) + (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        try Data(bytes).write(to: folder.url.appending(path: "file"))
        #expect(try FileContent(ofFileAt: folder.file("file")).size == bytes.count)
      }
    }
  }
}
