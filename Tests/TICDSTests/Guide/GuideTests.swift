import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

/// The guide for application developers.
@Suite struct GuideTests {
  @Test func `every example of the guide is compiled here`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let compiled = lines(
      try String(contentsOf: folder.appending(path: "GuideExamples.swift"), encoding: .utf8))
    let guide = try String(
      contentsOf: folder.appending(path: "../../../Docs/Guides/ApplicationDevelopers.md"), encoding: .utf8)
    let examples = guide.components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }
    #expect(examples.count > 5)
    for example in examples { #expect(compiled.contains(example), "\(example)") }
  }

  /// The lines without indentation and spaces for alignment, blank lines and imports.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }

  @Test func `a device that the guide sets up is listed, removed, and says why it stops`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.url.appending(path: "remote")
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
    func synchronize(_ client: String) async throws -> DocumentSyncManager {
      try await GuideExamples.synchronize(
        client: client, at: folder.file("\(client).sqlite"), folder: remote.path, password: "correct horse")
    }
    let (anna, bob) = (try await synchronize("anna"), try await synchronize("bob"))

    let lost = try #require(try await anna.devices().first { !$0.isThisDevice })
    try await GuideExamples.remove(lost, from: anna)

    let failure = await #expect(throws: SyncError.self) { try await bob.synchronize() }
    #expect(failure?.code == .deviceRemoved)
    try await GuideExamples.show(anna)
    withExtendedLifetime(folder) {}
  }
}
