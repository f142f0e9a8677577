import Foundation
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing

@testable import FileManagerBackend

/// What file systems do beyond POSIX, or do not.
@Suite struct FileSystemTests {
  @Test func `a folder is removed with files whose names are no text`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("inner"), withIntermediateDirectories: false)
    let name = "\(folder.file("inner"))/".utf8.map { CChar(bitPattern: $0) } + [-1, -2, 0]
    let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    let backend = FileManagerBackend(folder: folder.path)
    #expect(try await backend.list(path("inner")).foreign.count == 1)

    try await backend.remove(path("inner"))

    #expect(try folder.names == [])
  }

  @Test(arguments: [31, 32, 33, 64, 1_500])
  func `a folder is removed however deep it is nested`(depth: Int) async throws {
    let folder = try TemporaryFolder()
    let backend = FileManagerBackend(folder: folder.path)
    var place = open(folder.path, O_RDONLY | O_DIRECTORY)
    for name in ["inner"] + (0..<depth).map({ "level \($0)" }) {
      try #require(mkdirat(place, name, 0o755) == 0)
      let file = openat(place, "file of \(name)", O_CREAT | O_WRONLY, 0o600)
      close(file)
      let next = openat(place, name, O_RDONLY | O_DIRECTORY)
      close(place)
      place = next
    }
    close(place)
    try FileManager.default.removeItem(atPath: folder.file("file of inner"))

    try await backend.remove(path("inner"))

    #expect(try folder.names == [])
  }

  @Test func `what a writer who crashed has left stays as long as the file system's clock says`() async throws
  {
    let folder = try TemporaryFolder()
    try Data([1]).write(to: URL(fileURLWithPath: folder.file(".ticds-1.part")))
    // A server whose clock is years behind dates the folder and the file alike.
    let past = Date(timeIntervalSinceNow: -3_000 * 86_400)
    for place in [folder.file(".ticds-1.part"), folder.path] {
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: place)
    }

    _ = try await FileManagerBackend(folder: folder.path).list(.root)

    #expect(try folder.names == [".ticds-1.part"])
  }

  @Test func `a removed file that a file system keeps while somebody has it open is gone`() async throws {
    let folder = try TemporaryFolder()
    let ofTheUser = [".fuse_hidden", ".fuse_hidden00001c340000001", ".nfs00000000000000120000000g", "nfs"]
    for name in [".fuse_hidden00001c340000001a", ".nfs000000000000001200000003"] + ofTheUser {
      try Data([1]).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    let listing = try await FileManagerBackend(folder: folder.path).list(.root)

    #expect(Set(listing.foreign + listing.entries.map(\.name.description)) == Set(ofTheUser))
  }

  @Test func `dates of whole seconds make no version`() {
    var status = stat()
    status.st_mtim.tv_sec = 1_700_000_000
    status.st_ctim.tv_sec = 1_700_000_000
    #expect(FileDates(status).version(inode: 1, size: 2) == nil)
    status.st_ctim.tv_nsec = 1
    #expect(FileDates(status).version(inode: 1, size: 2) != nil)
    #expect(FileDates(status).modified == .seconds(1_700_000_000))
  }

  @Test func `a read-only file system can be read, and refuses with a word of advice`() async throws {
    let folder = try TemporaryFolder()
    let source = folder.file("source")
    let mount = folder.file("mount")
    for place in [source, mount] {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    }
    try Data([1]).write(to: URL(fileURLWithPath: source + "/file"))
    let script = "mount --bind \(source) \(mount) && mount -o remount,bind,ro \(mount)"
    guard try await Subprocess.run(["sh", "-c", script]).ending == .exited(0) else {
      _ = try? await Subprocess.run(["umount", mount])
      try Test.cancel("this user may not mount a file system")
    }
    let backend = FileManagerBackend(folder: mount)

    let read = try? await backend.download(path("file"), limit: 10)
    let failures = [
      await failure { try await backend.upload([2], to: path("file")) },
      await failure { try await backend.createIfAbsent([2], at: path("new")) },
      await failure { try await backend.makeDirectory(path("folder")) },
      await failure { try await backend.remove(path("file")) },
      await failure { try await backend.move(path("file"), to: path("moved")) },
    ]
    _ = try await Subprocess.run(["umount", mount])

    #expect(read == [1])
    #expect(failures.map { $0?.code } == Array(repeating: .forbidden, count: failures.count))
    #expect(failures.allSatisfy { $0?.description.contains("Read-only") == true })
  }

  @Test func `a drive that is unmounted is out of reach, not empty`() async throws {
    let folder = try TemporaryFolder()
    let mount = folder.file("mount")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    let script = "mount -t tmpfs -o size=1m none \(mount)"
    guard try await Subprocess.run(["sh", "-c", script]).ending == .exited(0) else {
      try Test.cancel("this user may not mount a file system")
    }
    let backend = FileManagerBackend(folder: mount)
    try? await backend.upload([1], to: path("file"))
    let full = await failure {
      try await backend.upload([UInt8](repeating: 1, count: 2 << 20), to: path("large"))
    }
    _ = try await Subprocess.run(["umount", mount])

    let gone = await failure { _ = try await backend.list(.root) }

    #expect(full?.code == .quotaExceeded)
    #expect(gone?.code == .unreachable)
  }

  private func failure(_ request: () async throws -> Void) async -> BackendError? {
    do {
      try await request()
      return nil
    } catch { return error as? BackendError }
  }
}

private func path(_ text: String) -> RemotePath { RemotePath(text) ?? .root }
