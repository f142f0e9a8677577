import Foundation
import Inspection
import SQLite
import Testing

/// Whole stores that a device has made of a store in which somebody else has edited rows or records.
@Suite struct EditedWholeStoreTests {
  private static let edits = [
    "DELETE FROM ZITEM WHERE Z_PK = 1", "DELETE FROM TICDS_OBJECT WHERE id = 1",
    "UPDATE ZITEM SET ZTICDSSYNCID = 'another' WHERE Z_PK = 2",
    "UPDATE TICDS_OBJECT SET clocks = x'FFFFFFFFFFFFFFFFFF010101'",
    "DELETE FROM TICDS_SET WHERE sequence = 1",
  ]

  @Test(arguments: [true, false], edits)
  func `is named as one that no device can begin with, and holds up no vacuum`(
    _ isEncrypted: Bool, _ edit: String
  ) async throws {
    let sample = try await SampleRemote(encrypted: isEncrypted)
    try await sample.vacuum()
    let former = Set(try sample.files(in: "WholeStore", suffix: ".copy").map(\.lastPathComponent))
    let device = try await sample.device("first")
    try await device.push("seven")
    try Connection(path: sample.folder.file("first.sqlite"), options: .init(access: .readWrite)).execute(
      script: edit)

    _ = try await device.document.uploadStore()

    let edited = try #require(
      try sample.files(in: "WholeStore", suffix: ".copy").map(\.lastPathComponent).first {
        !former.contains($0)
      })
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
}
