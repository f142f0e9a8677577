import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Copies whose bookkeeping somebody has edited, so that whoever went on from them would stop, or say what nobody takes.
@Suite struct EditedSnapshotTests {
  private let folder: TemporaryFolder
  private let device: PlainDevice

  /// A device that has something in every table of the bookkeeping, and in the log.
  init() throws {
    folder = try TemporaryFolder()
    device = try PlainDevice("here")
    try device.edit { edit in
      for id in ["a", "b"] { try edit.insert("Person", .text(id), ["name": .string(id)]) }
      try edit.insert("Team", "t")
      for id in ["a", "b"] { try edit.link("t", .text(id)) }
      try edit.moveToFront("b", in: .members, of: "t")
      try edit.set("Person", "a", "score", .integer(3))
    }
    try device.push()
    try device.edit { try $0.set("Person", "a", "name", .string("later")) }
  }

  @Test(arguments: [
    "UPDATE TICDS_AUTHOR SET sequence = -1 WHERE author = (SELECT value FROM TICDS_STATE WHERE name = 'author')",
    "UPDATE TICDS_AUTHOR SET sequence = 7 WHERE author = (SELECT value FROM TICDS_STATE WHERE name = 'author')",
    "UPDATE TICDS_LOG SET time = -1",
    "UPDATE TICDS_LOG SET time = 9223372036854775807",
    "UPDATE TICDS_LOG SET detail = zeroblob(100000)",
    "UPDATE TICDS_LOG SET detail = zeroblob(1000)",
    "UPDATE TICDS_LINK SET bit = 100",
    "UPDATE TICDS_PLACE SET bit = 100",
    "UPDATE TICDS_CONTRIBUTION SET bit = 100",
    "INSERT INTO TICDS_TARGET SELECT id, 100, id FROM TICDS_OBJECT LIMIT 1",
    "INSERT INTO TICDS_VALUE (object, bit, value) SELECT id, 100, x'00' FROM TICDS_OBJECT LIMIT 1",
  ])
  func `a copy that says what no replica writes is refused before anybody goes on from it`(edit: String)
    throws
  {
    _ = try device.replica.snapshot(to: folder.file("copy"))
    let copy = try Connection(path: folder.file("copy"))
    try copy.execute(script: edit)
    #expect(try copy.first("SELECT changes()") != .integer(0))

    let error = #expect(throws: ReplicaError.self) { _ = try StoreSnapshot(reading: folder.file("copy")) }
    #expect(error?.code == .invalidSnapshot)
  }

  @Test func `a copy that nobody has edited is read, though its log says as much in one entry as one may`()
    throws
  {
    _ = try device.replica.snapshot(to: folder.file("copy"))
    let copy = try Connection(path: folder.file("copy"))
    try copy.run("UPDATE TICDS_LOG SET detail = zeroblob(999)")

    #expect(try StoreSnapshot(reading: folder.file("copy")).includesUnpushedChanges)
  }
}
