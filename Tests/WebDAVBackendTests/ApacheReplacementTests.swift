import Foundation
import Locking
import SyncProtocol
import Testing
import WebDAVBackend

/// What Apache breaks of the law that a file which is being replaced is whole, and nothing more.
///
/// mod_dav_fs writes `.davfs.tmp…` beside a file and renames it, so nothing shows half-written. But a request for the file looks how
/// long it is before it opens it, and in between it may have become another one. The suite finds that at times
/// (`Docs/WebDAV.md`), so whatever it found there would pass: here it says exactly what may come.
@Suite struct ApacheReplacementTests {
  /// Two contents of these sizes, alike nowhere.
  private static func contents(_ sizes: [Int]) -> [[UInt8]] {
    sizes.enumerated().map { [UInt8](repeating: UInt8($0 + 1), count: $1) }
  }

  /// Has a file replaced again and again, and read meanwhile.
  ///
  /// - Parameters:
  ///   - sizes: of the contents.
  ///   - retrying: whether readers try again, as the managers do.
  ///   - check: whether a reader may get this, or this failure.
  /// - Returns: how often it was read.
  private func reads(
    of sizes: [Int], retrying: Bool = false,
    _ check: @escaping @Sendable (_ found: Result<[UInt8], BackendError>, _ contents: [[UInt8]]) -> Bool
  ) async throws -> Int {
    let server = try await LocalServers.shared.server(.apache)
    let folder = try await server.makeFolder()
    let traits = try await KnownTraits.shared.traits(of: .apache, server)
    try #require(traits.writesAtomically)
    let path = try #require(RemotePath("file"))
    let contents = Self.contents(sizes)
    let writer = try webDAV(server, folder, traits)
    let readers: [any SyncBackend] = try (0..<3).map { _ in
      let reader = try webDAV(server, folder, traits)
      return retrying ? RetryingBackend(reader, policy: RetryPolicy(firstPause: .milliseconds(1))) : reader
    }
    try await writer.upload(contents[0], to: path)
    let progress = Locked((reads: 0, isWritten: false))
    try await withThrowingTaskGroup { group in
      group.addTask {
        defer { progress.withLock { $0.isWritten = true } }
        for round in 1...500 { try await writer.upload(contents[round % contents.count], to: path) }
      }
      for reader in readers {
        group.addTask {
          while progress.withLock({ !$0.isWritten }) {
            let found: Result<[UInt8], BackendError>
            do throws(BackendError) {
              found = .success(try await reader.download(path, limit: 1_000_000))
            } catch {
              found = .failure(error)
            }
            progress.withLock { $0.reads += 1 }
            #expect(check(found, contents), "\(found.map { "\($0.count) bytes, first \($0.first ?? 0)" })")
          }
        }
      }
      try await group.waitForAll()
    }
    return progress.withLock { $0.reads }
  }

  @Test(arguments: [10_000, 300_000])
  func `a file that is replaced by one of the same size is always whole`(_ size: Int) async throws {
    let count = try await reads(of: [size, size]) { found, contents in
      guard case .success(let bytes) = found else { return false }
      return contents.contains(bytes)
    }
    #expect(count > 50)
  }

  @Test func `who reads as the managers do, who try again, never fails while a file is replaced`()
    async throws
  {
    let count = try await reads(of: [10_000, 300_000], retrying: true) { found, _ in
      if case .success = found { true } else { false }
    }
    #expect(count > 50)
  }

  @Test
  func
    `one that is replaced by another size is whole, or the beginning of one as long as the other, or fails`()
    async throws
  {
    let count = try await reads(of: [10_000, 300_000]) { found, contents in
      switch found {
      case .success(let bytes):
        contents.contains(bytes)
          || contents.contains { $0.starts(with: bytes) } && contents.contains { $0.count == bytes.count }
      // Of the shorter one there is less than was announced.
      case .failure(let error): [.damaged, .unreachable].contains(error.code)
      }
    }
    #expect(count > 50)
  }
}
