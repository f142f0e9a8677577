import FileManagerBackend
import Foundation
import Inspection
import Testing

/// What lies beside the folder of an application and is nobody's business.
@Suite struct StrangersFolderTests {
  private static func lay(_ files: [String], in folder: URL) throws {
    for file in files {
      let place = folder.appending(path: file)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("somebody's".utf8).write(to: place)
    }
  }

  private static let strangers = [
    "Photos/2024/sea.jpg", "Work/Documents/old/letter.txt", "Work/Information/tax.txt", "Home/ReadMe.txt",
    "Plans/Founding/contract.pdf", "Vault/Encryption/notes.txt",
  ]

  @Test(arguments: [true, false], [true, false])
  func `whatever lies beside an application, its findings and its repair are the same`(
    encrypted: Bool, damaged: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    if damaged { try FileManager.default.removeItem(at: try remote.sets()[1]) }
    let before = try await remote.inspector.verify()
    let actions = try await remote.inspector.planRepair().actions.map(\.change)
    try Self.lay(Self.strangers, in: remote.remote)

    let verification = try await remote.inspector.verify()
    let plan = try await remote.inspector.planRepair()

    let others = Set(verification.findings).subtracting(before.findings)
    #expect(Set(others.map(\.path)) == ["Photos", "Work", "Home", "Plans", "Vault"])
    #expect(others.allSatisfy { $0.severity == .hint && !$0.next.contains("emove") })
    #expect(Set(before.findings).isSubset(of: verification.findings))
    #expect(verification.outcome == before.outcome && verification.documents == 1)
    #expect(plan.actions.map(\.change).count == actions.count)
    #expect(plan.actions.allSatisfy { "\($0.path)".hasPrefix("sample/") })
    #expect(try await remote.inspector.overview().applications.map(\.name) == ["sample"])
  }

  @Test func `a folder of documents that are nobody's is no remote, and nothing is written into it`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    try FileManager.default.removeItem(at: remote.remote.appending(path: "sample"))
    try Self.lay(["anna/Documents/Taxes/2024.pdf"] + Self.strangers, in: remote.remote)
    await expectNothing { _ = try await remote.inspector.verify() }
    await expectNothing { _ = try await remote.inspector.planRepair() }
    await expectNothing { _ = try await remote.inspector.overview() }
  }

  private func expectNothing(_ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("sync data were found")
    } catch InspectionError.nothingThere {
    } catch {
      Issue.record(error)
    }
  }

  @Test(
    arguments: [
      "ClientDevices", "Founding", "Encryption", "Documents/things/SyncChanges",
      "Documents/things/documentInfo.plist", "Information/DeletedDocuments", "ReadMe.txt",
    ])
  func `an application of which almost everything was lost is one still`(_ left: String) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let place = remote.remote.appending(path: "sample")
    let kept = remote.folder.url.appending(path: "kept")
    try FileManager.default.moveItem(at: place.appending(path: left), to: kept)
    try FileManager.default.removeItem(at: place)
    let back = place.appending(path: left)
    try FileManager.default.createDirectory(
      at: back.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: kept, to: back)

    let findings = try await remote.inspector.verify().findings

    #expect(findings.contains { $0.code == .partMissing && $0.path == "sample" })
  }
}
