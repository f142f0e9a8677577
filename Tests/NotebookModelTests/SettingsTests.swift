import CommandLineTool
import Foundation
import TemporaryFolders
import Testing

@testable import NotebookModel

@Suite struct SettingsTests {
  static let settings = NotebookSettings(
    document: "d", client: "c", clientDescription: "a “laptop”\n", isEncrypted: true)

  @Test func `settings come back as they were written`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "notebook.json")
      try Self.settings.write(to: file)
      #expect(try NotebookSettings(contentsOf: file) == Self.settings)
    }
  }

  @Test func `a missing, a damaged and a later file are three failures`() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "notebook.json")
      func status() -> ToolStatus? {
        #expect(throws: ToolFailure.self) { try NotebookSettings(contentsOf: file) }?.status
      }
      #expect(status() == .notFound)
      try Data("{".utf8).write(to: file)
      #expect(status() == .damaged)
      var later = Self.settings
      later.version = 2
      try later.write(to: file)
      #expect(status() == .unsupported)
    }
  }
}
