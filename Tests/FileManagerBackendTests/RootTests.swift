import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@testable import FileManagerBackend

@Suite struct RootTests {
  @Test func `an empty folder in place of the one that was there is a drive that is gone`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.file("remote")
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: false)
    let backend = FileManagerBackend(folder: remote)
    try await backend.upload([1], to: path("file"))
    try FileManager.default.moveItem(atPath: remote, toPath: folder.file("elsewhere"))
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: false)

    for request in requests(to: backend) {
      let error = await #expect(throws: BackendError.self) { try await request() }
      #expect(error?.code == .unreachable)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: remote) == [])

    try FileManager.default.removeItem(atPath: remote)
    try FileManager.default.moveItem(atPath: folder.file("elsewhere"), toPath: remote)
    #expect(try await backend.download(path("file"), limit: 10) == [1])
  }

  @Test func `another folder with something in it is taken for the remote`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.file("remote")
    for name in ["remote", "restored"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    }
    let backend = FileManagerBackend(folder: remote)
    _ = try await backend.list(.root)
    try Data([2]).write(to: URL(fileURLWithPath: folder.file("restored/file")))
    try FileManager.default.removeItem(atPath: remote)
    try FileManager.default.moveItem(atPath: folder.file("restored"), toPath: remote)

    #expect(try await backend.download(path("file"), limit: 10) == [2])
  }

  @Test func `a root that went away is out of reach for every request`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.file("remote")
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: false)
    let backend = FileManagerBackend(folder: remote)
    try await backend.upload([1], to: path("file"))
    try FileManager.default.removeItem(atPath: remote)

    for request in requests(to: backend) {
      let error = await #expect(throws: BackendError.self) { try await request() }
      #expect(error?.code == .unreachable)
    }
    #expect(try folder.names == [])
  }

  @Test func `what is not found in a folder that went away meanwhile is out of reach`() throws {
    let folder = try TemporaryFolder()
    let root = Root(folder.file("remote"))

    let error = root.explain(BackendError(.notFound, path: path("a/b")))

    #expect(error.code == .unreachable)
    #expect(root.explain(BackendError(.forbidden, path: path("a"))).code == .forbidden)
  }

  private func requests(to backend: FileManagerBackend) -> [@Sendable () async throws -> Void] {
    [
      { _ = try await backend.list(.root) }, { _ = try await backend.list(path("folder")) },
      { _ = try await backend.stat(path("file")) },
      { _ = try await backend.download(path("file"), limit: 10) },
      { try await backend.upload([2], to: path("file")) },
      { try await backend.createIfAbsent([2], at: path("new")) },
      { try await backend.makeDirectory(path("folder")) }, { try await backend.remove(path("file")) },
    ]
  }
}

private func path(_ text: String) -> RemotePath { RemotePath(text) ?? .root }
