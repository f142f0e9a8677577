import Foundation

/// How long `ticds-inspect` takes for a folder remote with many sets, and how much memory: the program itself is run, beside
/// `sha256sum` over the same files.
struct InspectBenchmark {
  static let usage = """
    usage: ticds-bench inspect [--json] [--sets N] [--plain] [--folder DIR]

      --sets    how many sets lie on the remote; 100000 unless given
      --plain   without encryption
      --folder  makes the remote there and leaves it; one that is there is measured as it is
    """
  private static let authors = 5
  private static let changesPerSet = 10

  private(set) var isJSON = false
  private var sets = 100_000
  private var isPlain = false
  private var kept: String?

  /// Reads the words after `inspect`; `nil` if they make no sense.
  init?(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--plain": isPlain = true
      case "--sets":
        guard let number = rest.popFirst().flatMap({ Int($0) }), (100...1_000_000).contains(number) else {
          return nil
        }
        sets = number
      case "--folder":
        guard let folder = rest.popFirst() else { return nil }
        kept = folder
      default: return nil
      }
    }
  }

  func run() throws -> [Measure] {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "ticds-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let remote = URL(filePath: kept ?? scratch.appending(path: "remote").path(percentEncoded: false))
    if !FileManager.default.fileExists(atPath: remote.path(percentEncoded: false)) { try fill(remote) }
    let password = scratch.appending(path: "password")
    try Data((SyncedDevice.password + "\n").utf8).write(to: password)
    let place = remote.path(percentEncoded: false)
    let opening = isPlain ? [] : ["--password-file", password.path(percentEncoded: false)]
    return try verification(place, opening) + [tree(place)] + report(place, opening, scratch)
  }

  /// Devices that found the remote and push at the same time, so that none spends time on merging what the others write.
  private func fill(_ folder: URL) throws {
    let perDevice = sets / Self.authors
    let isPlain = isPlain
    try waiting {
      let remote = try SyncedFolder(keptAt: folder)
      var devices: [SyncedDevice] = []
      for number in 0..<Self.authors {
        let books = perDevice * Self.changesPerSet
        let device = try await SyncedDevice(
          "device\(number)", remote, setLimit: Self.changesPerSet,
          encryption: isPlain ? .none : .password(SyncedDevice.password)
        ) { store in
          for start in stride(from: 0, to: books, by: 5_000) {
            try SyncedModel.add(start..<min(books, start + 5_000), to: store)
          }
        }
        devices.append(device)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in devices {
          group.addTask { _ = try await device.document.synchronize(SyncedDevice.options) }
        }
        try await group.waitForAll()
      }
    }
  }

  // MARK: The measures

  private func verification(_ remote: String, _ opening: [String]) throws -> [Measure] {
    var (checked, summed, memory): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<3 {
      // The sums come first, so that the files are in memory for both.
      summed.append(
        try MeasuredProcess.run(
          "/bin/sh", ["-c", "find \"$0\" -type f -print0 | xargs -0 sha256sum >/dev/null", remote]
        ).seconds)
      let run = try MeasuredProcess.run(try inspector, ["verify", remote] + opening)
      guard run.status == 0 else { throw Problem.failed("verify", run.status) }
      checked.append(run.seconds)
      memory.append(run.growth)
    }
    let (verify, sum) = (Measure.median(checked), Measure.median(summed))
    return [
      Measure("verify_s", verify, "s", baseline: sum),
      Measure("verify_memory", Measure.median(memory) / 1_048_576, "MiB beyond the start"),
      Measure("verify_ratio", sum / verify, "of the bytes per second of sha256sum"),
    ]
  }

  /// Until the first entry stands there: the line before only repeats the command line.
  private func tree(_ remote: String) throws -> Measure {
    let run = try MeasuredProcess.run(try inspector, ["tree", remote], untilLine: 2)
    guard run.status == 0, let first = run.secondsToLine else { throw Problem.failed("tree", run.status) }
    return Measure("tree_first_ms", first * 1_000, "ms to the first entry")
  }

  private func report(_ remote: String, _ opening: [String], _ scratch: URL) throws -> [Measure] {
    let page = scratch.appending(path: "report.html").path(percentEncoded: false)
    let run = try MeasuredProcess.run(try inspector, ["report", remote, "--html", page] + opening)
    guard run.status == 0 else { throw Problem.failed("report", run.status) }
    let size = try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int ?? 0
    var measures = [
      Measure("report_s", run.seconds, "s"),
      Measure("report_mb", Double(size) / 1e6, "MB"),
    ]
    let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let browser else {
      FileHandle.standardError.write(Data("report_ms is left out: there is no Chromium.\n".utf8))
      return measures
    }
    func paint(_ address: String) throws -> Double {
      let image = scratch.appending(path: "page.png").path(percentEncoded: false)
      let run = try MeasuredProcess.run(
        browser,
        [
          "--headless", "--no-sandbox", "--disable-gpu",
          "--user-data-dir=\(scratch.appending(path: "profile").path(percentEncoded: false))",
          "--screenshot=\(image)", address,
        ])
      guard run.status == 0 else { throw Problem.failed("chromium", run.status) }
      return run.seconds * 1_000
    }
    let times = try alternating(
      rounds: 3, baseline: { try paint("about:blank") }, candidate: { try paint("file://\(page)") })
    measures.append(
      Measure("report_ms", times.candidate, "ms, the start of Chromium included", baseline: times.baseline))
    return measures
  }

  /// The program beside this one.
  private var inspector: String {
    get throws {
      let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      let path = own.deletingLastPathComponent().appending(path: "ticds-inspect").path(percentEncoded: false)
      guard FileManager.default.isExecutableFile(atPath: path) else { throw Problem.notBuilt(path) }
      return path
    }
  }

  private enum Problem: Error, CustomStringConvertible {
    case notBuilt(String)
    case failed(String, Int32)

    var description: String {
      switch self {
      case .notBuilt(let path): "\(path) is not there; build the product ticds-inspect the same way"
      case .failed(let what, let status): "\(what) ended with \(status)"
      }
    }
  }
}
