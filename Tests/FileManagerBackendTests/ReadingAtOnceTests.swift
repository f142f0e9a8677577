import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

/// Small files that are read together.
@Suite struct ReadingAtOnceTests {
  private func name(_ text: String) throws -> RemoteName { try #require(RemoteName(text)) }

  @Test func `what comes at once is what is read by itself, and what cannot be read so does not come`()
    async throws
  {
    let folder = try TemporaryFolder()
    let backend = FileManagerBackend(folder: folder.path)
    let documents = try #require(RemotePath("documents"))
    try await backend.makeDirectory(documents.appending(try name("folder")))
    for (file, size) in [("empty", 0), ("small", 3), ("full", 10), ("large", 11)] {
      try await backend.upload([UInt8](repeating: 7, count: size), to: documents.appending(try name(file)))
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("documents/link"), withDestinationPath: folder.file("documents/small"))

    let names = try ["empty", "small", "full", "large", "link", "folder", "absent"].map(name)
    let found = await backend.downloadAtOnce(names, in: documents, limit: 10)

    #expect(Set(found.keys.map(\.description)) == ["empty", "small", "full"])
    for (name, bytes) in found {
      #expect(try await backend.download(documents.appending(name), limit: 10) == bytes)
    }
    let absent = try #require(RemotePath("absent"))
    #expect(await backend.downloadAtOnce(names, in: absent, limit: 10).isEmpty)
  }

  @Test func `who was killed removes what he left unfinished, and nothing of others`() async throws {
    let folder = try TemporaryFolder()
    let mark = WriterMark(rawValue: 0x12)
    let backend = FileManagerBackend(folder: folder.path, mark: mark)
    let names = [
      ".ticds-0000000000000012-a.part", ".ticds-12.part", ".ticds-0000000000000012.part",
      ".ticds-0000000000000013-a.part", "a.set",
    ]
    for name in names { try Data().write(to: folder.url.appending(path: name)) }

    try await backend.removeUnfinished(in: .root)
    try await backend.removeUnfinished(in: try #require(RemotePath("absent")))

    #expect(try folder.names == names.dropFirst().sorted())
  }
}
