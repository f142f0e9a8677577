import FileManagerBackend
import Foundation
import Inspection
import Testing

/// Keys that come between the plan of a repair and the repair: what they seal may have been judged without them.
@Suite struct LateKeyRepairTests {
  private func repair(_ remote: SampleRemote) throws -> RemoteRepair {
    RemoteRepair(
      backend: FileManagerBackend(folder: remote.remote.path),
      quarantine: try Quarantine(newAt: remote.folder.file("quarantine-\(UUID())")))
  }

  @Test func `nothing is taken away once a key has come by which the plan was not made`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let set = try #require(try remote.files(in: "SyncChanges", suffix: ".set").last)
    try Data([1, 2, 3]).write(to: set)
    let plan = try await remote.inspector.planRepair()
    try #require(plan.actions.contains { $0.change == .putAside })
    _ = try await remote.device("first").application.replaceKeys(password: "another horse")
    let before = try remote.files(in: "")

    let error = await #expect(throws: RepairError.self) { try await repair(remote).apply(plan) }
    guard case .unsteady(let reason)? = error else { throw try #require(error) }
    #expect(reason.contains("Nothing was done") && reason.contains("sample/Encryption/"), "\(reason)")
    #expect(try remote.files(in: "") == before)

    let again = try await remote.inspector("another horse").planRepair()
    #expect(try await repair(remote).apply(again).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: set.path))
  }
}
