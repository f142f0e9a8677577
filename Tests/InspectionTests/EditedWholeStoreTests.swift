import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import TICDSSQLite
import Testing

@testable import SyncProtocol

/// Whole stores that a member has made of a copy of his store in which he has edited rows or records.
@Suite struct EditedWholeStoreTests {
  private static let edits = [
    "DELETE FROM ZITEM WHERE Z_PK = 1", "DELETE FROM TICDS_OBJECT WHERE id = 1",
    "UPDATE ZITEM SET ZTICDSSYNCID = 'another' WHERE Z_PK = 2",
    "UPDATE TICDS_OBJECT SET clocks = x'FFFFFFFFFFFFFFFFFF010101'",
    "DELETE FROM TICDS_SET WHERE sequence = 1", "UPDATE TICDS_AUTHOR SET collected = -1",
  ]

  @Test(arguments: edits + ["DELETE FROM Z_PRIMARYKEY", "DROP TABLE Z_METADATA"])
  func `is named as one that no device can begin with, and holds up no vacuum`(_ edit: String) async throws {
    let sample = try await SampleRemote(encrypted: false)
    try await sample.vacuum()
    let device = try await sample.device("first")
    try await device.push("seven")

    let edited = try await upload(edit, by: device, sample)

    let damaged = try await sample.inspector.verify().findings.filter { $0.code == .wholeStoreDamaged }
    #expect(damaged.map(\.path) == ["sample/Documents/things/WholeStore/\(edited)"])
    #expect(damaged.allSatisfy { !$0.message.contains(".sqlite") })
    let outlook = try #require(try await sample.inspector.vacuumOutlooks().first)
    let isDamaged = outlook.wholeStores.contains { store in
      if case .damaged = store.verdict { store.name.name.description == edited } else { false }
    }
    #expect(isDamaged)
    #expect(outlook.wholeStores.count { $0.verdict == .kept } == 2)
  }

  /// - Returns: the name of the file.
  private func upload(
    _ edit: String, by device: SampleRemote.Device, _ sample: SampleRemote
  ) async throws -> String {
    let copy = sample.folder.file("copy.sqlite")
    let snapshot = try device.store.newReplica(.init(client: "client-first")).snapshot(to: copy)
    try Connection(path: copy, options: .init(access: .readWrite)).execute(script: edit)
    let document = try await device.document.remoteDocument()
    let transfer = WholeStoreTransfer(
      backend: FileManagerBackend(folder: sample.remote.path), hierarchy: document.hierarchy,
      protection: try await document.protection())
    let file = sample.folder.file("file")
    let name = try transfer.pack(snapshot, to: file, progress: nil)
    try await transfer.upload(file, as: name, progress: nil)
    return name.name.description
  }

  @Test(arguments: edits)
  func `a device whose own store was edited uploads none of it, and says so`(_ edit: String) async throws {
    let sample = try await SampleRemote(encrypted: false)
    let device = try await sample.device("first")
    try Connection(path: sample.folder.file("first.sqlite"), options: .init(access: .readWrite)).execute(
      script: edit)

    let error = await #expect(throws: SyncError.self) { try await device.document.uploadStore() }

    #expect(error?.code == .store && error?.subject.hasSuffix("first.sqlite") == true)
    #expect(try sample.files(in: "WholeStore").isEmpty)
  }
}
