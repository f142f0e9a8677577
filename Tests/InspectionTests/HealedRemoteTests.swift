import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// What devices write to put right what storage has lost is known to the inspection.
@Suite struct HealedRemoteTests {
  private func protection(
    _ founding: IntegrityKey, application: String, document: String
  ) throws -> DocumentProtection {
    let application = ApplicationHierarchy(application: try #require(RemoteName(application)))
    return try DocumentProtection(
      keys: nil, hierarchy: application.document(try #require(RemoteName(document))), own: founding)
  }

  @Test func `requests and statements among the heads are ours`() throws {
    let (a, b) = (AuthorID(bits: 1), AuthorID(bits: 2))
    let key = try #require(IntegrityKey(String(repeating: "0", count: 32)))
    let protection = try protection(key, application: "app", document: "doc")
    let request = protection.request(asker: a, subject: .set(author: b, sequence: 3), count: 1)
    let statement = protection.supersession(author: a, restated: 1, former: b, through: 9)
    let folder = ["app", "Documents", "doc", "RecentSyncs"].compactMap { RemoteName($0) }
    #expect(FileRole(path: folder + [request.name], kind: .file) == .request(request))
    #expect(FileRole(path: folder + [statement.name], kind: .file) == .supersession(statement))
    #expect(FileRole(path: folder + [request.name], kind: .folder) == .foreign)
  }

  @Test func `sets that another author has said again need not be there`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let sets = try remote.sets()
    try FileManager.default.removeItem(at: sets[0])
    #expect(try await remote.inspector.verify().findings.contains { $0.kind == .gap })
    let former = try #require(AuthorID(sets[0].deletingLastPathComponent().lastPathComponent))
    let founding = try #require(
      try remote.files(in: "IntegrityKey").compactMap { RemoteName($0.lastPathComponent) }
        .compactMap { FoundingName($0) }.first)
    let statement = try protection(founding.integrityKey, application: "sample", document: "things")
      .supersession(author: AuthorID(bits: 7), restated: 1, former: former, through: 3)
    let heads = try #require(try remote.files(in: "RecentSyncs").first).deletingLastPathComponent()
    try Data().write(to: heads.appending(path: statement.name.description))
    #expect(try await remote.inspector.verify().findings.contains { $0.kind == .gap } == false)
  }
}
