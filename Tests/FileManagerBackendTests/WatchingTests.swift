import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@testable import FileManagerBackend

@Suite struct WatchingTests {
  @Test func `what another program writes into a new folder is told`() async throws {
    let folder = try TemporaryFolder()
    let stream = try #require(FileManagerBackend(folder: folder.path).changes(below: .root))
    var changes = stream.makeAsyncIterator()

    try FileManager.default.createDirectory(atPath: folder.file("a/b"), withIntermediateDirectories: true)
    #expect(await changes.next() != nil)
    try Data([1]).write(to: URL(fileURLWithPath: folder.file("a/b/file")))
    #expect(await changes.next() != nil)
    withExtendedLifetime(folder) {}
  }

  @Test(.timeLimit(.minutes(10)))
  func `folders with names of the classic system are watched, those that are there and new ones`()
    async throws
  {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    let files = FileManager.default
    // What is moved is one event each, so that every step is told by itself.
    for name in ["one", "two"] { try Data([1]).write(to: URL(filePath: outside.file(name))) }
    try files.createDirectory(atPath: outside.file("new"), withIntermediateDirectories: false)
    try files.createDirectory(
      atPath: folder.file("Notizen für Anna/SyncChanges"), withIntermediateDirectories: true)
    let backend = FileManagerBackend(folder: folder.path, names: .classic)
    var changes = try #require(backend.changes(below: .root)).makeAsyncIterator()

    for (source, place) in [
      ("one", "Notizen für Anna/SyncChanges/one"), ("new", "a new one"), ("two", "a new one/two"),
    ] {
      try files.moveItem(atPath: outside.file(source), toPath: folder.file(place))
      #expect(await changes.next() != nil)
    }
  }

  @Test func `the stream ends when the folder goes away`() async throws {
    let folder = try TemporaryFolder()
    let remote = folder.file("remote")
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: false)
    let stream = try #require(FileManagerBackend(folder: remote).changes(below: .root))

    try FileManager.default.removeItem(atPath: remote)

    for await _ in stream {}
  }

  @Test func `the stream of a folder that is not there ends at once`() async throws {
    let folder = try TemporaryFolder()
    let stream = FileManagerBackend(folder: folder.file("absent")).changes(below: .root)
    for await _ in try #require(stream) {}
  }

  @Test func `a link is not followed to what lies outside`() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: outside.path)
    let backend = FileManagerBackend(folder: folder.path)
    let stream = try #require(backend.changes(below: .root))
    let isDone = Task {
      var changes = 0
      for await _ in stream {
        changes += 1
        if FileManager.default.fileExists(atPath: folder.file("last")) { break }
      }
      return changes
    }

    try Data([1]).write(to: URL(fileURLWithPath: outside.file("secret")))
    try await backend.upload([1], to: RemotePath("last") ?? .root)

    #expect(await isDone.value == 1)
  }

  @Test func `a watcher that nobody listens to any more is closed`() async throws {
    let folder = try TemporaryFolder()
    let (closings, closed) = AsyncStream.makeStream(of: Void.self)
    // Linux gives each user 128 watchers, unless it is told otherwise: none may be left behind.
    var isClosed = closings.makeAsyncIterator()
    for _ in 0..<200 {
      let stream = try #require(
        SystemWatcher.changes(below: .root, of: Root(folder.path), .portable) { closed.yield() })
      let reader = Task { for await _ in stream {} }
      reader.cancel()
      await isClosed.next()
      await reader.value
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a watcher whose stream nobody has read is closed`() async throws {
    let folder = try TemporaryFolder()
    let (closings, closed) = AsyncStream.makeStream(of: Void.self)
    _ = try #require(
      SystemWatcher.changes(below: .root, of: Root(folder.path), .portable) { closed.finish() })
    for await _ in closings {}
    withExtendedLifetime(folder) {}
  }
}
