import Foundation
import Inspection
import Testing

/// Names that clouds, transfer programs and editors give to what may be the only copy of a file of ours.
@Suite struct TransferRemainderTests {
  private func rename(_ set: URL, to name: String) throws {
    try FileManager.default.moveItem(at: set, to: set.deletingLastPathComponent().appending(path: name))
  }

  @Test func `what stands for a file that was not downloaded is named so, and nobody is told to remove it`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let set = try remote.sets()[2]
    try rename(set, to: ".\(set.lastPathComponent).icloud")
    let findings = try await remote.inspector.verify().findings
    let finding = try #require(findings.first { $0.path.hasSuffix(".icloud") })
    #expect(finding.code == .notDownloaded && finding.severity == .warning)
    #expect(finding.message.contains(set.lastPathComponent) && finding.next.contains("ubiquity:"))
    #expect(finding.next.contains("o not remove"))
  }

  @Test(arguments: [
    ("", ".tmp"), (".", ".Xa3f21"), (".syncthing.", ".tmp"), ("", ".part"), ("", "~"), ("", " (copy)"),
  ])
  func `a name with something added is said to be that of a file of ours`(_ added: (String, String))
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let set = try remote.sets()[1]
    let name = "\(added.0)\(set.lastPathComponent)\(added.1)"
    try rename(set, to: name)
    let finding = try #require(
      try await remote.inspector.verify().findings.first { $0.path.hasSuffix("/\(name)") })
    #expect(finding.code == .conflictCopy && finding.message.contains("“\(set.lastPathComponent)”"))
    #expect(!finding.next.contains("emove"))
    guard !name.hasPrefix(".") else { return }
    try await remote.repair()
    #expect(FileManager.default.fileExists(atPath: set.path))
  }

  @Test func `a file of ours in a folder where none of its kind belongs is not to be removed`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let set = try remote.sets()[1]
    try FileManager.default.moveItem(
      at: set, to: remote.remote.appending(path: "sample/Documents/things/\(set.lastPathComponent)"))
    let finding = try #require(
      try await remote.inspector.verify().findings.first {
        $0.path == "sample/Documents/things/\(set.lastPathComponent)"
      })
    #expect(finding.code == .conflictCopy && !finding.next.contains("emove it"))
  }
}
