import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// Sets were removed because whole stores contain them, and then something happens to these or to what says so.
@Suite struct VacuumedRemoteTests {
  private func vacuumed(encrypted: Bool) async throws -> SampleRemote {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.vacuum()
    #expect(try await remote.inspector.verify().outcome == .healthy)
    return remote
  }

  private func stores(_ remote: SampleRemote) throws -> [URL] {
    try remote.files(in: "WholeStore", suffix: ".copy")
  }

  /// The one that is in force; another is only announced.
  private func floor(_ remote: SampleRemote) throws -> URL? {
    try remote.files(in: "RecentSyncs", suffix: ".floor").first { $0.lastPathComponent.contains(".1.") }
  }

  @Test(arguments: [true, false], [true, false])
  func `a history that no whole store holds any more is lost, until one comes from a copy`(
    encrypted: Bool, isDamaged: Bool
  ) async throws {
    let remote = try await vacuumed(encrypted: encrypted)
    let copy = try remote.copy()
    let whole = try remote.contents()
    for store in try stores(remote) {
      try isDamaged ? Data().write(to: store) : FileManager.default.removeItem(at: store)
    }
    if isDamaged { try await remote.repair() }
    let without = try remote.contents()

    let lost = try await remote.inspector.verify()
    #expect(lost.findings.map(\.code) == [.historyAwaited])
    #expect(lost.outcome == .warnings)
    #expect(try await remote.inspector.verify(depth: .names).findings.map(\.code) == [.historyAwaited])
    #expect(try await remote.inspector.planRepair().left.map(\.code) == [.historyAwaited])

    let repair = try await remote.repair(from: copy)

    #expect(try await remote.inspector.verify().outcome == .healthy)
    let restored = Set(try remote.contents().keys).subtracting(without.keys)
    #expect(restored.count == 1)
    #expect(try restored.allSatisfy { try remote.contents()[$0] == whole[$0] })
    #expect(try await repair.undo() == [])
    #expect(try remote.contents() == without)
  }

  @Test(arguments: [true, false], [true, false])
  func `without the floor that told of it nobody misses what whole stores contain`(
    encrypted: Bool, isDamaged: Bool
  ) async throws {
    let remote = try await vacuumed(encrypted: encrypted)
    for file in try remote.files(in: "RecentSyncs", suffix: ".floor") {
      try isDamaged ? Data().write(to: file) : FileManager.default.removeItem(at: file)
    }
    if isDamaged { try await remote.repair() }

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.map(\.code) == [.floorMissing], "\(verification.findings)")
    #expect(verification.outcome == .warnings)
    let plan = try await remote.inspector.planRepair()
    #expect(plan.actions.isEmpty, "\(plan.actions)")
    let state = try await remote.inspector.state()
    #expect(state.omissions == [] && state.contents.total > 0)
  }

  @Test func `an old head that storage has brought back names no set that is missed`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let old = try remote.files(in: "RecentSyncs", suffix: ".head").map { ($0, try Data(contentsOf: $0)) }
    try await remote.device("first").push("later")
    try await remote.device("second").document.synchronize()
    try await remote.device("second").document.uploadStore()
    _ = try await remote.device("first").document.rejoin()
    for name in ["first", "second", "first"] { try await remote.device(name).document.synchronize() }
    let fifth = try await remote.device("fifth")
    for name in ["five", "six"] {
      try await fifth.push(name)
      for name in ["first", "second"] { try await remote.device(name).document.synchronize() }
      _ = try await fifth.document.uploadStore()
    }
    _ = try await fifth.document.vacuum(VacuumPolicy(grace: 0))
    for (place, bytes) in old where !FileManager.default.fileExists(atPath: place.path) {
      try bytes.write(to: place)
    }

    let findings = try await remote.inspector.verify().findings

    #expect(!findings.contains { $0.code == .missingSet || $0.code == .unpublishedSets }, "\(findings)")
  }

  @Test func `one whole store that opens holds the history`() async throws {
    let remote = try await vacuumed(encrypted: false)
    let stores = try stores(remote)
    #expect(stores.count == 2)
    try FileManager.default.removeItem(at: stores[0])
    #expect(try await remote.inspector.verify().outcome == .healthy)
    try Data().write(to: stores[1])
    #expect(
      try await remote.inspector.verify().findings.map(\.code).sorted { "\($0)" < "\($1)" }
        == [.historyAwaited, .wholeStoreDamaged])
  }

  @Test func `a copy of before the vacuum gives back the sets`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let copy = try remote.copy()
    try await remote.vacuum()
    for store in try stores(remote) { try FileManager.default.removeItem(at: store) }
    #expect(try await remote.inspector.verify().findings.map(\.code) == [.historyAwaited])

    try await remote.repair(from: copy)

    #expect(try await remote.inspector.verify().outcome == .healthy)
    #expect(try remote.sets().count == 3)
  }

  @Test(arguments: [true, false])
  func `a floor that was cut is put aside, and nobody is asked for what was removed`(encrypted: Bool)
    async throws
  {
    let remote = try await vacuumed(encrypted: encrypted)
    let floor = try #require(try floor(remote))
    let bytes = try Data(contentsOf: floor)
    try bytes.prefix(bytes.count / 2).write(to: floor)

    let plan = try await remote.inspector.planRepair()

    #expect(plan.actions.map(\.change) == [.putAside])
    #expect(!plan.asksDevices)
  }

  @Test(arguments: [true, false])
  func `a floor that is gone comes from a copy, or from a copy in conflict beside it`(encrypted: Bool)
    async throws
  {
    let remote = try await vacuumed(encrypted: encrypted)
    let copy = try remote.copy()
    let floor = try #require(try floor(remote))
    let bytes = try Data(contentsOf: floor)
    try FileManager.default.removeItem(at: floor)
    try await remote.repair(from: copy)
    #expect(try Data(contentsOf: floor) == bytes)

    let name = floor.deletingPathExtension().lastPathComponent
    let beside = floor.deletingLastPathComponent().appending(path: "\(name) (1).floor")
    try FileManager.default.moveItem(at: floor, to: beside)
    try await remote.repair()
    #expect(try Data(contentsOf: floor) == bytes)
  }

  @Test(arguments: [true, false])
  func `a lost history comes back from the store of the device that wrote it, all of it or nothing`(
    encrypted: Bool
  ) async throws {
    let remote = try await vacuumed(encrypted: encrypted)
    for store in try stores(remote) { try FileManager.default.removeItem(at: store) }
    #expect(try await remote.inspector.verify().findings.map(\.code) == [.historyAwaited])
    func plan(_ device: String) async throws -> RepairPlan {
      try await remote.inspector.planRepair(
        keeping: KeptFiles(storeAt: remote.folder.file("\(device).sqlite")))
    }
    #expect(try await plan("second").actions == [])

    try await remote.apply(plan("first"))

    #expect(try remote.sets().count == 3)
    #expect(try await remote.inspector.verify().outcome == .healthy)
    let newcomer = try await remote.device("newcomer")
    _ = try await newcomer.document.synchronize()
    #expect(try newcomer.names() == ["five", "four", "one", "six", "three", "two"])
  }

  @Test(arguments: [true, false])
  func
    `a document whose history is lost is rebuilt of what is left, and a device that has all brings it back`(
      encrypted: Bool
    ) async throws
  {
    let remote = try await vacuumed(encrypted: encrypted)
    for store in try stores(remote) { try FileManager.default.removeItem(at: store) }
    let without = try remote.contents()
    let model = try ManagedObjectModel(Item.self)
    let plan = try await remote.inspector.planRebuild(of: "things", model: model)
    #expect(plan.notes.count == 1 && plan.notes[0].contains("sets 1 to 2 of “first”"), "\(plan.notes)")
    #expect(try remote.contents() == without)

    let first = try await remote.apply(plan)
    #expect(try await remote.inspector.verify().isClean)
    #expect(try await first.undo() == [])
    #expect(try remote.contents() == without)
    try await remote.apply(remote.inspector.planRebuild(of: "things", model: model))

    let newcomer = try await remote.device("newcomer")
    _ = try await newcomer.document.synchronize()
    #expect(try newcomer.names() == ["five", "four", "six", "three"])
    try await newcomer.push("of the newcomer")

    let returning = try await remote.device("second")
    for _ in 0..<5 {
      for device in [returning, newcomer] { _ = try await device.document.synchronize() }
    }
    let all = ["five", "four", "of the newcomer", "one", "six", "three", "two"]
    #expect(try returning.names() == all)
    #expect(try newcomer.names() == all)
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test(arguments: [true, false])
  func `first sets that whole stores contain, and that were lost, come back from a copy`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    try await remote.device("second").push("more")
    try await remote.uploadWholeStore()
    try #require(try stores(remote).count == 2)
    let copy = try remote.copy()
    let whole = try remote.contents()
    try FileManager.default.removeItem(at: try #require(try remote.sets().first))
    try #require(try await remote.inspector.verify().findings.map(\.code) == [.floorMissing])

    try await remote.repair(from: copy)

    #expect(try remote.contents() == whole)
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }
}
