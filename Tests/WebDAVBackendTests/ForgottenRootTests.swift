import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// rclone goes on showing a folder for five minutes after something else has removed it, and makes it again for whoever writes.
@Suite struct ForgottenRootTests {
  /// A real rclone with the cache that it has by default. Started again, it remembers nothing.
  private struct Rclone {
    let process: Subprocess
    let port: Substring
    private let end: Task<Subprocess.Result, any Error>

    init(_ folder: String, port: Substring = "0") async throws {
      // It tells its address where it complains.
      let command = "exec rclone serve webdav \"$0\" --addr 127.0.0.1:$1 --config /dev/null 2>&1"
      process = try Subprocess(["sh", "-c", command, folder, String(port)], isAnnouncing: true)
      end = Task { [process] in try await process.result() }
      let line = try #require(await process.announcement())
      self.port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)).1
    }

    func startedAgain(_ folder: String) async throws -> Rclone {
      process.send(SIGKILL)
      _ = try await end.value
      return try await Rclone(folder, port: port)
    }
  }

  private func run(_ words: String...) async throws -> (isDone: Bool, words: String) {
    let result = try await Subprocess.run(
      [Checkout.program("notebook").path] + words,
      environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])
    return (result.ending == .exited(0), result.output + result.errors)
  }

  @Test(
    .timeLimit(.minutes(10)),
    .enabled { try await LocalServers.shared.isInstalled(.rclone) })
  func `a root that rclone makes again without what lay in it is filled again, and nobody founds in it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let cloud = folder.file("cloud")
    try FileManager.default.createDirectory(atPath: cloud, withIntermediateDirectories: false)
    var rclone = try await Rclone(cloud)
    defer { rclone.process.send(SIGKILL) }
    let remote = "webdav://127.0.0.1:\(rclone.port)/"
    let stores = ["a", "b", "c", "d"].map { folder.file($0) }
    func sync(_ store: String) async throws -> (isDone: Bool, words: String) {
      try await run("sync", "--store", store)
    }
    for store in stores[..<2] {
      #expect(try await run("init", "--store", store, "--remote", remote, "--no-encryption").isDone)
      #expect(try await run("add", "--store", store, "--title", "before").isDone)
      #expect(try await sync(store).isDone)
    }
    #expect(try await sync(stores[0]).isDone)

    // rclone lets this device write as if nothing had happened, and what it wrote is all that is there.
    try FileManager.default.removeItem(atPath: cloud)
    #expect(try await run("add", "--store", stores[0], "--title", "after").isDone)
    #expect(try await sync(stores[0]).isDone)
    rclone = try await rclone.startedAgain(cloud)

    // Who comes anew does not take what is left for a place where nothing was.
    let newcomer = try await run("init", "--store", stores[2], "--remote", remote, "--no-encryption")
    #expect(!newcomer.isDone && newcomer.words.contains("not the record of its founding"))

    let second = try await sync(stores[1])
    #expect(second.isDone && second.words.contains("put back") && second.words.contains("sent again"))
    let joined = try await run("init", "--store", stores[2], "--remote", remote, "--no-encryption")
    #expect(joined.isDone && joined.words.contains("joined"))
    // What a device has and the newcomer lacks is sent when he asks for it.
    for _ in 0..<3 {
      for store in [stores[2], stores[0], stores[1]] { #expect(try await sync(store).isDone) }
    }
    var lists: Set<String> = []
    for store in stores[..<3] { lists.insert(try await run("list", "--store", store).words) }
    #expect(lists.count == 1 && lists.first?.split(separator: "\n").count == 3)

    // With nothing left at all the document is gone, which only a person can decide upon.
    try FileManager.default.removeItem(atPath: cloud)
    rclone = try await rclone.startedAgain(cloud)
    let last = try await sync(stores[0])
    #expect(!last.isDone && last.words.contains("notebook refill"))
    #expect(!FileManager.default.fileExists(atPath: cloud))
  }
}
