import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// Whoever breaks off gets neither half a result nor a wrong one.
@Suite struct CancellationTests {
  /// A remote on which there is something to repair: a damaged set, a lost one, and the head of their author.
  private func damagedRemote(encrypted: Bool) async throws -> SampleRemote {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    let sets = try remote.sets()
    let author = sets[0].deletingLastPathComponent().lastPathComponent
    try remote.flip(sets[0])
    try FileManager.default.removeItem(at: sets[1])
    for head in try remote.files(in: "RecentSyncs") where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }
    return remote
  }

  private func isCancellation(_ error: any Error) -> Bool {
    switch error {
    case InspectionError.cancelled: true
    case InspectionError.storage(let error), RepairError.storage(let error): error.code == .cancelled
    default: error is CancellationError
    }
  }

  /// Does something that is cancelled before each of its requests in turn.
  ///
  /// - Parameter check: called after each time it was cancelled.
  private func cancel(
    _ remote: SampleRemote, _ work: @escaping @Sendable (CancellingBackend) async throws -> Void,
    _ check: () async throws -> Void = {}
  ) async throws {
    for turn in 0..<1_000 {
      let backend = CancellingBackend(FileManagerBackend(folder: remote.remote.path), before: turn)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        for await _ in begun { break }
        try await work(backend)
      }
      backend.act { task.cancel() }
      begin.yield()
      let result = await task.result
      guard backend.hasActed else {
        #expect(turn > 2, "it makes requests")
        _ = try result.get()
        return
      }
      switch result {
      // The last of its requests may have been done with.
      case .success: continue
      case .failure(let error): #expect(isCancellation(error), "request \(turn): \(error)")
      }
      try await check()
    }
    Issue.record("it never came to an end")
  }

  @Test(arguments: [true, false])
  func `a verification and the plan of a repair that are cancelled end as cancelled`(encrypted: Bool)
    async throws
  {
    let remote = try await damagedRemote(encrypted: encrypted)
    let whole = try await remote.inspector.planRepair().actions.map(\.path)

    try await cancel(remote) { backend in
      let inspector = RemoteInspector(backend: backend, password: encrypted ? SampleRemote.password : nil)
      let plan = try await inspector.planRepair()
      #expect(plan.actions.count == whole.count, "half a plan was given for a whole one")
    }
  }

  @Test func `an outlook on a vacuum that is cancelled ends as cancelled`() async throws {
    let remote = try await damagedRemote(encrypted: true)
    let whole = try await remote.inspector.vacuumOutlooks().count

    try await cancel(remote) { backend in
      let inspector = RemoteInspector(backend: backend, password: SampleRemote.password)
      let outlooks = try await inspector.vacuumOutlooks()
      #expect(outlooks.count == whole)
    }
  }

  @Test func `a repair that is cancelled anywhere ends as cancelled, and is undone byte for byte`()
    async throws
  {
    let remote = try await damagedRemote(encrypted: true)
    let before = try remote.contents()
    let plan = try await remote.inspector.planRepair()
    let place = remote.folder.file("quarantine")

    try await cancel(remote) { backend in
      try? FileManager.default.removeItem(atPath: place)
      let repair = RemoteRepair(backend: backend, quarantine: try Quarantine(newAt: place))
      let failures = try await repair.apply(plan)
      #expect(failures.isEmpty, "what was cancelled is no failure of a file")
    } _: {
      let repair = RemoteRepair(
        backend: FileManagerBackend(folder: remote.remote.path), quarantine: try Quarantine(at: place))
      _ = try await repair.undo(anyway: true)
      #expect(try remote.contents() == before)
    }
  }
}
