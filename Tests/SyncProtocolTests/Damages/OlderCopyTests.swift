import ByteFixtures
import Foundation
import Inspection
import SyncProtocol
import TemporaryFolders
import Testing

/// A folder that was renamed at random, with a copy in its place that has less.
@Suite struct OlderCopyTests {
  private static func inspector(_ remote: AttackRemote, isEncrypted: Bool) -> RemoteInspector {
    RemoteInspector(backend: remote.backend, password: isEncrypted ? "pass" : nil)
  }

  /// A remote with nothing else amiss.
  private static func remote(_ seed: Int) async throws -> (AttackRemote, renamed: String, isEncrypted: Bool) {
    var random = SeededGenerator(seed: UInt64(seed))
    let isEncrypted = seed.isMultiple(of: 2)
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: true)
    let remote = try AttackRemote()
    try remote.copy(stage.remote)
    let (_, renamed) = try #require(try RandomDamage.leaveOlder(on: remote, &random))
    return (remote, renamed, isEncrypted)
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `of a renamed folder that alone has a set it is told, or of what is missing`(seed: Int) async throws {
    let (remote, renamed, isEncrypted) = try await Self.remote(seed)

    let verification = try await Self.inspector(remote, isEncrypted: isEncrypted).verify()

    let findings = verification.findings.filter { $0.path == renamed || $0.path.hasPrefix(renamed + "/") }
    #expect(!findings.isEmpty, "\(renamed)")
    // Where something tells that the copy in its place is not whole, what is lacking is looked for; where nothing tells, the folder must.
    let isMissed = verification.findings.contains { $0.severity != .hint && !$0.path.hasPrefix(renamed) }
    for finding in findings where finding.path == renamed {
      #expect(
        isMissed
          ? finding.next.contains("may lie here") || !finding.next.hasPrefix("Nothing need be done")
          : !finding.next.hasPrefix("Nothing need be done"), "\(finding)")
    }
    #expect(verification.outcome != .healthy)
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `no repair removes what a renamed folder alone has`(seed: Int) async throws {
    let (remote, renamed, isEncrypted) = try await Self.remote(seed)
    let sets = Set(remote.files.filter { $0.hasSuffix(".set") }.map { $0.split(separator: "/").last ?? "" })
    let inspector = Self.inspector(remote, isEncrypted: isEncrypted)
    let scratch = try TemporaryFolder()

    _ = try await RemoteRepair(
      backend: remote.backend, other: nil, quarantine: try Quarantine(newAt: scratch.file("quarantine"))
    ).apply(try await inspector.planRepair())

    let left = Set(remote.files.filter { $0.hasSuffix(".set") }.map { $0.split(separator: "/").last ?? "" })
    #expect(left.isSuperset(of: sets), "\(renamed)")
  }
}
