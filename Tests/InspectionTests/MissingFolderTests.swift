import FileManagerBackend
import Foundation
import Inspection
import Testing

/// Folders that are gone because they were empty, or that something has made a second time.
@Suite struct MissingFolderTests {
  @Test(arguments: [["Information"], ["Information", "ReadMe.txt"]])
  func `what no synchronisation makes again a repair does, and the finding says so`(
    _ missing: [String]
  ) async throws {
    let remote = try await SampleRemote(encrypted: false)
    for name in missing {
      try FileManager.default.removeItem(at: remote.remote.appending(path: "sample/\(name)"))
    }
    try await remote.device("first").push("five")
    let findings = try await remote.inspector.verify().findings
    #expect(findings.map(\.code) == [.partMissing])
    let advice = try #require(findings.first?.next)
    #expect(advice.contains("ticds-inspect repair REMOTE --apply") && !advice.contains("Sync"), "\(advice)")

    try await remote.repair()
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test(arguments: [true, false])
  func `an empty duplicate of the application's folder in another case is to be removed, and left as it is`(
    isEncrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: isEncrypted)
    let duplicate = remote.remote.appending(path: "SAMPLE")
    for name in ["fOUNDING", "eNCRYPTION"] {
      try FileManager.default.createDirectory(
        at: duplicate.appending(path: name), withIntermediateDirectories: true)
    }
    let before = try remote.contents()

    let findings = try await remote.inspector.verify().findings
    #expect(findings.map(\.path) == ["SAMPLE"])
    #expect(findings.first?.code == .nameInOtherCase)
    #expect(findings.first?.next.hasPrefix("Remove it") == true)
    try await remote.repair()
    #expect(try remote.contents() == before)

    try FileManager.default.removeItem(at: duplicate)
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test func `a duplicate that holds something of ours is to be compared`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let duplicate = remote.remote.appending(path: "SAMPLE")
    for name in ["Founding", "Encryption", "Documents/things/SyncChanges/0123456789abcdef"] {
      try FileManager.default.createDirectory(
        at: duplicate.appending(path: name), withIntermediateDirectories: true)
    }
    let set = try #require(try remote.sets().first)
    try FileManager.default.copyItem(
      at: set,
      to: duplicate.appending(
        path: "Documents/things/SyncChanges/0123456789abcdef/\(set.lastPathComponent)"))

    let finding = try await remote.inspector.verify().findings.first { $0.path == "SAMPLE" }
    #expect(finding?.code == .nameInOtherCase)
    #expect(finding?.next.contains("Compare them") == true)
  }

  @Test func `what has strayed among the documents is no document, and gets no folders`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let place = remote.remote.appending(path: "sample/Documents/SyncChanges")
    try FileManager.default.copyItem(
      at: remote.remote.appending(path: "sample/Documents/things/SyncChanges"), to: place)
    let before = try remote.contents()

    let plan = try await remote.inspector.planRepair()

    #expect(plan.actions.isEmpty, "\(plan.actions.map(\.path))")
    let findings = try await remote.inspector.verify().findings
    let advice = findings.first { $0.code == .partMissing }?.next
    #expect(advice?.contains("strayed") == true, "\(findings)")
    #expect(try remote.contents() == before)
  }
}
