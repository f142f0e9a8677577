import CommandLineTool
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import NotebookModel

/// A store whose bookkeeping somebody has damaged ends a program with a code and a sentence of its own.
@Suite struct DamagedBookkeepingTests {
  @Test(arguments: [
    ("DELETE FROM TICDS_ENTITY", ToolStatus.damaged), ("DELETE FROM TICDS_PROPERTY", .damaged),
    ("DELETE FROM TICDS_LOCAL", .damaged), ("UPDATE TICDS_ENTITY SET path = x'FF'", .damaged),
    ("UPDATE TICDS_STATE SET value = 99 WHERE name = 'version'", .unsupported),
    ("DROP TABLE TICDS_OBJECT", .damaged), ("DROP TABLE TICDS_UNSHOWN", .damaged),
    ("DROP TABLE TICDS_REMOTE", .damaged), ("DROP INDEX TICDS_OBJECT_SYNCID", .damaged),
    ("DROP TABLE ZNOTE", .unsupported),
  ])
  func `says so`(_ edit: String, _ status: ToolStatus) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("notes.sqlite")
    _ = try Notebook.openStore(at: path, access: .create).newReplica(.init(client: "here"))
    try Connection(path: path, options: .init(access: .readWrite)).execute(script: edit)

    let failure = #expect(throws: (any Error).self) {
      try Notebook.openStore(at: path, access: .readWrite).newReplica(.init(client: "here"))
    }

    let translated = try NotebookFailures.translate(#require(failure))
    #expect(translated?.status == status, "\(String(describing: failure))")
    #expect(translated?.message.contains("notes.sqlite") == true)
  }
}
