import FileManagerBackend
import Foundation
import Inspection
import ProcessTesting
import SyncProtocol
import Testing

@Suite struct FindingCodeTests {
  @Test func `the page of the tool describes every code, and no other`() throws {
    let page = try String(
      contentsOf: Checkout.root.appending(path: "Docs/Tools/ticds-inspect.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "## Findings\n").last?.components(
        separatedBy: "\n## "
      ).first)
    let shown = section.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") }
    #expect(
      shown
        == Finding.Code.allCases.map {
          "| `\($0.rawValue)` | \($0.severity.rawValue) | \($0.meaning) | \($0.remedy) |"
        })
  }

  @Test func `every kind has a code`() {
    #expect(Set(Finding.Code.allCases.map(\.kind)) == Set(Finding.Kind.allCases))
  }

  @Test func `a copy in conflict is told from other foreign files`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let set = try remote.sets()[0]
    let copy = set.lastPathComponent.replacing(".set", with: ".sync-conflict-20260101-120000-ABCDEFG.set")
    let other = "\(set.lastPathComponent) (copy)"
    for name in [copy, other, "unlike.set"] {
      try FileManager.default.copyItem(at: set, to: set.deletingLastPathComponent().appending(path: name))
    }
    let findings = try await remote.inspector.verify().findings
    let copies = findings.filter { $0.code == .conflictCopy }.map(\.path)
    #expect(copies.count == 2 && copies.allSatisfy { $0.hasSuffix(copy) || $0.hasSuffix(other) })
    #expect(findings.filter { $0.code == .foreignEntry }.count == 1)
  }

  @Test func `a head that was lost and is mentioned is a hint`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let last = try remote.sets()[2]
    let author = last.deletingLastPathComponent().lastPathComponent
    for head in try remote.files(in: "RecentSyncs") where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }
    #expect(try await remote.inspector.verify().outcome == .warnings)
    try await remote.mention(last)
    let verification = try await remote.inspector.verify()
    #expect(verification.findings.map(\.code) == [.headMentioned])
    #expect(verification.outcome == .healthy)
  }

  @Test func `a set that a mention alone names is missed when it is lost`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let last = try remote.sets()[2]
    let author = last.deletingLastPathComponent().lastPathComponent
    for head in try remote.files(in: "RecentSyncs") where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }
    try await remote.mention(last)
    try FileManager.default.removeItem(at: last)

    let verification = try await remote.inspector.verify()

    let findings = verification.findings.filter { $0.path.hasSuffix("SyncChanges/\(author)") }
    #expect(findings.map(\.code).sorted { "\($0)" < "\($1)" } == [.headMentioned, .missingSet])
    #expect(findings.contains { $0.message.contains("A mention names set 3, which is not there") })
  }

  @Test func `a set that is missing between others and is mentioned is told of once`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let middle = try remote.sets()[1]
    try await remote.mention(middle)
    try FileManager.default.removeItem(at: middle)

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.map(\.code) == [.gap])
    #expect(verification.findings.first?.message == "Set 2 is missing, though there is set 3.")
  }

  // MARK: What is read

  @Test(arguments: [true, false])
  func `looking at names alone reads no file but heads, and finds what names tell`(encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    let counting = CountingBackend(FileManagerBackend(folder: remote.remote.path))
    let inspector = RemoteInspector(backend: counting, password: encrypted ? SampleRemote.password : nil)
    #expect(try await inspector.verify(depth: .names).findings == [])
    let folders = try await inspector.tree().all.filter(\.isFolder).count
    // The second listing is that of the tree; keys are read to open heads, and once more to be sure of them.
    #expect(counting.count.requests == 2 * folders + 2 + (encrypted ? 2 : 0))

    let sets = try remote.sets()
    try remote.flip(sets[2])
    #expect(try await inspector.verify(depth: .names).findings == [])
    try FileManager.default.removeItem(at: sets[1])
    try Data().write(to: sets[0])
    #expect(try await inspector.verify(depth: .names).findings.map(\.code) == [.gap, .damagedFile])
  }

  // MARK: What it comes to

  @Test func `the worst finding decides what a verification comes to`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    #expect(try await remote.inspector.verify().outcome == .healthy)
    try FileManager.default.removeItem(at: remote.remote.appending(path: "sample/ReadMe.txt"))
    #expect(try await remote.inspector.verify().outcome == .warnings)

    try remote.flip(try remote.sets()[1])
    #expect(try await remote.inspector.verify().outcome == .damaged)
  }
}
