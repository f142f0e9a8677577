import FileManagerBackend
import Foundation
import Inspection
import Testing

/// A folder replicator has renamed a file of ours, or kept a copy of it beside one that is damaged.
@Suite struct ConflictCopyRepairTests {
  private static let words = [
    " (conflicted copy 2026-11-20)", ".sync-conflict-20261120-101010-ABCDEFG", " (1)",
  ]

  private func copy(of file: URL, _ words: String) -> URL {
    let name = file.deletingPathExtension().lastPathComponent
    return file.deletingLastPathComponent().appending(path: "\(name)\(words).\(file.pathExtension)")
  }

  private func repair(_ remote: SampleRemote) async throws -> RepairPlan {
    let plan = try await remote.inspector.planRepair()
    let quarantine = try Quarantine(newAt: remote.folder.file(UUID().uuidString))
    try await RemoteRepair(
      backend: FileManagerBackend(folder: remote.remote.path), quarantine: quarantine
    ).apply(plan)
    return plan
  }

  private func files(_ remote: SampleRemote) throws -> [URL] {
    let kinds = [
      ("LongValues", ".value"), ("SyncChanges", ".set"), ("RecentSyncs", ".head"),
      ("IntegrityKey", ".founding"),
    ]
    let application = remote.remote.appending(path: "sample/Founding")
    let records = try FileManager.default.contentsOfDirectory(atPath: application.path)
    return try kinds.map { folder, suffix in
      try #require(try remote.files(in: folder, suffix: suffix).last)
    } + records.map { application.appending(path: $0) }
  }

  @Test(arguments: words, [true, false])
  func `what was renamed, or damaged beside a copy, is put back if the copy is proven to be it`(
    words: String, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    for file in try files(remote) {
      let bytes = try Data(contentsOf: file)
      let copy = copy(of: file, words)
      try FileManager.default.moveItem(at: file, to: copy)
      let plan = try await repair(remote)
      #expect(try Data(contentsOf: file) == bytes, "\(plan.actions)")
      #expect(!plan.asksDevices, "\(file.lastPathComponent)")

      try bytes.prefix(bytes.count / 2).write(to: file)
      _ = try await repair(remote)
      #expect(try Data(contentsOf: file) == bytes, "\(file.lastPathComponent)")
      try FileManager.default.removeItem(at: copy)
    }
    #expect(try await remote.inspector.verify().findings.filter { $0.severity != .hint } == [])
  }

  @Test(arguments: [true, false])
  func `whole stores and descriptions that were renamed are put back if the copies are proven to be them`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    let whole = try #require(try remote.files(in: "WholeStore", suffix: ".copy").last)
    let device = remote.remote.appending(path: "sample/ClientDevices/client-first/deviceInfo.plist")
    let document = remote.remote.appending(path: "sample/Documents/things/documentInfo.plist")
    for file in [whole, device, document] {
      let bytes = try Data(contentsOf: file)
      let copy = copy(of: file, " (conflicted copy 2026-11-20)")
      try FileManager.default.moveItem(at: file, to: copy)
      let plan = try await repair(remote)
      #expect(try Data(contentsOf: file) == bytes, "\(file.lastPathComponent) \(plan.actions)")

      // Half a copy proves nothing.
      try FileManager.default.removeItem(at: file)
      try bytes.prefix(bytes.count / 2).write(to: copy)
      _ = try await repair(remote)
      #expect(!FileManager.default.fileExists(atPath: file.path), "\(file.lastPathComponent)")
      try bytes.write(to: file)
      try FileManager.default.removeItem(at: copy)
    }
  }

  @Test(arguments: [true, false]) func `a copy that is not what belongs there is left where it is`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    for file in try files(remote) {
      let bytes = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      try bytes.prefix(bytes.count / 2).write(to: copy(of: file, " (1)"))
    }

    let plan = try await remote.inspector.planRepair()

    #expect(!plan.actions.contains { if case .write(.copy) = $0.change { true } else { false } })
  }

  @Test(arguments: [true, false])
  func `a copy beside a file that is whole changes nothing`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    for file in try files(remote) { try Data(contentsOf: file).write(to: copy(of: file, " (1)")) }

    #expect(try await remote.inspector.planRepair().actions.isEmpty)
  }

  @Test func `a description that is damaged in any bit of its format is replaced by its copy`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let file = remote.remote.appending(path: "sample/Documents/things/documentInfo.plist")
    let whole = try Data(contentsOf: file)
    let kept = copy(of: file, " (1)")
    let places = [("TICDSDocumentFormat<", 3), ("TICDSDocumentFormatVersion<", 25), ("compact<", 0)]
    for (word, offset) in places {
      var bytes = whole
      let place = try #require(whole.range(of: Data(word.utf8))).lowerBound
      bytes[place + offset] ^= 1
      try bytes.write(to: file)
      try whole.write(to: kept)

      let damaged = try await remote.inspector.verify().findings
      _ = try await repair(remote)

      #expect(damaged.contains { $0.path.hasSuffix("documentInfo.plist") && $0.severity == .error })
      #expect(try Data(contentsOf: file) == whole, "\(word)")
    }
  }
}
