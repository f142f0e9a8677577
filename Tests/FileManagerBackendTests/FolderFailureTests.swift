import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@testable import FileManagerBackend

@Suite struct FolderFailureTests {
  @Test func `a folder that does not exist is out of reach, not empty, and is not created`() async throws {
    let folder = try TemporaryFolder()
    let backend = FileManagerBackend(folder: folder.file("unmounted"))

    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }
    await #expect(throws: BackendError.self) { try await backend.makeDirectory(path("documents")) }

    #expect(error?.code == .unreachable)
    #expect(error?.recovery.contains(folder.file("unmounted")) == true)
    #expect(try folder.names == [])
  }

  @Test func `a remote that is a file is named as such`() async throws {
    let folder = try TemporaryFolder()
    try Data([1]).write(to: URL(fileURLWithPath: folder.file("remote")))
    let backend = FileManagerBackend(folder: folder.file("remote"))

    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }

    #expect(error?.code == .notADirectory)
    #expect(error?.path == .root)
  }

  @Test func `a remote that links lead to in a circle is out of reach, whoever asks`() async throws {
    let folder = try TemporaryFolder()
    for (link, target) in [("one", "other"), ("other", "one")] {
      try FileManager.default.createSymbolicLink(atPath: folder.file(link), withDestinationPath: target)
    }
    let backend = FileManagerBackend(folder: folder.file("one"))

    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }

    #expect(error?.code == .unreachable)
    #expect(error?.detail.contains("circle") == true && error?.recovery.contains("links") == true)
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
  func `a folder that cannot be read is forbidden, not empty`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("closed"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o300])
    let backend = FileManagerBackend(folder: folder.path)

    let error = await #expect(throws: BackendError.self) { try await backend.list(path("closed")) }

    #expect(error?.code == .forbidden)
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may write everywhere"))
  func `a folder that cannot be written refuses and stays as it was`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("closed"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o500])
    let backend = FileManagerBackend(folder: folder.path)

    let error = await #expect(throws: BackendError.self) {
      try await backend.upload([1], to: path("closed/file"))
    }

    #expect(error?.code == .forbidden)
    #expect(try await backend.list(path("closed")).entries.isEmpty)
  }

  @Test func `what other programs put into a folder is counted and otherwise ignored`() async throws {
    let folder = try TemporaryFolder()
    let foreign = [".DS_Store", "file (conflicted copy).set", ".stfolder", "naïve", "trailing."]
    for name in foreign { try Data([1]).write(to: URL(fileURLWithPath: folder.file(name))) }
    let backend = FileManagerBackend(folder: folder.path)
    try await backend.upload([1], to: path("file.set"))

    let listing = try await backend.list(.root)

    #expect(listing.entries.map(\.name.description) == ["file.set"])
    #expect(listing.foreign.sorted() == foreign.sorted())
  }

  @Test func `links are not followed, wherever they lead`() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try Data([1]).write(to: URL(fileURLWithPath: outside.file("secret")))
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: outside.path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("file"), withDestinationPath: outside.file("secret"))
    let backend = FileManagerBackend(folder: folder.path)

    await #expect(throws: BackendError.self) { try await backend.download(path("link/secret"), limit: 10) }
    await #expect(throws: BackendError.self) { try await backend.download(path("file"), limit: 10) }
    await #expect(throws: BackendError.self) { try await backend.upload([2], to: path("link/new")) }
    try await backend.upload([2], to: path("file"))
    try await backend.remove(path("link"))

    #expect(try outside.names == ["secret"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: outside.file("secret"))) == Data([1]))
    #expect(try await backend.download(path("file"), limit: 10) == [2])
  }

  @Test func `the folder itself may be reached through a link`() async throws {
    let folder = try TemporaryFolder()
    let elsewhere = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: elsewhere.file("link"), withDestinationPath: folder.path)

    try await FileManagerBackend(folder: elsewhere.file("link")).upload([1], to: path("file"))

    #expect(try folder.names == ["file"])
  }

  @Test func `files of a writer that crashed are hidden, and removed after a day`() async throws {
    let folder = try TemporaryFolder()
    for name in [".ticds-1.part", ".ticds-2.part"] {
      try Data([1]).write(to: URL(fileURLWithPath: folder.file(name)))
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)], ofItemAtPath: folder.file(".ticds-1.part")
    )

    let listing = try await FileManagerBackend(folder: folder.path).list(.root)

    #expect(listing == RemoteListing())
    #expect(try folder.names == [".ticds-2.part"])
  }

  @Test func `a file that the device has no room for is a quota, and leaves nothing`() async throws {
    let folder = try TemporaryFolder()
    let backend = FileManagerBackend(folder: folder.path)
    let room = 64 << 20
    signal(SIGXFSZ, SIG_IGN)
    var previous = rlimit()
    #expect(getrlimit(Self.fileSizeLimit, &previous) == 0)
    var limited = previous
    limited.rlim_cur = rlim_t(room)
    #expect(setrlimit(Self.fileSizeLimit, &limited) == 0)
    defer { setrlimit(Self.fileSizeLimit, &previous) }

    let error = await #expect(throws: BackendError.self) {
      try await backend.upload([UInt8](repeating: 1, count: room + 1), to: path("file"))
    }

    #expect(error?.code == .quotaExceeded)
    #expect(try folder.names == [])
  }

  #if canImport(Glibc)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
  #endif

  @Test(arguments: [
    (ENOSPC, BackendError.Code.quotaExceeded), (EDQUOT, .quotaExceeded), (EFBIG, .quotaExceeded),
    (EACCES, .forbidden), (EPERM, .forbidden), (EROFS, .forbidden), (ENOENT, .notFound),
    (ENOTDIR, .notADirectory),
    (EEXIST, .alreadyExists), (EISDIR, .isADirectory), (ESTALE, .unreachable), (EIO, .unreachable),
    (EBUSY, .locked), (ENAMETOOLONG, .unsupported), (EMFILE, .localFile), (ENFILE, .localFile),
    (ENOMEM, .localFile),
    (ENOBUFS, .failed),
  ])
  func `numbers of the operating system become meanings`(_ number: Int32, _ code: BackendError.Code) {
    #expect(Place.remote(.root).failure(number).code == code)
  }

  @Test func `a file system that is mounted read-only is said to be so`() {
    #expect(Place.remote(.root).failure(EROFS).recovery.contains("mounted read-only"))
    #expect(Place.remote(.root).failure(EACCES).recovery.contains("permission"))
  }

  private func path(_ text: String) -> RemotePath { RemotePath(text) ?? .root }
}
