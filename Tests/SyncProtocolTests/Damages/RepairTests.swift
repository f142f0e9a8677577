import Foundation
import Inspection
import ProcessTesting
import SyncProtocol
import Testing

/// Each kind of file, each damage: what `repair` does about it.
@Suite struct RepairTests {
  private static func heading(_ isEncrypted: Bool) -> String {
    "Repair, \(isEncrypted ? "with" : "without") encryption"
  }

  /// Damages a file, plans, applies, undoes on the way, and lets everybody go on.
  private func cell(
    _ file: AttackedFile, _ misfortune: Misfortune, _ stage: AttackStage, seed: UInt64
  ) async throws -> String {
    let run = try RepairRun(stage, seed: seed)
    let before = try await run.troubles()
    guard misfortune != .unreadable, let path = run.remote.target(file),
      try run.remote.befall(path, misfortune, stage)
    else { return "–" }
    let damaged = run.snapshot()
    let plan: RepairPlan
    do throws(InspectionError) { plan = try await run.inspector().planRepair() } catch {
      return "fails: \("\(error)".prefix { $0 != "(" })"
    }
    if plan.actions.isEmpty { return "none" }

    try await RemoteRepair(backend: run.remote.backend, quarantine: run.quarantine("first")).apply(plan)
    let isCleanAtOnce = try await run.troubles().subtracting(before).isEmpty
    let left = try await RemoteRepair(
      backend: run.remote.backend, quarantine: Quarantine(at: run.remote.folder.file("first"))
    ).undo()
    #expect(left.isEmpty, "\(file) \(misfortune)")
    #expect(run.snapshot() == damaged, "\(file) \(misfortune)")

    let again = try await run.inspector().planRepair()
    #expect(again.actions.count == plan.actions.count)
    try await RemoteRepair(backend: run.remote.backend, quarantine: run.quarantine("second")).apply(again)
    let agree = try await run.goOn()
    #expect(agree, "\(file) \(misfortune)")
    if isCleanAtOnce { return "clean" }
    let remaining = Set(try await run.troubles().subtracting(before).map(\.code.rawValue))
    return remaining.isEmpty ? "healed" : "left: \(remaining.sorted().joined(separator: ", "))"
  }

  @Test(arguments: DamageTests.files, [true, false])
  func `a repair leads where the page says, can be undone, and all devices agree after it`(
    _ file: AttackedFile, _ isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let table = try DamageTable(Self.heading(isEncrypted))
    let row = UInt64(AttackedFile.allCases.firstIndex(of: file) ?? 0)
    var cells: [String] = []
    for (number, misfortune) in Misfortune.allCases.enumerated() {
      let cell = try await cell(file, misfortune, stage, seed: 5_000 + row * 20 + UInt64(number))
      cells.append(cell)
      #expect(cell == table.cell(file, misfortune) ?? "–", "\(file) \(misfortune)")
    }
    if ProcessInfo.processInfo.environment["TICDS_SHOW_DAMAGES"] != nil {
      print("REPAIR \(isEncrypted) | \(file.rawValue) | \(cells.joined(separator: " | ")) |")
    }
  }

  /// Several files at once: a torn head, a torn set, a request that holds something, a changed text.
  private func damage(_ run: RepairRun, _ stage: AttackStage) throws {
    for (file, misfortune) in [
      (AttackedFile.head, Misfortune.cut), (.set, .flipped), (.request, .exchanged), (.readMe, .cut),
      (.longValue, .emptied), (.supersession, .folder),
    ] {
      let path = try #require(run.remote.target(file))
      #expect(try run.remote.befall(path, misfortune, stage))
    }
  }

  @Test(arguments: [true, false])
  func `what is lost comes back from another copy of the remote`(_ isEncrypted: Bool) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 77)
    let before = try await run.troubles()
    let other = run.inspector(stage.remote.backend)
    let sets = run.remote.targets(.set)
    let whole = run.remote.contents
    try run.remote.remove(sets[0])
    try damage(run, stage)
    let damaged = run.snapshot()

    // What a damaged set mentions is known once the set is there again.
    for name in ["first", "second"] {
      let plan = try await run.inspector().planRepair(from: other)
      try await RemoteRepair(
        backend: run.remote.backend, other: stage.remote.backend, quarantine: run.quarantine(name)
      ).apply(plan)
    }
    #expect(try await run.troubles().subtracting(before).isEmpty)
    for path in run.remote.targets(.set) + run.remote.targets(.longValue) {
      #expect(run.remote.bytes(path) == whole[path])
    }
    for name in ["second", "first"] {
      let quarantine = try Quarantine(at: run.remote.folder.file(name))
      let left = try await RemoteRepair(backend: run.remote.backend, quarantine: quarantine).undo()
      #expect(left.isEmpty)
    }
    #expect(run.snapshot() == damaged)
  }

  @Test(arguments: [true, false])
  func `a founding record that is gone comes from another copy, and nothing that it vouches for goes`(
    _ isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: true)
    let run = try RepairRun(stage, seed: 80)
    // The notes tell of former documents of the same name, and this one could be taken for one of these.
    for note in run.remote.targets(.deletion) { try run.remote.remove(note) }
    let whole = run.snapshot()
    let record = try #require(run.remote.target(.documentFounding))
    try run.remote.remove(record)

    let alone = try await run.inspector().planRepair()
    #expect(alone.actions.filter { $0.change == .putAside }.isEmpty)
    let plan = try await run.inspector().planRepair(from: run.inspector(stage.remote.backend))
    try await RemoteRepair(
      backend: run.remote.backend, other: stage.remote.backend, quarantine: run.quarantine("founding")
    ).apply(plan)

    #expect(run.snapshot() == whole)
  }

  @Test(arguments: [
    ".sync-conflict-20260101-120000-ABCDEFG", " (Anna's conflicted copy 2026-11-23)", " (1)",
    " (Jürgens Kopie)",
  ])
  func `a copy that a replicator has kept takes the place of a damaged set`(_ words: String) async throws {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 78)
    let before = try await run.troubles()
    let set = run.remote.targets(.set)[0]
    let bytes = try #require(run.remote.bytes(set))
    try run.remote.write(bytes, to: set.replacing(".set", with: "\(words).set"))
    #expect(try run.remote.befall(set, .cut, stage))
    let plan = try await run.inspector().planRepair()
    try await RemoteRepair(backend: run.remote.backend, quarantine: run.quarantine("kept")).apply(plan)
    #expect(run.remote.bytes(set) == bytes)
    #expect(try await run.troubles() == before)
  }

  @Test(arguments: [true, false])
  func `each of two foundings comes back from a copy beside it, and nothing of its devices is to be removed`(
    _ isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 81)
    let records = run.remote.targets(.documentFounding).filter { $0.contains("/notes/") }
    for (number, record) in records.enumerated() {
      let bytes = try #require(run.remote.bytes(record))
      let copy = record.replacing(".founding", with: " (1).founding")
      try run.remote.remove(record)
      try run.remote.write(bytes, to: copy)

      let forged = try await run.inspector().verify().findings.filter { $0.code == .forgedName }
      #expect(!forged.isEmpty && forged.allSatisfy { !$0.next.hasPrefix("Remove") })
      let plan = try await run.inspector().planRepair()
      try await RemoteRepair(backend: run.remote.backend, quarantine: run.quarantine("kept \(number)"))
        .apply(plan)

      #expect(run.remote.bytes(record) == bytes)
      try run.remote.remove(copy)
    }
  }

  @Test(arguments: [FaultyBackend.Fault.requestLost, .answerLost])
  func `interrupted anywhere, the remote is as before or repaired further, and all can be undone`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    for number in 0... {
      let run = try RepairRun(stage, seed: 79)
      try damage(run, stage)
      let damaged = run.snapshot()
      let troubles = try await run.troubles()
      let plan = try await run.inspector().planRepair()
      let faulty = FaultyBackend(run.remote.backend, after: number, fault)
      _ = try? await RemoteRepair(backend: faulty, quarantine: run.quarantine("first")).apply(plan)
      if number.isMultiple(of: 4) {
        // What was damaged is, at worst, not there any more.
        let places = Set(troubles.map(\.path))
        for finding in try await run.troubles() where !places.contains(finding.path) {
          #expect([.gap, .missingSet, .missingValue, .missingHead, .partMissing].contains(finding.code))
        }
      }
      let second = try await run.inspector().planRepair()
      try await RemoteRepair(backend: run.remote.backend, quarantine: run.quarantine("second")).apply(second)
      for name in ["second", "first"] {
        let quarantine = try Quarantine(at: run.remote.folder.file(name))
        let left = try await RemoteRepair(backend: run.remote.backend, quarantine: quarantine).undo()
        #expect(left.isEmpty, "\(number)")
      }
      #expect(run.snapshot() == damaged, "\(number)")
      guard faulty.hasFailed else { break }
    }
  }
}
