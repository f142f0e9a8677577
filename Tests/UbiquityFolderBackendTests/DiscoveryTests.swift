import BackendConformance
import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing
import UbiquityFolderBackend

/// Documents that other devices have put into a container.
@Suite struct DiscoveryTests {
  private let folder: TemporaryFolder
  private let first: RemoteName
  private let second: RemoteName

  init() throws {
    folder = try TemporaryFolder()
    first = try #require(RemoteName("6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    second = try #require(RemoteName("7A9619FF-8B86-D011-B42D-00CF4FC964FF"))
  }

  private func discovery(known: Set<RemoteName> = []) throws -> DocumentDiscovery {
    let backend = UbiquityFolderBackend(
      files: FileManagerBackend(folder: folder.path, names: .classic),
      container: PlaceholderContainer(folder: folder.path), names: .classic)
    let application = try #require(RemoteName("My App", .classic))
    return DocumentDiscovery(.xuSync(application: application), in: backend, known: known)
  }

  private func write(_ path: String, _ bytes: [UInt8] = []) throws {
    let url = URL(filePath: folder.file(path))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  private func upload(_ document: RemoteName, elsewhere: Bool = false) throws {
    try write("My App/\(document)/DEVICE/whole_store/\(elsewhere ? ".Info.plist.icloud" : "Info.plist")")
  }

  @Test func `each document of XUSync is told once, wherever the content of its files is`() async throws {
    let discovery = try discovery()
    try upload(second, elsewhere: true)
    try upload(first)

    #expect(try await discovery.look() == [first, second])
    #expect(try await discovery.look() == [])
    #expect(try await discovery.documents().complete == [first, second])
  }

  @Test func `a document whose whole store is on its way is told when it is complete`() async throws {
    let discovery = try discovery()
    try write("My App/\(first)/DEVICE/sync_store/persistent_store.sql")
    try write("My App/\(first)/DEVICE/whole_store/Document/store.sqlite")
    #expect(try await discovery.look() == [])

    try upload(first)

    #expect(try await discovery.look() == [first])
  }

  @Test func `what this device has is not told, and what could not be fetched is told again`() async throws {
    let discovery = try discovery(known: [second])
    try upload(first)
    try upload(second)
    #expect(try await discovery.look() == [first])

    await discovery.forget(first)
    #expect(try await discovery.look() == [first])
    await discovery.remember(first)

    #expect(await discovery.known == [first, second])
    #expect(try await self.discovery(known: discovery.known).look() == [])
  }

  @Test func `documents of this library are told once they have a record of their founding`() async throws {
    let application = ApplicationHierarchy(application: try #require(RemoteName("app")))
    let backend = FileManagerBackend(folder: folder.path)
    let discovery = DocumentDiscovery(.documents(of: application), in: backend)
    try write("app/Documents/\(first)/IntegrityKey/.hidden")
    #expect(try await discovery.look() == [])

    let name = "\(String(repeating: "0", count: 32)).plain.\(String(repeating: "0", count: 20)).founding"
    try write("app/Documents/\(first)/IntegrityKey/\(name)")

    #expect(try await discovery.look() == [first])
  }

  @Test func `a document that cannot be looked at hides no other`() async throws {
    try upload(first)
    try write("My App/\(second)/DEVICE/whole_store")
    let third = try #require(RemoteName("third"))
    let place = folder.file("My App/third")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let discovery = DocumentDiscovery(
      .xuSync(application: try #require(RemoteName("My App", .classic))),
      in: Unreadable(backend: FileManagerBackend(folder: folder.path, names: .classic), name: third))

    let documents = try await discovery.documents()

    #expect(documents.complete == [first])
    #expect(documents.failures[third]?.code == .forbidden)
  }

  @Test func `an empty container has no documents, and one that is gone is a failure`() async throws {
    let discovery = try discovery()
    #expect(try await discovery.look() == [])

    try FileManager.default.removeItem(atPath: folder.path)

    let error = await #expect(throws: BackendError.self) { try await discovery.look() }
    #expect(error?.code == .unreachable)
  }

  @Test(.timeLimit(.minutes(10)))
  func `documents are looked for again and again, also after a look that failed`() async throws {
    let discovery = try discovery()
    let (pauses, next) = AsyncStream.makeStream(of: Void.self)
    var news = discovery.news {
      for await _ in pauses { return }
      throw CancellationError()
    }.makeAsyncIterator()

    try FileManager.default.removeItem(atPath: folder.path)
    next.yield()
    var found = await news.next()
    while case .failed(let error)? = found, error.code != .unreachable { found = await news.next() }
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try upload(first)
    next.yield()

    while case .failed? = found { found = await news.next() }
    #expect(found == .found(first))
    next.finish()
    #expect(await news.next() == nil)
  }
}

/// Storage in which one folder may not be read.
private struct Unreadable: ForwardingBackend {
  let backend: any SyncBackend
  let name: RemoteName

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    if folder.name == name { throw BackendError(.forbidden, path: folder) }
    return try await backend.list(folder)
  }
}
