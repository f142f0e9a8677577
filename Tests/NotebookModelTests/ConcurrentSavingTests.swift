import CommandLineTool
import Foundation
import TemporaryFolders
import Testing

@testable import NotebookModel

/// Two programs that work on one notebook at once, as a command does while a sync runs.
@Suite struct ConcurrentSavingTests {
  private func withNotebook(_ body: (NotebookFolder) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let folder = NotebookFolder(url: folder.appending(path: "notebook", directoryHint: .isDirectory))
      try NotebookJoining(folder: folder).create(document: "notes", clientDescription: "here")
      let notebook = try Notebook(folder, for: .writing)
      _ = try notebook.insertNote(title: "title", content: "content", tags: [], at: Date())
      try notebook.context.save()
      try body(folder)
    }
  }

  private func note(in notebook: Notebook) throws -> Note { try #require(try notebook.notes().first) }

  @Test func `a command changes what it was told to, and leaves what was saved meanwhile`() throws {
    try withNotebook { folder in
      let (command, sync) = (try Notebook(folder, for: .writing), try Notebook(folder, for: .writing))
      let edited = try note(in: command)
      edited.title = "title of the command"
      let merged = try note(in: sync)
      (merged.title, merged.content) = ("title of the sync", "content of the sync")
      try sync.context.save()

      try command.save(edited)

      let saved = try note(in: Notebook(folder, for: .reading))
      #expect((saved.title, saved.content) == ("title of the command", "content of the sync"))
    }
  }

  @Test func `a note that was deleted meanwhile is not changed, and the command says so`() throws {
    try withNotebook { folder in
      let (command, sync) = (try Notebook(folder, for: .writing), try Notebook(folder, for: .writing))
      let edited = try note(in: command)
      edited.title = "title of the command"
      sync.context.delete(try note(in: sync))
      try sync.context.save()

      let failure = #expect(throws: ToolFailure.self) { try command.save(edited) }

      #expect(failure?.status == .notFound)
      #expect(try Notebook(folder, for: .reading).notes().isEmpty)
    }
  }
}
