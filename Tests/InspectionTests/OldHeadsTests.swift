import Foundation
import Inspection
import SyncProtocol
import Testing

/// An older copy of the folder of heads was put back, and the devices that have written since are gone.
@Suite struct OldHeadsTests {
  /// A remote on which “first” has pushed something that its head does not name any more.
  private func remote(encrypted: Bool) async throws -> SampleRemote {
    let remote = try await SampleRemote(encrypted: encrypted)
    let heads = remote.remote.appending(path: "sample/Documents/things/RecentSyncs")
    let old = remote.folder.url.appending(path: "old")
    try FileManager.default.copyItem(at: heads, to: old)
    try await remote.device("first").push("later")
    try FileManager.default.removeItem(at: heads)
    try FileManager.default.moveItem(at: old, to: heads)
    return remote
  }

  @Test(arguments: [true, false])
  func `a state names the sets that it leaves out`(encrypted: Bool) async throws {
    let remote = try await remote(encrypted: encrypted)

    let state = try await remote.inspector.state()

    #expect(state.omissions.count == 1, "\(state.omissions)")
    #expect(state.omissions.first?.contains("no head names it") == true)
  }

  @Test(arguments: ["RecentSyncs - Copy", "RecentSyncs/RecentSyncs"])
  func `a copy of the folder of heads stays a copy when the devices go on`(name: String) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let document = remote.remote.appending(path: "sample/Documents/things")
    let copy = remote.folder.url.appending(path: "copy")
    try FileManager.default.copyItem(at: document.appending(path: "RecentSyncs"), to: copy)
    try FileManager.default.moveItem(at: copy, to: document.appending(path: name))
    try await remote.device("first").push("later")
    _ = try await remote.device("second").document.synchronize()

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.map(\.code) == [.conflictCopy], "\(verification.findings)")
    #expect(verification.outcome == .healthy)
  }

  @Test func `what a mention names already is not named again, though sets lie beyond a gap`() async throws {
    let remote = try await remote(encrypted: false)
    try await remote.repair()
    let before = Set(try remote.contents().keys)
    let heads = remote.remote.appending(path: "sample/Documents/things/RecentSyncs")
    let kept = remote.folder.url.appending(path: "kept")
    try FileManager.default.copyItem(at: heads, to: kept)
    let device = try await remote.device("first")
    for name in ["lost", "beyond"] { try await device.push(name) }
    try FileManager.default.removeItem(at: heads)
    try FileManager.default.moveItem(at: kept, to: heads)
    let new = Set(try remote.contents().keys).subtracting(before).filter { $0.hasSuffix(".set") }.sorted()
    try #require(new.count == 2)
    try FileManager.default.removeItem(at: remote.remote.appending(path: new[0]))

    let plan = try await remote.inspector.planRepair()

    #expect(!plan.actions.contains { before.contains("\($0.path)") }, "\(plan.actions)")
  }

  @Test(arguments: [true, false])
  func `a repair names them, so that states and newcomers have them`(encrypted: Bool) async throws {
    let remote = try await remote(encrypted: encrypted)
    #expect(try await remote.inspector.verify().findings.contains { $0.code == .unpublishedSets })

    try await remote.repair()

    let state = try await remote.inspector.state()
    #expect(state.omissions == [])
    withExtendedLifetime(state) {}
    let newcomer = try await remote.device("newcomer")
    _ = try await newcomer.document.synchronize()
    #expect(try newcomer.names().contains("later"))
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
  }
}
