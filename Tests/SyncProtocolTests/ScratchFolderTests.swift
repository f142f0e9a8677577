import Foundation
import Testing

@testable import SyncProtocol

/// Folders for temporary files that hold in the clear what is encrypted elsewhere.
@Suite struct ScratchFolderTests {
  private func place(_ name: String = "ticds-\(UUID().uuidString)") -> String {
    URL.temporaryDirectory.appending(path: name).path(percentEncoded: false)
  }

  /// What a process leaves that was killed.
  private func abandon(_ path: String, permissions: Int = 0o700, age: TimeInterval = 0, withLock: Bool) throws
  {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: permissions])
    try Data("a store".utf8).write(to: URL(filePath: "\(path)/store.sqlite"))
    if withLock { try Data().write(to: URL(filePath: "\(path)/.lock")) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func `what a process that was killed has left goes, and what one is at work in stays`() throws {
    let living = try ScratchFolder.temporary()
    let (dead, old, young) = (place(), place(), place())
    try abandon(dead, withLock: true)
    try abandon(old, age: 7_200, withLock: false)
    try abandon(young, withLock: false)
    defer { try? FileManager.default.removeItem(atPath: young) }

    ScratchFolder.sweep()

    #expect(!exists(dead) && !exists(old))
    #expect(exists(living.path) && exists(young))
  }

  @Test func `what may be somebody else's is left alone`() throws {
    let (open, named) = (place(), place("ticds-repair-\(UUID().uuidString)"))
    try abandon(open, permissions: 0o755, age: 7_200, withLock: true)
    try abandon(named, age: 7_200, withLock: true)
    let link = place()
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: named)
    defer { for path in [open, named, link] { try? FileManager.default.removeItem(atPath: path) } }

    ScratchFolder.sweep()

    #expect(exists(open) && exists(named) && exists(link))
  }

  @Test func `a folder goes with its object`() throws {
    var folder: ScratchFolder? = try ScratchFolder.temporary()
    let path = try #require(folder?.path)
    #expect(exists(path))
    folder = nil
    #expect(!exists(path))
  }
}
