import FileManagerBackend
import Foundation
import Inspection
import Testing

/// Folders of a document whose names have been exchanged, or that bear the name of another.
@Suite struct MisfiledFolderTests {
  private func place(_ name: String, _ remote: SampleRemote) -> URL {
    remote.remote.appending(path: "sample/Documents/things/\(name)")
  }

  private func move(_ from: String, _ to: String, _ remote: SampleRemote) throws {
    try FileManager.default.moveItem(at: place(from, remote), to: place(to, remote))
  }

  private func exchange(_ one: String, _ other: String, _ remote: SampleRemote) throws {
    try move(one, "third", remote)
    try move(other, one, remote)
    try move("third", other, remote)
  }

  @Test func `folders of devices that lie one too deep are said to belong one up, and none is to be removed`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let clients = remote.remote.appending(path: "sample/ClientDevices")
    let aside = remote.remote.appending(path: "sample/aside")
    try FileManager.default.moveItem(at: clients, to: aside)
    try FileManager.default.createDirectory(at: clients, withIntermediateDirectories: false)
    try FileManager.default.moveItem(at: aside, to: clients.appending(path: "ClientDevices"))

    let findings = try await remote.inspector.verify().findings

    let moved = findings.filter { $0.code == .folderMoved }
    #expect(
      !moved.isEmpty && moved.allSatisfy { $0.next.contains("into “sample/ClientDevices”") }, "\(findings)")
    #expect(!findings.contains { $0.next.contains("emove") }, "\(findings)")
  }

  @Test
  func
    `where a part is missing and a folder of its name lies elsewhere, that is told, and no repair promised`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.moveItem(
      at: remote.remote.appending(path: "sample/ClientDevices"), to: place("ClientDevices", remote))

    let findings = try await remote.inspector.verify().findings

    let missing = try #require(findings.first { $0.code == .partMissing }, "\(findings)")
    #expect(missing.next.contains("“sample/Documents/things/ClientDevices”"), "\(missing)")
    let moved = try #require(findings.first { $0.code == .folderMoved }, "\(findings)")
    #expect(!moved.next.contains("the folder of a device"), "\(moved)")
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
  }

  @Test(
    arguments: [
      ["RecentSyncs", "WholeStore"], ["SyncChanges", "RecentSyncs"], ["IntegrityKey", "WholeStore"],
    ], [true, false])
  func `two whose names have been exchanged are told as such, and nothing is done before they are right`(
    names: [String], encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    try exchange(names[0], names[1], remote)

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.count == 2, "\(verification.findings)")
    for (name, other) in [(names[0], names[1]), (names[1], names[0])] {
      let finding = try #require(verification.findings.first { $0.path.hasSuffix(name) })
      #expect(finding.code == .folderMoved)
      #expect(finding.next.contains("Exchange “\(name)” and “\(other)”"))
    }
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
    try exchange(names[0], names[1], remote)
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }

  @Test(arguments: [true, false])
  func `one that bears the name of another which is not there is to be renamed`(encrypted: Bool) async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    try? FileManager.default.removeItem(at: place("WholeStore", remote))
    try move("RecentSyncs", "WholeStore", remote)

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.map(\.code) == [.folderMoved], "\(verification.findings)")
    #expect(verification.findings.first?.next.contains("Move it to “RecentSyncs”") == true)
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
  }

  @Test func `a single file in a wrong folder hides nothing of the document`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let head = try #require(try remote.files(in: "RecentSyncs").first)
    let folder = place("WholeStore", remote)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: head, to: folder.appending(path: head.lastPathComponent))

    let verification = try await remote.inspector.verify()

    #expect(!verification.findings.contains { $0.code == .folderMoved }, "\(verification.findings)")
    #expect(verification.sets > 0)
  }

  @Test(arguments: [true, false])
  func `a state says that it lacks what lies in folders of wrong names`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try exchange("SyncChanges", "RecentSyncs", remote)

    let state = try await remote.inspector.state()

    #expect(state.omissions.contains { $0.contains("have been exchanged") }, "\(state.omissions)")
    withExtendedLifetime(state) {}
  }

  @Test func `the folder of an author that lies in that of another document is said to belong among sets`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    _ = try await remote.device("first", in: "work", of: "work")
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let place = "sample/Documents/work/\(folder.lastPathComponent)"
    try FileManager.default.moveItem(at: folder, to: remote.remote.appending(path: place))

    let findings = try await remote.inspector.verify().findings

    let told = findings.first { $0.path == place }
    #expect(told?.code == .folderMoved, "\(findings)")
    #expect(
      told?.next.contains("move it into the folder “SyncChanges”") == true
        && told?.next.contains("name that it had") == false, "\(String(describing: told))")
  }

  @Test
  func
    `an application that was moved into itself is told as such, and the inner folder is not taken for the remote`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let (place, aside) = (remote.remote.appending(path: "sample"), remote.folder.url.appending(path: "aside"))
    try FileManager.default.moveItem(at: place, to: aside)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try FileManager.default.moveItem(at: aside, to: place.appending(path: "sample"))

    do {
      _ = try await remote.inspector.verify()
      Issue.record("it was verified")
    } catch InspectionError.withinItself(let name) {
      #expect(name == "sample")
    }
  }
}
