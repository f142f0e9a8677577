import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// Folders and files of ours whose names were changed, in the case of their letters or otherwise, or that were moved.
@Suite struct OtherCaseTests {
  private static let folders = [
    "Documents", "Founding", "ClientDevices", "Information", "Documents/things",
    "Documents/things/SyncChanges", "Documents/things/RecentSyncs", "Documents/things/IntegrityKey",
    "Documents/things/WholeStore", "Documents/things/LongValues",
  ]

  private func move(_ old: String, _ new: String, on remote: SampleRemote) throws {
    let root = remote.remote.appending(path: "sample")
    try FileManager.default.moveItem(at: root.appending(path: old), to: root.appending(path: new))
  }

  private func expectError(
    _ code: Finding.Code, at path: String, _ words: String, on remote: SampleRemote
  ) async throws {
    let verification = try await remote.inspector.verify()
    let finding = verification.findings.first { $0.path == path && $0.code == code }
    #expect(finding != nil, "\(path): \(verification.findings.map { ($0.path, $0.code) })")
    #expect(verification.outcome == .damaged)
    #expect(
      finding.map { $0.next.contains(words) || $0.message.contains(words) } == true, "\(finding as Any)")
    #expect(finding.map { !$0.next.contains("emove it") } == true)
  }

  @Test(arguments: folders, [true, false])
  func `a folder in another case is an error, and no repair makes another beside it`(
    _ folder: String, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "a long text ", count: 10_000))
    try await remote.uploadWholeStore()
    let name = try #require(folder.split(separator: "/").last.map(String.init))
    let parent = folder.dropLast(name.count)
    let other = String(parent) + (name == "things" ? "Things" : name.lowercased())
    try move(folder, other, on: remote)

    try await expectError(.nameInOtherCase, at: "sample/\(other)", "“\(name)”", on: remote)
    let verification = try await remote.inspector.verify()
    // Without the record of its founding an encrypted document opens for nobody.
    #expect(verification.locked == 0 || encrypted && name == "IntegrityKey")
    try await remote.repair()
    let contents = try remote.contents()
    #expect(contents["sample/\(other)"] != nil && contents["sample/\(folder)"] == nil)
    #expect(!contents.keys.contains { $0.hasPrefix("sample/\(folder)/") })

    try move(other, folder, on: remote)
    #expect(try await remote.inspector.verify().findings.filter { $0.severity == .error } == [])
  }

  @Test(arguments: [true, false])
  func `a remote is not healthy while a folder in another case lies beside one that was founded anew`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try move("Documents", "documents", on: remote)
    try FileManager.default.createDirectory(
      at: remote.remote.appending(path: "sample/Documents"), withIntermediateDirectories: false)
    try await expectError(.nameInOtherCase, at: "sample/documents", "“Documents”", on: remote)
    try await remote.device("newcomer").push("five")
    try await expectError(.nameInOtherCase, at: "sample/documents", "“Documents”", on: remote)
  }

  @Test(arguments: [true, false])
  func `a set in another case comes back under its name`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try remote.sets()[1]
    let other = set.deletingLastPathComponent().appending(path: set.lastPathComponent.uppercased())
    try FileManager.default.moveItem(at: set, to: other)
    let findings = try await remote.inspector.verify().findings
    let finding = findings.first { $0.code == .nameInOtherCase }
    #expect(finding?.path.hasSuffix(other.lastPathComponent) == true)
    try await remote.repair()
    #expect(FileManager.default.fileExists(atPath: set.path))
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }

  @Test(arguments: ["SyncChanges", "RecentSyncs", "WholeStore"])
  func `no document is rebuilt without what lies under another name`(_ part: String) async throws {
    let remote = try await SampleRemote(encrypted: false)
    try await remote.uploadWholeStore()
    try FileManager.default.removeItem(at: try #require(remote.sets().first))
    let (right, other) = ("Documents/things/\(part)", "Documents/things/\(part.lowercased())")
    try move(right, other, on: remote)
    let error = await #expect(throws: InspectionError.self) {
      try await remote.inspector.planRebuild(of: "things")
    }
    guard case .partsElsewhere("things", ["sample/\(right)"])? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `the folder of an author in another case is an error`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let author = try #require(
      try remote.files(in: "SyncChanges", suffix: ".set").map { $0.deletingLastPathComponent() }.first {
        $0.lastPathComponent.contains { $0.isLetter }
      })
    let name = author.lastPathComponent
    try FileManager.default.moveItem(
      at: author, to: author.deletingLastPathComponent().appending(path: name.uppercased()))
    try await expectError(
      .nameInOtherCase, at: "sample/Documents/things/SyncChanges/\(name.uppercased())", "“\(name)”",
      on: remote)
  }

  @Test(arguments: [true, false])
  func `folders of ours that were moved are errors, and nobody takes them for an application`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try move("Documents/things/SyncChanges", "SyncChanges", on: remote)
    try move("Documents/things/RecentSyncs", "../RecentSyncs", on: remote)
    try await expectError(.folderMoved, at: "sample/SyncChanges", "moved", on: remote)
    try await expectError(.folderMoved, at: "RecentSyncs", "moved", on: remote)
    #expect(try await remote.inspector.verify().locked == 0)
    let paths = try await remote.inspector.planRepair().actions.map { "\($0.path)" }
    #expect(paths.allSatisfy { $0.hasPrefix("sample/Documents/") }, "\(paths)")
  }

  @Test(
    arguments: ["ClientDevices 2", "Documents/things/SyncChanges (1)", "Documents/things/RecentSyncs.old"],
    [true, false])
  func `a part with something added to its name is told with the right one, and none is made in its place`(
    _ name: String, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let end = try #require(name.firstIndex { " .".contains($0) })
    try move(String(name[..<end]), name, on: remote)
    let right = name[..<end].split(separator: "/").last.map(String.init) ?? ""
    try await expectError(.folderMoved, at: "sample/\(name)", "“\(right)”", on: remote)
    let actions = try await remote.inspector.planRepair().actions.map { "\($0.path)" }
    #expect(!actions.contains("sample/\(name[..<end])"), "\(actions)")
  }

  @Test(arguments: ["SyncChanges", "RecentSyncs"], [true, false])
  func `a part under a name that tells nothing is told by what lies in it`(part: String, encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    try move("Documents/things/\(part)", "Documents/things/Old", on: remote)
    try await expectError(.folderMoved, at: "sample/Documents/things/Old", "“\(part)”", on: remote)
  }

  @Test(
    arguments: ["sample (1)", "sample 2", "sample~", "sample.bak", "sample2", "backup", "x"], [true, false])
  func `an application under another name is told with the right one`(_ name: String, encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    try move("", "../\(name)", on: remote)
    do {
      let verification = try await remote.inspector.verify()
      let finding = try #require(verification.findings.first { $0.code == .folderMoved })
      #expect(finding.path == name && finding.next.contains("“sample”"))
      #expect(verification.findings.count == 1 && verification.outcome == .damaged)
      #expect(try await remote.inspector.planRepair().actions.isEmpty)
    } catch InspectionError.underOtherName(let found, let right) {
      #expect(found == name && right == "sample")
    }
  }

  @Test(arguments: ["sample (1)", "sample2", "Documents/things 2", "Documents/things2"], [true, false])
  func `a copy of a folder that lies where it belongs too is a hint, and what lies there alone an error`(
    _ name: String, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let isDocument = name.hasPrefix("Documents")
    let right = remote.remote.appending(path: isDocument ? "sample/Documents/things" : "sample")
    let other = isDocument ? "sample/\(name)" : name
    try FileManager.default.copyItem(at: right, to: remote.remote.appending(path: other))
    let verification = try await remote.inspector.verify()
    #expect(verification.outcome == .healthy, "\(verification.findings)")
    #expect(verification.findings.map(\.path) == [other])
    #expect(!verification.findings.contains { $0.next.contains("emove it") })
    guard isDocument else { return }
    try await expectRightName(of: other, right, on: remote)
  }

  @Test(arguments: [true, false])
  func `a document under any other name is told with the one that its record says`(encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    try move("Documents/things", "Documents/work", on: remote)
    try await expectError(
      .folderMoved, at: "sample/Documents/work", "Rename it to “things”", on: remote)
  }

  @Test(arguments: [true, false])
  func `two documents whose names were exchanged are told to be so, each with the other's name`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.device("first", in: "work", of: "work").push("work")
    try move("Documents/things", "Documents/other", on: remote)
    try move("Documents/work", "Documents/things", on: remote)
    try move("Documents/other", "Documents/work", on: remote)

    for name in ["work", "things"] {
      try await expectError(
        .folderMoved, at: "sample/Documents/\(name)", "Exchange the names of “\(name)”", on: remote)
    }
  }

  @Test func `a document whose name something else has taken is not told to be renamed over it`() async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    for other in ["work", "home"] { try await remote.device("first", in: other, of: other).push(other) }
    try move("Documents/things", "Documents/other", on: remote)
    try move("Documents/work", "Documents/things", on: remote)
    try move("Documents/other", "Documents/third", on: remote)

    try await expectError(
      .folderMoved, at: "sample/Documents/third", "Move what lies under “things” elsewhere", on: remote)
    try await expectError(
      .folderMoved, at: "sample/Documents/things", "Rename it to “work”", on: remote)
  }

  private func expectRightName(of other: String, _ right: URL, on remote: SampleRemote) async throws {
    try FileManager.default.removeItem(at: right)
    try await expectError(.folderMoved, at: other, "“things”", on: remote)
  }
}
