import Crypto
import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// Something else lies in the place of a folder that devices need.
@Suite struct ReplacedFolderTests {
  private func folder(_ name: String, of remote: SampleRemote) -> URL {
    remote.remote.appending(path: "sample/Documents/things/\(name)")
  }

  private func apply(_ plan: RepairPlan, to remote: SampleRemote) async throws -> [RepairFailure] {
    try await RemoteRepair(
      backend: FileManagerBackend(folder: remote.remote.path),
      quarantine: Quarantine(newAt: remote.folder.file("kept"))
    ).apply(plan)
  }

  @Test(arguments: [true, false])
  func `a file in place of the folder of an author is named, put aside and replaced by a folder`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let place = try #require(try remote.sets().first).deletingLastPathComponent()
    try FileManager.default.removeItem(at: place)
    try Data("x".utf8).write(to: place)

    let findings = try await remote.inspector.verify().findings
    let codes = findings.filter { $0.path.hasSuffix(place.lastPathComponent) }.map(\.code)
    #expect(codes.first == .folderReplaced)
    #expect(!findings.contains { $0.code == .foreignEntry })

    #expect(try await apply(remote.inspector.planRepair(), to: remote).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
  }

  @Test func `a file that is said to be greater than the quarantine holds is not copied to find that out`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let place = try #require(try remote.sets().first).deletingLastPathComponent()
    try FileManager.default.removeItem(at: place)
    try Data("x".utf8).write(to: place)
    #expect(truncate(place.path, 200 << 30) == 0)
    let backend = WithoutDownloads(base: FileManagerBackend(folder: remote.remote.path))
    let repair = RemoteRepair(backend: backend, quarantine: try Quarantine(newAt: remote.folder.file("kept")))

    let failures = try await repair.apply(remote.inspector.planRepair())

    #expect(failures.contains { "\($0)".contains("does not fit") }, "\(failures)")
    #expect(try place.resourceValues(forKeys: [.fileSizeKey]).fileSize == 200 << 30)
  }

  @Test func `nothing is written below what is neither file nor folder nor link, which is left to a person`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.removeItem(at: try remote.sets()[1])
    let heads = folder("RecentSyncs", of: remote)
    try FileManager.default.removeItem(at: heads)
    #expect(mkfifo(heads.path, 0o600) == 0)

    let plan = try await remote.inspector.planRepair()

    #expect(plan.actions.isEmpty, "\(plan.actions.map(\.path))")
    #expect(plan.left.map(\.code).contains(.folderReplaced))
    #expect(plan.left.map(\.code).contains(.gap))
  }

  @Test(
    arguments: ["Documents/things", "ClientDevices/client-first", "Founding", "Information"], [true, false])
  func `whatever lies in place of a folder is named as that`(folder: String, isLink: Bool) async throws {
    let remote = try await SampleRemote(encrypted: false)
    // Another document is there still, of whose founding nothing tells.
    let documents = remote.remote.appending(path: "sample/Documents")
    let other = documents.appending(path: "others")
    try FileManager.default.copyItem(at: documents.appending(path: "things"), to: other)
    try FileManager.default.removeItem(at: other.appending(path: "IntegrityKey"))
    let place = remote.remote.appending(path: "sample/\(folder)")
    let elsewhere = remote.folder.url.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: place, to: elsewhere)
    if isLink {
      try FileManager.default.createSymbolicLink(at: place, withDestinationURL: elsewhere)
    } else {
      try Data("x".utf8).write(to: place)
    }

    let findings = try await remote.inspector.verify().findings

    let codes = findings.filter { $0.path == "sample/\(folder)" && $0.code != .foundingMissing }.map(\.code)
    #expect(codes == [.folderReplaced])
    try await remote.repair()
    // Of a document nothing but what lies in its place tells that it is lost.
    let isLeft = try await remote.inspector.verify().findings.map(\.code).contains(.folderReplaced)
    #expect(isLeft == folder.hasPrefix("Documents"))
  }

  @Test func `what file browsers drop beside documents is in place of none`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    for name in ["Thumbs.db", "desktop.ini", ".DS_Store"] {
      try Data("x".utf8).write(to: remote.remote.appending(path: "sample/Documents/\(name)"))
    }

    let findings = try await remote.inspector.verify().findings

    #expect(findings.map(\.code) == [.foreignEntry, .foreignEntry, .foreignEntry])
  }

  @Test func `what cannot be done is named, and all else is done`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.removeItem(at: try remote.sets()[1])
    let text = remote.remote.appending(path: "sample/ReadMe.txt")
    try Data("else".utf8).write(to: text)
    let plan = try await remote.inspector.planRepair()
    #expect(plan.actions.count == 3)
    try FileManager.default.removeItem(at: text)
    #expect(mkfifo(text.path, 0o600) == 0)

    let failures = try await apply(plan, to: remote)

    #expect(failures.map { "\($0.action.path)" } == ["sample/ReadMe.txt", "sample/ReadMe.txt"])
    #expect(failures.allSatisfy { !$0.reason.isEmpty })
    #expect(try remote.files(in: "RecentSyncs", suffix: ".resend").count == 1)
  }

  @Test func `undoing a repair of a link in the place of a folder once more leaves nothing to complain of`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let copy = try remote.copy()
    for name in ["SyncChanges", "IntegrityKey"] {
      let place = folder(name, of: remote)
      try FileManager.default.removeItem(at: place)
      try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: "/etc")
    }
    let before = try remote.contents()
    let repair = try await remote.repair(from: copy)
    #expect(try remote.contents() != before)

    #expect(try await repair.undo() == [])
    #expect(try await repair.undo() == [])
    #expect(try remote.contents() == before)
  }
}

/// Storage of which no file may be copied here.
private struct WithoutDownloads: WrappingBackend {
  let base: any SyncBackend

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    Issue.record("“\(path)” was copied")
    throw BackendError(.forbidden, path: path)
  }
}
