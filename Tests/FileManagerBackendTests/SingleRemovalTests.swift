import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

/// Who has looked at an entry removes that and nothing else, whatever lies in its place by then.
@Suite struct SingleRemovalTests {
  private let folder: TemporaryFolder
  private let backend: FileManagerBackend
  private let place: RemotePath

  init() throws {
    folder = try TemporaryFolder()
    backend = FileManagerBackend(folder: folder.url.path)
    place = RemotePath([try #require(RemoteName("place"))])
  }

  private var entry: URL { folder.url.appending(path: "place") }

  private func makeFolder(holding name: String?) throws {
    try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: false)
    if let name { try Data("kept".utf8).write(to: entry.appending(path: name)) }
  }

  @Test func `a file and a link go, and what the link leads to stays`() async throws {
    try Data("a file".utf8).write(to: entry)
    try await backend.removeFile(at: place)
    let other = folder.url.appending(path: "other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: entry, withDestinationURL: other)
    await #expect { try await backend.removeEmptyFolder(at: place) } throws: {
      ($0 as? BackendError)?.code == .notADirectory
    }
    try await backend.removeFile(at: place)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["other"])
  }

  @Test(arguments: [nil, "name"])
  func `a folder in the place of a file stays with all that it holds`(name: String?) async throws {
    try makeFolder(holding: name)
    await #expect { try await backend.removeFile(at: place) } throws: {
      ($0 as? BackendError)?.code == .isADirectory
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: entry.path) == [name].compactMap(\.self))
  }

  @Test func `a folder goes if it is empty, and no other`() async throws {
    try makeFolder(holding: "name")
    await #expect { try await backend.removeEmptyFolder(at: place) } throws: {
      ($0 as? BackendError)?.code == .forbidden
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: entry.path) == ["name"])
    try FileManager.default.removeItem(at: entry.appending(path: "name"))
    try await backend.removeEmptyFolder(at: place)
    await #expect { try await backend.removeEmptyFolder(at: place) } throws: {
      ($0 as? BackendError)?.code == .notFound
    }
  }
}
