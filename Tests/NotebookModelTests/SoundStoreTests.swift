import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import NotebookModel

/// What somebody else may have made is looked at before notes are kept in it, whoever joins in whatever way.
@Suite struct SoundStoreTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("notes.sqlite")
    _ = try Notebook.openStore(at: path, access: .create)
  }

  @Test func `a store as this program makes it is sound`() throws {
    _ = try Notebook.soundReplica(at: path, client: "here")
  }

  @Test func `a store that demands that titles differ is refused`() throws {
    try Connection(path: path).run("CREATE UNIQUE INDEX planted ON ZNOTE(ZTITLE)")
    #expect(throws: StoreError.self) { try Notebook.soundReplica(at: path, client: "here") }
  }
}
