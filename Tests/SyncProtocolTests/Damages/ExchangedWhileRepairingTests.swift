import Foundation
import Inspection
import SyncProtocol
import Synchronization
import Testing

/// Somebody exchanges files while they are put aside, or puts some into a folder that is taken back.
@Suite struct ExchangedWhileRepairingTests {
  /// Storage of which a request for one place is preceded or followed by something that somebody else does, once.
  private final class Meddling: WrappingBackend {
    let base: any SyncBackend
    private let place: RemotePath
    /// Before which request for information, counted from 1, something happens; 0 for after a listing.
    private let turn: Int
    private let act: @Sendable () throws -> Void
    private let state = Mutex((requests: 0, isDone: false))

    init(_ base: any SyncBackend, at place: String, turn: Int, _ act: @escaping @Sendable () throws -> Void)
      throws
    {
      self.base = base
      self.place = try #require(RemotePath(place))
      self.turn = turn
      self.act = act
    }

    var hasActed: Bool { state.withLock { $0.isDone } }

    private func actOnce() {
      let isFirst = state.withLock { state in
        defer { state.isDone = true }
        return !state.isDone
      }
      if isFirst { do { try act() } catch { Issue.record(error) } }
    }

    func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
      if path == place {
        let number = state.withLock { state in
          state.requests += 1
          return state.requests
        }
        if number == turn { actOnce() }
      }
      return try await base.stat(path)
    }

    func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
      let listing = try await base.list(folder)
      if folder == place, turn == 0 { actOnce() }
      return listing
    }
  }

  @Test(arguments: 1...3)
  func `a genuine set that has come in the place of a damaged one is not removed`(turn: Int) async throws {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 71)
    let set = try #require(run.remote.target(.set))
    let genuine = try #require(run.remote.bytes(set))
    try #require(try run.remote.befall(set, .exchanged, stage))
    let plan = try await run.inspector().planRepair()
    let storage = try Meddling(run.remote.backend, at: set, turn: turn) {
      try run.remote.write(genuine, to: set)
    }

    let failures = try await RemoteRepair(backend: storage, quarantine: run.quarantine("exchanged")).apply(
      plan)

    #expect(storage.hasActed)
    #expect(run.remote.bytes(set) == genuine)
    #expect(failures.contains { "\($0.action.path)" == set })
    let left = try await RemoteRepair(
      backend: run.remote.backend, quarantine: Quarantine(at: run.remote.folder.file("exchanged"))
    ).undo()
    #expect(run.remote.bytes(set) == genuine)
    #expect(left.allSatisfy { $0.path.map { "\($0)" } == set })
  }

  @Test func `a folder that a repair has made stays with what has come into it while that is undone`()
    async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 72)
    let set = try #require(run.remote.target(.set))
    let genuine = try #require(run.remote.bytes(set))
    let folder = set.split(separator: "/").dropLast(2).joined(separator: "/")
    let root = URL(filePath: run.remote.root)
    try FileManager.default.removeItem(at: root.appending(path: folder))
    let plan = try await run.inspector().planRepair()
    let quarantine = run.remote.folder.file("made")
    try await RemoteRepair(backend: run.remote.backend, quarantine: Quarantine(newAt: quarantine)).apply(plan)
    try #require(run.remote.isFolder(folder))
    let storage = try Meddling(run.remote.backend, at: folder, turn: 0) {
      try FileManager.default.createDirectory(
        at: root.appending(path: set).deletingLastPathComponent(), withIntermediateDirectories: true)
      try genuine.write(to: root.appending(path: set))
    }

    let left = try await RemoteRepair(backend: storage, quarantine: Quarantine(at: quarantine)).undo()

    #expect(storage.hasActed)
    #expect(run.remote.bytes(set) == genuine)
    #expect(left.contains { $0.path.map { "\($0)" } == folder })
  }
}
