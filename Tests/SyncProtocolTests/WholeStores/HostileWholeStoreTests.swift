import BackendConformance
import ChangeTracking
import Foundation
import SQLite
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// Whole stores as no device writes them: a member has made them, or without encryption anybody.
@Suite struct HostileWholeStoreTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let folder: TemporaryFolder
  private let (a, b, c): (Device, Device, Device)

  /// Two devices that agree, and a whole store that lacks the last of three notes.
  init() async throws {
    workplace = try Workplace()
    folder = try TemporaryFolder()
    (a, b, c) = workplace.devices()
    for device in [a, b] { try await device.register(remote) }
    for number in 1...2 {
      try a.write("note \(number)", "by a")
      for device in [a, b] { try await device.sync(remote) }
    }
    try await a.uploadStore(remote)
    try a.write("note 3", "by a")
    for device in [a, b] { try await device.sync(remote) }
  }

  private func path(_ name: String) -> String { folder.file("\(name)-\(UUID().uuidString)") }

  /// Uploads what a script makes of a copy of `b`'s store, as the newest whole store.
  private func upload(_ script: String) async throws {
    let copy = path("copy")
    _ = try b.replica().snapshot(to: copy, keepingRemoteNotes: RegistrationPins.notesOfCopies)
    try Connection(path: copy).execute(script: script)
    let document = try await b.remoteDocument(remote)
    let transfer = WholeStoreTransfer(
      backend: remote, hierarchy: .notes, protection: try await document.protection())
    let file = path("file")
    let name = try transfer.pack(StoreSnapshot(reading: copy), to: file, progress: nil)
    try await transfer.upload(file, as: name, progress: nil)
  }

  private func expectAgreement() async throws {
    try c.write("by the newcomer", "text")
    for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
    #expect(try c.notes.count == 4)
    #expect(try a.notes == c.notes && b.notes == c.notes)
  }

  @Test(arguments: [
    "DELETE FROM TICDS_LOCAL", "DELETE FROM TICDS_PROPERTY",
    "UPDATE TICDS_LOCAL SET bit = 99", "UPDATE TICDS_ENTITY SET path = x'FFFFFF'",
    "UPDATE TICDS_ENTITY SET local = 99", "UPDATE TICDS_PROPERTY SET kind = 7",
  ])
  func `one that no replica can be made of is refused, and the next one is taken`(_ script: String)
    async throws
  {
    try await upload(script)
    let begun = try await c.begin(remote)
    #expect(begun.store != nil)
    #expect(begun.findings.contains { if case .wholeStoreRefused = $0 { true } else { false } })
    try await expectAgreement()
  }

  @Test(arguments: [
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.encryption', CAST('sealed' AS BLOB))",
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.integrityKey', CAST('0' AS BLOB))",
    "INSERT OR REPLACE INTO TICDS_STATE VALUES ('remote.document', CAST('other/Documents/other' AS BLOB))",
    "INSERT INTO TICDS_REMOTE VALUES ('ownHead', 'x', 9223372036854775807, x'')",
    "INSERT INTO TICDS_REMOTE VALUES ('file', 'com.example.notes/evil.txt', 0, x'00')",
  ])
  func `what one remembers of the remote is not believed`(_ script: String) async throws {
    try await upload(script)
    let begun = try await c.begin(remote)
    #expect(begun.store != nil && begun.findings.isEmpty)
    try await expectAgreement()
    #expect(!remote.files.keys.contains { $0.description.contains("evil") })
  }

  @Test func `a vacuum counts on none that nobody can begin with`() async throws {
    for number in 0..<2 {
      try b.write("between \(number)", "text")
      for device in [b, a, b] { try await device.sync(remote) }
      try await upload("DELETE FROM TICDS_LOCAL")
    }
    let before = remote.files.count
    try await a.vacuum(remote, grace: 0)
    #expect(remote.files.count <= before)
    try await c.begin(remote)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
  }
}
