import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// A store was copied to another device, and both went on under one name where neither saw the other: nothing is damaged, and devices
/// merge what both wrote.
@Suite struct CopiedStoreTests {
  /// What has not come, of what the copy wrote: its first set, and what would tell that somebody has it.
  enum Late: String, CaseIterable, CustomTestStringConvertible {
    case nothing, set, setAndHeads, setForGood

    var testDescription: String { rawValue }

    var codes: Set<Finding.Code> {
      switch self {
      case .nothing: [.rivalSets]
      case .set, .setForGood: [.rivalSets, .branchAwaited]
      case .setAndHeads: [.rivalSets, .brokenChain, .missingHead]
      }
    }
  }

  /// “twin” pushes a set; then it and a copy of its store push `sets` more, each into a remote of its own, and both remotes meet.
  ///
  /// - Returns: the second set that the copy pushed.
  private func twins(_ remote: SampleRemote, sets: Int = 2) async throws -> URL {
    try await remote.device("twin").push("before")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: twin(remote, suffix)) {
      try FileManager.default.copyItem(atPath: twin(remote, suffix), toPath: copy(remote, suffix))
    }
    let elsewhere = remote.folder.url.appending(path: "elsewhere")
    try FileManager.default.copyItem(at: remote.remote, to: elsewhere)
    let original = try await remote.device("twin")
    for number in 1...2 { try await original.push("of the original \(number)") }
    let known = Set(try remote.contents().keys)
    try exchange(remote, elsewhere)
    let copied = try await remote.device("twin", in: "copy")
    for number in 1...sets { try await copied.push("of the copy \(number)") }
    try exchange(remote, elsewhere)
    try meet(remote, elsewhere)
    let new = try remote.files(in: "SyncChanges", suffix: ".set").filter { set in
      set.lastPathComponent.hasPrefix("0000000002-") && !known.contains { set.path.hasSuffix($0) }
    }
    return try #require(new.first)
  }

  private func twin(_ remote: SampleRemote, _ suffix: String) -> String {
    remote.folder.file("twin.sqlite\(suffix)")
  }
  private func copy(_ remote: SampleRemote, _ suffix: String) -> String {
    remote.folder.file("copy.sqlite\(suffix)")
  }

  private func exchange(_ remote: SampleRemote, _ other: URL) throws {
    let between = remote.folder.url.appending(path: "between")
    try FileManager.default.moveItem(at: remote.remote, to: between)
    try FileManager.default.moveItem(at: other, to: remote.remote)
    try FileManager.default.moveItem(at: between, to: other)
  }

  /// A folder replicator brings what the other folder has.
  private func meet(_ remote: SampleRemote, _ other: URL) throws {
    for (path, bytes) in try SampleRemote.contents(of: other).sorted(by: { $0.key < $1.key }) {
      let place = remote.remote.appending(path: path)
      guard !FileManager.default.fileExists(atPath: place.path) else { continue }
      guard let bytes else {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        continue
      }
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: place)
    }
  }

  @Test(arguments: Late.allCases, [true, false])
  func `branches are told as what devices heal, and a broken chain is what none of them can`(
    _ late: Late, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try await twins(remote)
    let bytes = try Data(contentsOf: set)
    if late != .nothing { try FileManager.default.removeItem(at: set) }
    if late == .setAndHeads {
      for head in try remote.files(in: "RecentSyncs", suffix: ".head") {
        try FileManager.default.removeItem(at: head)
      }
    }

    let verification = try await remote.inspector.verify()

    #expect(Set(verification.findings.map(\.code)) == late.codes, "\(verification.findings)")
    #expect(verification.outcome == (late == .setAndHeads ? .damaged : .warnings))
    for finding in verification.findings
    where late != .setAndHeads && [.rivalSets, .branchAwaited].contains(finding.code) {
      #expect("\(finding.message) \(finding.next)".contains("“twin”"), "\(finding)")
    }

    if late == .set || late == .setAndHeads { try bytes.write(to: set) }
    for _ in 0..<6 {
      for (name, file) in [("twin", "twin"), ("twin", "copy"), ("first", "first")] {
        _ = try await remote.device(name, in: file).document.synchronize()
      }
    }
    let healed = try await remote.inspector.verify()
    #expect(healed.outcome != .damaged, "\(healed.findings)")
    #expect(!healed.findings.contains { $0.code == .branchAwaited || $0.code == .brokenChain })
    #expect(!healed.findings.contains { $0.code == .rivalSets }, "\(healed.findings)")
    let all = try await remote.device("first").names()
    #expect(all.contains("of the copy 1") && all.contains("of the original 2"))
    #expect(try await remote.device("twin").names() == all)
    #expect(try await remote.device("twin", in: "copy").names() == all)
  }

  @Test(arguments: [true, false])
  func `branches of which no head is left are no matter of anybody once all have merged them`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let author = try await twins(remote).deletingLastPathComponent().lastPathComponent
    for _ in 0..<6 {
      for (name, file) in [("twin", "twin"), ("twin", "copy"), ("first", "first"), ("second", "second")] {
        _ = try await remote.device(name, in: file).document.synchronize()
      }
    }
    for head in try remote.files(in: "RecentSyncs", suffix: ".head")
    where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }

    let findings = try await remote.inspector.verify().findings

    #expect(!findings.contains { $0.code == .rivalSets }, "\(findings)")
  }

  @Test(arguments: [true, false])
  func `what a copy of the remote has of a branch comes from there`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try await twins(remote)
    let whole = try remote.copy()
    try FileManager.default.removeItem(at: set)
    try await remote.repair(from: whole)
    #expect(FileManager.default.fileExists(atPath: set.path))
    #expect(try await remote.inspector.verify().findings.map(\.code).allSatisfy { $0 == .rivalSets })
  }

  @Test(arguments: [true, false])
  func `a set of a copy that comes once a vacuum has removed its namesake breaks no chain`(encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    let set = try await twins(remote, sets: 1)
    let bytes = try Data(contentsOf: set)
    let head = try #require(
      try remote.files(in: "RecentSyncs", suffix: ".head").first {
        $0.lastPathComponent.contains(set.deletingLastPathComponent().lastPathComponent)
          && $0.lastPathComponent.contains("0000000002")
      })
    for file in [set, head] { try FileManager.default.removeItem(at: file) }
    for name in ["first", "second", "twin"] {
      _ = try await remote.device(name).document.synchronize()
    }
    let device = try await remote.device("fifth")
    for name in ["five", "six"] {
      try await device.push(name)
      _ = try await device.document.uploadStore()
    }
    _ = try await device.document.vacuum(VacuumPolicy(grace: 0))
    try #require(try remote.files(in: set.deletingLastPathComponent().path).isEmpty)
    #expect(try await remote.inspector.verify().outcome == .healthy)

    try bytes.write(to: set)

    let findings = try await remote.inspector.verify().findings
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(arguments: [true, false])
  func `a set in whose place that of a copy lies is missing for whoever counts, tells and exports`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let ofCopy = try await twins(remote, sets: 1)
    let folder = ofCopy.deletingLastPathComponent()
    let seconds = try remote.files(in: "SyncChanges", suffix: ".set").filter {
      $0.deletingLastPathComponent() == folder && $0.lastPathComponent.hasPrefix("0000000002-")
    }
    for set in seconds where set != ofCopy { try FileManager.default.removeItem(at: set) }
    let author = try #require(AuthorID(folder.lastPathComponent))
    let found = try await remote.inspector.verify().findings.contains { $0.code == .branchAwaited }
    #expect(found)

    let statistics = try await remote.inspector.statistics()
    let state = try await remote.inspector.state()

    #expect(statistics.omissions.missing.contains { $0.author == author && $0.sequence == 2 })
    #expect(state.omissions.contains { $0.contains("set 2 of author \(author)") }, "\(state.omissions)")
  }
}
