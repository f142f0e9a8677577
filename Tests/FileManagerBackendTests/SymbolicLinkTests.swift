import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

/// Links are told from files, and made again as they were.
@Suite struct SymbolicLinkTests {
  private func path(_ name: String) throws -> RemotePath { RemotePath([try #require(RemoteName(name))]) }

  @Test func `a link is read, removed and made again, whatever it leads to`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.url.appending(path: "remote")
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: false)
    let backend = FileManagerBackend(folder: remote.path)
    let link = try path("link")
    try Data("inside".utf8).write(to: remote.appending(path: "file"))
    try Data("outside".utf8).write(to: folder.url.appending(path: "outside"))
    for target in ["../outside", "/nowhere/at all", "file", "."] {
      let text = remote.appending(path: "link").path
      #expect(symlink(target, text) == 0)
      #expect(try await backend.targetOfLink(at: link) == Array(target.utf8))
      try await backend.remove(link)
      #expect(try await backend.targetOfLink(at: link) == nil)
      try await backend.makeLink(to: Array(target.utf8), at: link)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: text) == target)
      await #expect(throws: BackendError.self) { try await backend.makeLink(to: [0x78], at: link) }
      try await backend.remove(link)
    }
    // Not every target is text.
    try await backend.makeLink(to: [0xff, 0x2f, 0xfe], at: link)
    #expect(try await backend.targetOfLink(at: link) == [0xff, 0x2f, 0xfe])
    #expect(try await backend.targetOfLink(at: path("file")) == nil)
    #expect(try await backend.targetOfLink(at: path("nothing")) == nil)
    for target: [UInt8] in [[], [0x61, 0, 0x62]] {
      await #expect(throws: BackendError.self) { try await backend.makeLink(to: target, at: path("other")) }
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "outside")) == Data("outside".utf8))
  }
}
