import Foundation
import Inspection
import InspectionReport
import SyncProtocol
import TemporaryFolders
import Testing

/// How much is asked of the storage by what looks at a whole remote.
@Suite struct ReadingWorkTests {
  private func work(
    _ stage: AttackStage, _ verb: (RemoteInspector) async throws -> Void
  ) async throws -> (reads: [String: Int], lists: [String: Int]) {
    let watched = ReadCounts(stage.remote.backend)
    try await verb(RemoteInspector(backend: watched, password: stage.isEncrypted ? "pass" : nil))
    return watched.counts
  }

  private func largest(_ reads: [String: Int], _ suffixes: String...) -> Int {
    reads.filter { path, _ in suffixes.contains { path.hasSuffix($0) } }.values.max() ?? 0
  }

  @Test(arguments: [false, true])
  func `a verification lists each folder once, and reads each set, value and whole store once`(
    isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let (reads, lists) = try await work(stage) { _ = try await $0.verify() }
    #expect(lists.values.allSatisfy { $0 == 1 }, "\(lists.filter { $0.value > 1 })")
    #expect(largest(reads, ".set", ".value", ".copy") == 1)
    // Files of keys are opened and checked, and made sure of each time.
    let others = reads.filter { path, _ in !path.hasSuffix(".keys") && !path.hasSuffix(".wrapped") }
    #expect(others.values.allSatisfy { $0 <= 2 }, "\(others.filter { $0.value > 2 })")
    #expect(largest(reads, ".keys", ".wrapped") == (isEncrypted ? 4 : 0))
    let sets = stage.remote.files.filter { $0.hasPrefix(AttackStage.document) && $0.hasSuffix(".set") }
    #expect(sets.allSatisfy { reads[$0] == 1 })
  }

  @Test(arguments: [false, true])
  func `a verification of names reads no set, value or whole store`(isEncrypted: Bool) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let (reads, lists) = try await work(stage) { _ = try await $0.verify(depth: .names) }
    #expect(lists.values.allSatisfy { $0 == 1 })
    #expect(largest(reads, ".set", ".value", ".copy") == 0)
  }

  @Test(arguments: [false, true])
  func `a report costs what a verification costs, and heads and descriptions once more`(isEncrypted: Bool)
    async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let verify = try await work(stage) { _ = try await $0.verify() }
    let report = try await work(stage) { inspector in
      _ = ReportPage(try await inspector.report(named: "remote", made: .distantPast)).html
    }
    #expect(report.lists == verify.lists)
    #expect(largest(report.reads, ".set", ".value", ".copy") == 1)
    let more = report.reads.filter { path, count in count > verify.reads[path] ?? 0 }
    #expect(more.keys.allSatisfy { $0.hasSuffix(".head") || $0.hasSuffix(".plist") }, "\(more.keys)")
    #expect(more.allSatisfy { path, count in count <= 1 + (verify.reads[path] ?? 0) }, "\(more)")
  }

  @Test(arguments: [false, true])
  func `a look for a vacuum reads no set and no value, and changes nothing`(isEncrypted: Bool) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let before = stage.remote.contents
    let (reads, lists) = try await work(stage) { inspector in
      let outlooks = try await inspector.vacuumOutlooks()
      #expect(!outlooks.isEmpty)
    }
    #expect(lists.values.allSatisfy { $0 == 1 })
    #expect(largest(reads, ".set", ".value") == 0)
    #expect(largest(reads, ".copy") == 1)
    #expect(stage.remote.contents == before)
  }
}
