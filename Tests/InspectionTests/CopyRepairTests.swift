import Foundation
import Inspection
import Testing

/// Another copy of the remote has what lies here no more.
@Suite struct CopyRepairTests {
  /// What is lost, and whether it is all that is to come back.
  enum Loss: String, CaseIterable, Sendable {
    case heads, author, lastSetAndHead, clients, description, foundings, folders, application
  }

  private func lose(_ loss: Loss, _ remote: SampleRemote) throws {
    let author = try #require(try remote.sets().first).deletingLastPathComponent()
    let own = try remote.files(in: "RecentSyncs", suffix: ".head").filter {
      $0.lastPathComponent.hasPrefix(author.lastPathComponent)
    }
    let places: [URL] =
      switch loss {
      case .heads: try remote.files(in: "RecentSyncs", suffix: ".head")
      case .author: own + [author]
      case .lastSetAndHead: own + [try #require(try remote.sets().last)]
      case .clients: [remote.remote.appending(path: "sample/ClientDevices")]
      case .description: [remote.remote.appending(path: "sample/ClientDevices/client-first")]
      case .foundings: [remote.remote.appending(path: "sample/Founding")]
      case .folders:
        ["SyncChanges", "RecentSyncs", "LongValues"].map {
          remote.remote.appending(path: "sample/Documents/things/\($0)")
        }
      case .application: [remote.remote.appending(path: "sample")]
      }
    for place in places { try FileManager.default.removeItem(at: place) }
  }

  /// Old heads, whose authors have published newer ones, are missed by nobody.
  private func missing(_ remote: SampleRemote, _ whole: [String: Data?]) throws -> [String] {
    let contents = try remote.contents()
    return whole.keys.filter { contents[$0] == nil && !$0.hasSuffix(".head") }.sorted()
  }

  @Test(arguments: Loss.allCases, [true, false])
  func `what is lost here comes back from the copy, and undoing takes all of it away again`(
    loss: Loss, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    let whole = try remote.contents()
    let copy = try remote.copy()
    try lose(loss, remote)
    let damaged = try remote.contents()

    var repairs: [RemoteRepair] = []
    for _ in 0..<3 { repairs.append(try await remote.repair(from: copy)) }

    #expect(try missing(remote, whole) == [])
    let verification = try await remote.inspector.verify()
    #expect(verification.findings.filter { $0.severity != .hint } == [])
    for repair in repairs.reversed() { #expect(try await repair.undo() == []) }
    #expect(try remote.contents() == damaged)
  }

  @Test(arguments: [true, false]) func `a copy of earlier changes nothing`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let copy = try remote.copy()
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    try await remote.vacuum()

    #expect(try await remote.inspector.planRepair(from: copy.inspector).actions == [])
  }
}
