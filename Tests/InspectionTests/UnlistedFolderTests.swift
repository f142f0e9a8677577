import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// A folder that the storage does not list is no empty one: nothing is inferred from what may lie below it, and nothing is written because of it.
@Suite struct UnlistedFolderTests {
  @Test(arguments: [true, false])
  func `of a folder that is not listed nothing is said but that, and nothing is repaired`(
    isEncrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: isEncrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 20_000))
    try await remote.uploadWholeStore()
    try await expectNothingInferred(from: remote)
  }

  @Test(arguments: [true, false])
  func `nor where a vacuum has removed sets`(isEncrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: isEncrypted)
    try await remote.vacuum()
    try await expectNothingInferred(from: remote)
  }

  @Test(arguments: [true, false])
  func `nor where nobody has a head, and mentions name sets`(isEncrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: isEncrypted)
    for head in try remote.files(in: "RecentSyncs", suffix: ".head") {
      try FileManager.default.removeItem(at: head)
    }
    _ = try await remote.repair()
    try await expectNothingInferred(from: remote)
  }

  @Test func `what is missing of another author is told all the same`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let lost = try #require(try remote.sets().last)
    let other = try #require(
      try remote.files(in: "SyncChanges", suffix: ".set").first {
        $0.deletingLastPathComponent() != lost.deletingLastPathComponent()
      })
    try FileManager.default.removeItem(at: lost)
    let folder = try place(of: other.deletingLastPathComponent(), remote)

    let verification = try await inspector(remote, without: folder).verify()

    #expect(verification.outcome == .damaged || verification.outcome == .warnings)
    #expect(verification.findings.contains { $0.code == .missingSet })
    #expect(!verification.findings.contains { $0.code == .gap })
  }

  @Test func `a command that needs the keys tells that their folder was not listed`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let inspector = inspector(remote, without: try #require(RemotePath("sample/Encryption")))

    let error = await #expect(throws: InspectionError.self) { try await inspector.forEachSet { _ in } }

    guard case .storage(let failure)? = error else { throw try #require(error) }
    #expect(failure.code == .forbidden)
  }

  /// Asks for each folder alone.
  private func expectNothingInferred(from remote: SampleRemote) async throws {
    let usual = Set(try await remote.inspector.verify().findings.map(\.code))
    let folders = try remote.contents().filter { $0.value == nil }.keys.sorted()
    try #require(folders.count > 8)
    for folder in folders {
      let inspector = inspector(remote, without: try #require(RemotePath(folder)))
      for depth in [Verification.Depth.data, .names] {
        let verification = try await inspector.verify(depth: depth)
        let others = verification.findings.filter {
          $0.code != .folderUnreadable && !usual.contains($0.code)
        }
        #expect(others.isEmpty, "\(folder): \(others)")
        #expect(verification.findings.contains { $0.code == .folderUnreadable }, "\(folder)")
      }
      let plan = try await inspector.planRepair()
      #expect(plan.actions.isEmpty, "\(folder): \(plan.actions)")
    }
  }

  private func inspector(_ remote: SampleRemote, without folder: RemotePath) -> RemoteInspector {
    RemoteInspector(
      backend: RefusedListing(base: FileManagerBackend(folder: remote.remote.path), folder: folder),
      password: remote.isEncrypted ? SampleRemote.password : nil)
  }

  private func place(of folder: URL, _ remote: SampleRemote) throws -> RemotePath {
    try #require(RemotePath(String(folder.path.dropFirst(remote.remote.path.count + 1))))
  }
}

/// Storage that does not list one folder, though what lies below it can be had.
private struct RefusedListing: WrappingBackend {
  let base: any SyncBackend
  let folder: RemotePath

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    if folder == self.folder { throw BackendError(.forbidden, path: folder) }
    return try await base.list(folder)
  }
}
