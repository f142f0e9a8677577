import FileManagerBackend
import Foundation
import Locking
import SyncProtocol
import TemporaryFolders
import Testing

@testable import UbiquityFolderBackend

/// Files whose content is elsewhere, one step at a time.
@Suite struct PlaceholderTests {
  private let folder: TemporaryFolder
  private let path = RemotePath("set") ?? .root

  init() throws { folder = try TemporaryFolder() }

  private func backend(
    identity: ContainerIdentity? = nil, signedIn: ContainerIdentity? = ContainerIdentity("somebody"),
    request: @escaping @Sendable (String) throws -> Void = { _ in }
  ) -> UbiquityFolderBackend {
    UbiquityFolderBackend(
      files: FileManagerBackend(folder: folder.path),
      container: PlaceholderContainer(folder: folder.path, identity: { signedIn }, request: request),
      identity: identity,
      patience: DownloadPatience(limit: .seconds(60)) { _ in try await Task.sleep(for: .milliseconds(1)) })
  }

  private func evict(_ content: [UInt8] = []) throws {
    try Data(content).write(to: URL(filePath: folder.file(".set.icloud")))
  }

  @Test func `a file is listed wherever its content is, with its size if the placeholder is sound`()
    async throws
  {
    // A binary property list as iCloud Drive writes it: {"NSURLFileSizeKey": 4711}.
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["NSURLFileSizeKey": 4_711], format: .binary, options: 0)
    try evict(Array(list))

    let sound = try await backend().list(.root)
    try evict([0x62, 0x70, 0xff])
    let damaged = try await backend().stat(path)

    #expect(sound.entries.map(\.name.description) == ["set"])
    #expect(sound.entries.first?.size == 4_711)
    #expect(sound.foreign.isEmpty)
    #expect(damaged.kind == .file)
    #expect(damaged.size == nil)
  }

  @Test func `content is asked for, and waited for`() async throws {
    try evict()
    let folder = folder
    let backend = backend { file in
      try Data([1, 2, 3]).write(to: URL(filePath: file))
      try FileManager.default.removeItem(atPath: folder.file(".set.icloud"))
    }

    #expect(try await backend.download(path, limit: 10) == [1, 2, 3])
  }

  #if !canImport(Darwin)
    @Test func `content is asked for by the date of its placeholder, unless it has come meanwhile`()
      async throws
    {
      let container = PlaceholderContainer(folder: folder.path)
      try await container.requestDownload(of: path)
      try evict()
      let before = Date(timeIntervalSince1970: 1_000)
      let placeholder = folder.file(".set.icloud")
      try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: placeholder)

      try await container.requestDownload(of: path)

      let date = try FileManager.default.attributesOfItem(atPath: placeholder)[.modificationDate] as? Date
      #expect(try #require(date) > before)
    }
  #endif

  @Test func `content that does not come is a failure that passes`() async throws {
    try evict()

    let error = await #expect(throws: BackendError.self) { try await backend().download(path, limit: 10) }

    #expect(error?.code == .unreachable)
  }

  @Test func `content that does not come is waited for once, and not again with each attempt or each file`()
    async throws
  {
    try evict()
    try Data().write(to: URL(filePath: folder.file(".other.icloud")))
    let other = try #require(RemotePath("other"))
    let waits = Locked<[Duration]>([])
    let backend = RetryingBackend(
      UbiquityFolderBackend(
        files: FileManagerBackend(folder: folder.path),
        container: PlaceholderContainer(
          folder: folder.path, identity: { ContainerIdentity("somebody") }, request: { _ in }),
        patience: DownloadPatience(limit: .seconds(60)) { pause in waits.withLock { $0.append(pause) } }),
      pause: { _ in })

    let error = await #expect(throws: BackendError.self) { try await backend.download(path, limit: 10) }
    let waited = waits.withLock { $0.reduce(.zero, +) }
    await #expect(throws: BackendError.self) { try await backend.download(other, limit: 10) }

    #expect(error?.code == .unreachable && error?.wasAwaited == true)
    #expect(waited == .seconds(60))
    #expect(waits.withLock { $0.reduce(.zero, +) } - waited == .milliseconds(20))
  }

  @Test func `a name is taken also where the content is elsewhere`() async throws {
    try evict()

    let error = await #expect(throws: BackendError.self) { try await backend().createIfAbsent([1], at: path) }

    #expect(error?.code == .alreadyExists)
  }

  @Test func `a file that is replaced or removed is not elsewhere any more`() async throws {
    try evict()
    try await backend().upload([1], to: path)
    #expect(try await backend().download(path, limit: 10) == [1])
    #expect(!FileManager.default.fileExists(atPath: folder.file(".set.icloud")))

    try await backend().remove(path)
    try evict()
    try await backend().remove(path)

    #expect(try await backend().list(.root).entries.isEmpty)
  }

  @Test func `nothing is read of another account, nor where nobody is signed in`() async throws {
    let other = await #expect(throws: BackendError.self) {
      try await backend(identity: ContainerIdentity("me")).list(.root)
    }
    let nobody = await #expect(throws: BackendError.self) { try await backend(signedIn: nil).list(.root) }

    #expect(other?.code == .unauthorised)
    #expect(nobody?.code == .unreachable)
  }

  @Test func `a folder that was renamed is said to be away, not to belong to nobody`() async throws {
    let place = folder.file("container")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let backend = UbiquityFolderBackend(
      files: FileManagerBackend(folder: place), container: PlaceholderContainer(folder: place))
    _ = try await backend.list(.root)
    try FileManager.default.moveItem(atPath: place, toPath: folder.file("renamed"))

    for request in [
      { _ = try await backend.list(.root) }, { _ = try await backend.list(.root, after: nil) },
      { _ = try await backend.stat(path) }, { _ = try await backend.download(path, limit: 9) },
      { try await backend.upload([1], to: path) }, { try await backend.makeDirectory(path) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: BackendError.self) { try await request() }
      #expect(error?.code == .unreachable && error?.detail.contains("\(place) does not exist") == true)
      #expect(error?.recovery.contains("location of the remote") == true)
    }
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test func `a placeholder of a file that is none of ours is reported by the name of that`() async throws {
    try Data().write(to: URL(filePath: folder.file(".a b.icloud")))

    #expect(try await backend().list(.root).foreign == ["a b"])
  }

  @Test(arguments: [".icloud", "..icloud", "set.icloud", ".set.icloud2"])
  func `other hidden names stay what they are`(_ name: String) async throws {
    try Data().write(to: URL(filePath: folder.file(name)))

    let listing = try await backend().list(.root)

    #expect(listing.foreign + listing.entries.map(\.name.description) == [name])
  }
}
