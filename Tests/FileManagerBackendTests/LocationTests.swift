import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@Suite struct LocationTests {
  @Test(arguments: [
    "remote", "remote/store", "remote/absent/store.sqlite", "link/store", "remote/../remote/store",
  ])
  func `a store that lies in the remote is refused`(_ place: String) throws {
    let folder = try Self.remote()

    let error = #expect(throws: BackendError.self) {
      try FileManagerBackend(folder: folder.file("remote")).requireOutside(folder.file(place))
    }

    #expect(error?.code == .localFile)
    #expect(error?.description.contains(folder.file(place)) == true)
  }

  @Test(arguments: ["store", "remote-store", "absent/store.sqlite", "remote/outward/store", "."])
  func `a store that lies beside or around the remote is not refused`(_ place: String) throws {
    let folder = try Self.remote()

    try FileManagerBackend(folder: folder.file("remote")).requireOutside(folder.file(place))
  }

  @Test func `nothing lies in a remote that is not there`() throws {
    let folder = try TemporaryFolder()

    try FileManagerBackend(folder: folder.file("remote")).requireOutside(folder.file("remote/store"))
  }

  /// A remote, a link to it from beside, and a link from inside to what lies outside.
  private static func remote() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["remote/store", "elsewhere", "remote-store"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    for (link, target) in [("link", "remote"), ("remote/outward", "elsewhere")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(link), withDestinationPath: folder.file(target))
    }
    return folder
  }
}
