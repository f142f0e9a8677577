import Foundation
import Inspection
import SyncProtocol
import Testing

/// Repairs of a remote whose files are read otherwise at times: what is sound is not taken away, and what is taken away is kept as it lay.
@Suite struct FlakyRepairTests {
  /// Repairs through readings that are flaky, and undoes it through sound ones.
  ///
  /// - Returns: the files that were gone in between, those that had come, and why others were not taken.
  private func repair(
    _ run: RepairRun, _ mode: FlakyReadings.Mode, seed: UInt64 = 0
  ) async throws -> (gone: Set<String>, added: Set<String>, refusals: [String]) {
    let before = run.snapshot()
    let flaky = FlakyReadings(run.remote.backend, mode, seed: seed)
    let plan: RepairPlan
    do throws(InspectionError) { plan = try await run.inspector(flaky).planRepair() } catch {
      return ([], [], [])
    }
    let failures = try await RemoteRepair(backend: flaky, quarantine: run.quarantine("flaky")).apply(plan)
    let after = run.snapshot()
    let gone = before.filter { path, bytes in after[path] != bytes }
    let left = try await RemoteRepair(
      backend: run.remote.backend, quarantine: Quarantine(at: run.remote.folder.file("flaky"))
    ).undo()
    #expect(left.isEmpty)
    let undone = run.snapshot()
    let changed = Set(before.keys).union(undone.keys).filter { before[$0] != undone[$0] }
    #expect(changed.isEmpty, "what was put back is not what lay there")
    return (Set(gone.keys), Set(after.keys).subtracting(before.keys), failures.map(\.reason))
  }

  @Test(arguments: [FlakyReadings.Mode.first, .second, .odd], [true, false])
  func `a bad reading takes no intact file away`(_ mode: FlakyReadings.Mode, _ isEncrypted: Bool) async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 91)
    let steady = try await run.inspector().planRepair()
    let outcome = try await repair(run, mode)
    #expect(outcome.gone.isSubset(of: steady.aside), "\(outcome.gone.subtracting(steady.aside))")
    #expect(!outcome.gone.contains { $0.hasSuffix(".set") })
    // What stays needs nothing in its place.
    let standIns = outcome.added.subtracting(steady.actions.map { "\($0.path)" })
      .filter { $0.hasSuffix(".mention") || $0.hasSuffix(".resend") }
    #expect(standIns.isEmpty)
    if mode != .second, !isEncrypted {
      #expect(outcome.refusals.contains { $0.contains("reads differently each time") })
    }
  }

  @Test(arguments: [true, false])
  func `a damaged set goes as it lay, although one of its readings was changed`(_ isEncrypted: Bool)
    async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 92)
    let set = try #require(run.remote.target(.set))
    #expect(try run.remote.befall(set, .exchanged, stage))
    #expect(try await repair(run, .second).gone.contains(set))
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func
    `whatever is damaged and however it reads, no file goes that a steady look leaves, and undoing puts back what lay there`(
      seed: Int
    ) async throws
  {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let run = try RepairRun(stage, seed: UInt64(seed), remote: remote)
    let mode = FlakyReadings.Mode.allCases[seed % FlakyReadings.Mode.allCases.count]
    guard let steady = try? await run.inspector().planRepair() else { return }
    let outcome = try await repair(run, mode, seed: UInt64(seed))
    for path in outcome.gone {
      #expect(
        steady.aside.contains { path == $0 || path.hasPrefix("\($0)/") } || path.hasSuffix(".resend"),
        "\(path)")
    }
  }
}

extension RepairPlan {
  /// The places of what is put aside.
  fileprivate var aside: Set<String> {
    Set(actions.filter { $0.change == .putAside }.map { "\($0.path)" })
  }
}
