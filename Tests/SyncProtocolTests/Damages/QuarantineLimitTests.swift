import ChangeTracking
import Foundation
import Inspection
import SyncProtocol
import Testing

/// What is put aside may be what somebody has written to fill the disk of whoever repairs.
@Suite struct QuarantineLimitTests {
  /// Writes sets that are not what their names say.
  private func forge(_ count: Int, size: Int, _ run: RepairRun) throws -> [String] {
    let folder = try #require(run.remote.target(.set)).split(separator: "/").dropLast().joined(separator: "/")
    return try (1...count).map { number in
      let name = SetName(sequence: UInt64(500 + number), hash: ContentHash(of: [UInt8(number)]))
      let path = "\(folder)/\(name.name)"
      try run.remote.write([UInt8](repeating: UInt8(number), count: size), to: path)
      return path
    }
  }

  private func size(ofCopiesIn folder: String) throws -> [Int] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { Int($0) != nil }
    return try names.map { name in
      try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int ?? 0
    }
  }

  @Test(
    arguments: [true, false],
    [Quarantine.Limits(files: 1_000, bytes: 350_000), Quarantine.Limits(files: 3, bytes: 1 << 30)])
  func `what does not fit into a quarantine stays where it is, and the next repair goes on`(
    _ isEncrypted: Bool, _ limits: Quarantine.Limits
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 81)
    let forged = try forge(8, size: 100_000, run)
    let damaged = run.snapshot()
    let plan = try await run.inspector().planRepair()
    let folder = run.remote.folder.file("first")

    let failures = try await RemoteRepair(
      backend: run.remote.backend, quarantine: Quarantine(newAt: folder, limits: limits)
    ).apply(plan)

    let sizes = try size(ofCopiesIn: folder)
    #expect(sizes.count <= limits.files)
    #expect(sizes.reduce(0, +) <= 350_000)
    let left = forged.filter { run.remote.bytes($0) != nil }
    #expect(left.count == 5)
    #expect(Set(left).isSubset(of: failures.map { "\($0.action.path)" }))
    #expect(failures.allSatisfy { $0.reason.contains("quarantine") })

    let undone = try await RemoteRepair(
      backend: run.remote.backend, quarantine: Quarantine(at: folder)
    ).undo()
    #expect(undone.isEmpty)
    #expect(run.snapshot() == damaged)

    for number in 0..<4 {
      let plan = try await run.inspector().planRepair()
      let next = try Quarantine(newAt: run.remote.folder.file("next \(number)"), limits: limits)
      try await RemoteRepair(backend: run.remote.backend, quarantine: next).apply(plan)
    }
    #expect(forged.allSatisfy { run.remote.bytes($0) == nil })
    #expect(try await run.goOn())
  }
}
