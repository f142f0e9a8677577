import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@Suite struct ConflictCopyTests {
  @Test(arguments: [
    ("ReadMe (Anna's conflicted copy 2024-01-31).txt", ConflictCopy.Replicator.dropbox, "ReadMe.txt"),
    ("ReadMe (Anna's conflicted copy 2024-01-31 (1)).txt", nil, ""),
    ("ReadMe (Case Conflict 1).txt", .dropbox, "ReadMe.txt"),
    ("a.1.set.sync-conflict-20240131-093612-ABCDEFG", .syncthing, "a.1.set"),
    ("ReadMe.sync-conflict-20240131-093612-ABCDEFG.txt", .syncthing, "ReadMe.txt"),
    ("ReadMe (conflicted copy 2024-01-31 093612).txt", .nextcloud, "ReadMe.txt"),
    ("ReadMe_conflict-20240131-093612.txt", .nextcloud, "ReadMe.txt"),
    ("ReadMe.Conflict.txt", .resilio, "ReadMe.txt"),
    ("ReadMe.Conflict2", .resilio, "ReadMe"),
    ("ReadMe.Conflict.Conflict.txt", .resilio, "ReadMe.txt"),
    ("ReadMe.txt", nil, ""), ("conflict.txt", nil, ""), ("ReadMe.sync-conflict-soon.txt", nil, ""),
    ("0000000001-0123456789abcdef0123456789abcdef.set", nil, ""),
  ])
  func `the name of a conflict copy tells who made it and of what`(
    _ name: String, _ replicator: ConflictCopy.Replicator?, _ original: String
  ) {
    let copy = ConflictCopy(name)
    #expect(copy?.replicator == replicator)
    #expect(copy?.original ?? "" == original)
  }

  @Test func `OneDrive's copies are recognised beside their originals only`() {
    let name = "ReadMe-ANNA-LAPTOP.txt"
    #expect(ConflictCopy(name, beside: ["ReadMe.txt"])?.replicator == .oneDrive)
    #expect(ConflictCopy(name, beside: ["ReadMe.txt"])?.original == "ReadMe.txt")
    #expect(ConflictCopy(name, beside: ["Other.txt"]) == nil)
  }

  @Test func `a conflict copy is reported once, as foreign, and the original stays an entry`() async throws {
    let folder = try TemporaryFolder()
    let copies = [
      "ReadMe (Anna's conflicted copy 2024-01-31).txt", "ReadMe.sync-conflict-20240131-093612-ABCDEFG.txt",
      "ReadMe_conflict-20240131-093612.txt", "ReadMe (conflicted copy 2024-01-31 093612).txt",
      "ReadMe.Conflict.txt",
    ]
    for name in ["ReadMe.txt"] + copies {
      try Data([1]).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    let listing = try await FileManagerBackend(folder: folder.path).list(.root)

    #expect(listing.entries.map(\.name.description) == ["ReadMe.txt"])
    #expect(listing.foreign.sorted() == copies.sorted())
  }
}
