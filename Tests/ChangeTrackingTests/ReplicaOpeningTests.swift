import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

@Suite struct ReplicaOpeningTests {
  @Test func `a store can be looked at while another process writes to it`() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.file("store")
    try PlainDevice("here", path: path).edit { try $0.insert("Person", "p") }
    let writer = try Connection(path: path)

    let pending = try writer.transaction {
      try PlainDevice("here", path: path).replica.status().pendingObjects
    }

    #expect(pending == 1)
  }

  @Test func `bookkeeping of a newer version is refused with its number`() throws {
    let store = try PlainStore()
    _ = try Replica(store: store, configuration: .init(client: "here"))
    try store.connection.run("UPDATE TICDS_STATE SET value = 99 WHERE name = 'version'")

    let error = #expect(throws: ReplicaError.self) {
      try Replica(store: store, configuration: .init(client: "here"))
    }
    #expect(error?.code == .newerBookkeeping)
    #expect(error?.message.contains("99") == true)
  }

  @Test(arguments: [
    (Int64(99), ReplicaError.Code.newerBookkeeping), (4, .olderBookkeeping), (0, .olderBookkeeping),
    (-1, .olderBookkeeping),
  ])
  func `a copy with bookkeeping of another version is refused before anybody begins with it`(
    version: Int64, code: ReplicaError.Code
  ) throws {
    let folder = try TemporaryFolder()
    let device = try VersionedDevice("here", [EntityDeclaration("Note", attributes: [RenamingTests.syncID])])
    let path = folder.file("copy")
    _ = try device.replica.snapshot(to: path)
    try Connection(path: path).run(
      "UPDATE TICDS_STATE SET value = ? WHERE name = 'version'", .integer(version))

    let error = #expect(throws: ReplicaError.self) { try StoreSnapshot(reading: path) }

    #expect(error?.code == code)
  }
}
