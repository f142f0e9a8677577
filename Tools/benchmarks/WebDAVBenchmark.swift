import Foundation
import TICDSHTTP
import SyncProtocol
import WebDAVBackend

/// A WebDAV server on loopback (Apache, by `Tools/servers`), against `curl` doing the same.
enum WebDAVBenchmark {
  /// Requests under way at once, on as many connections, with both.
  private static let parallel = 8
  /// Tasks that ask. More than requests, so that one is at hand when a connection gets free: curl, too, knows all that it is
  /// to fetch from the beginning.
  private static let askers = 16

  /// - Parameter scale: 1 is 20,000 files of 1 KB, and a file of 1 GB.
  static func run(scale: Double, _ only: Set<String>) throws -> [Measure] {
    let server = try BenchmarkServer()
    defer { server.stop() }
    return try waiting { try await measure(server, scale, only) }
  }

  private static func measure(
    _ server: BenchmarkServer, _ scale: Double, _ only: Set<String>
  ) async throws -> [Measure] {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.concurrency = parallel
    let cautious = WebDAVBackend(try HTTPAddress(server.address), configuration: configuration)
    let backend = cautious.knowing(try await cautious.probe().traits)
    func isWanted(_ id: String) -> Bool { only.isEmpty || only.contains(id) }
    var measures: [Measure] = []
    if isWanted("pull_ratio") { measures.append(try await pull(backend, server, count: Int(20_000 * scale))) }
    if isWanted("idle_ratio") { measures.append(try await idle(backend, server)) }
    if ["upload_ratio", "download_ratio", "memory"].contains(where: isWanted) {
      measures += try await large(backend, server, size: Int(1e9 * scale)).filter { isWanted($0.id) }
    }
    return measures
  }

  private static func path(_ text: String) throws -> RemotePath {
    guard let path = RemotePath(text) else { throw CocoaError(.fileReadInvalidFileName) }
    return path
  }

  // MARK: - Many small files

  private static func pull(
    _ backend: WebDAVBackend, _ server: BenchmarkServer, count: Int
  ) async throws -> Measure {
    let folder = server.root + "/small"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      try Data(repeating: UInt8(truncatingIfNeeded: number), count: 1_000).write(
        to: URL(filePath: "\(folder)/f\(number)"))
    }
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for round in 0...3 {
      let mine = try await seconds { try await pullAll(backend, count) }
      let other = try curlSeconds(
        server,
        [
          "--parallel", "--parallel-max", "\(parallel)", "--parallel-immediate",
          "\(server.address)small/f[0-\(count - 1)]",
          "-o", "/dev/null",
        ])
      if round > 0 {
        ours.append(Double(count) / mine)
        theirs.append(Double(count) / other)
      }
    }
    return Measure(
      "pull_ratio", Measure.median(ours), "files of 1 KB per second", baseline: Measure.median(theirs))
  }

  private static func pullAll(_ backend: WebDAVBackend, _ count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for asker in 0..<askers {
        group.addTask {
          for number in stride(from: asker, to: count, by: askers) {
            _ = try await backend.download(path("small/f\(number)"), limit: 10_000)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: - Nothing to do

  private static func idle(_ backend: WebDAVBackend, _ server: BenchmarkServer) async throws -> Measure {
    let count = 300
    try await backend.makeDirectory(path("idle"))
    for number in 0..<5 { try await backend.upload([1], to: path("idle/head-\(number)")) }
    // curl sends all its requests on one connection, too, and asks for the same properties.
    let body =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind xmlns=\"DAV:\"><prop><resourcetype/><getcontentlength/>"
      + "<getlastmodified/><getetag/></prop></propfind>"
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for round in 0...5 {
      let mine = try await seconds {
        for _ in 0..<count { _ = try await backend.list(path("idle")) }
      }
      let other = try curlSeconds(
        server,
        [
          "-X", "PROPFIND", "-H", "Depth: 1", "-H", "Content-Type: application/xml", "--data-binary", body,
          "\(server.address)idle/?[1-\(count)]", "-o", "/dev/null",
        ])
      if round > 0 {
        ours.append(mine / Double(count) * 1e6)
        theirs.append(other / Double(count) * 1e6)
      }
    }
    return Measure(
      "idle_ratio", Measure.median(ours), "microseconds per listing", baseline: Measure.median(theirs))
  }

  // MARK: - A large file

  private static func large(
    _ backend: WebDAVBackend, _ server: BenchmarkServer, size: Int
  ) async throws -> [Measure] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, target) = (folder.appending(path: "source").path, folder.appending(path: "target").path)
    try Data().write(to: URL(filePath: source))
    let handle = try FileHandle(forWritingTo: URL(filePath: source))
    let piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 167) })
    for start in stride(from: 0, to: size, by: piece.count) {
      try handle.write(contentsOf: piece.prefix(size - start))
    }
    try handle.close()
    let file = try path("large")
    var (up, down, curlUp, curlDown): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    let before = try ProcessMemory.restart()
    for _ in 0..<3 {
      up.append(try await seconds { try await backend.upload(file: source, to: file) })
      curlUp.append(
        try curlSeconds(server, ["-T", source, "\(server.address)large-curl", "-o", "/dev/null"]))
      down.append(try await seconds { try await backend.download(file, toFile: target) })
      curlDown.append(try curlSeconds(server, ["\(server.address)large", "-o", target]))
    }
    func rate(_ times: [Double]) -> Double { Double(size) / 1e6 / Measure.median(times) }
    return [
      Measure("upload_ratio", rate(up), "MB per second", baseline: rate(curlUp)),
      Measure("download_ratio", rate(down), "MB per second", baseline: rate(curlDown)),
      Measure(
        "memory", (try ProcessMemory.peak() - before) / 1_048_576, "MiB more while 1 GB is transferred"),
    ]
  }

  // MARK: - Timing

  private static func seconds(_ work: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await work()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  private static func curlSeconds(_ server: BenchmarkServer, _ arguments: [String]) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["curl", "--silent", "--fail", "--noproxy", "*"] + arguments
    let start = ContinuousClock.now
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkServer.Problem.curl(process.terminationStatus)
    }
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
