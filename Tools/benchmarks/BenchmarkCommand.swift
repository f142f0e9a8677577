import Foundation

/// `ticds-bench <benchmark> [--json] [--repeats N]`: measures what the project promises about speed and size.
///
/// Every figure is a median over the repeats; a baseline and what it is compared with alternate in one process.
@main enum BenchmarkCommand {
  static let benchmarks: [String: @Sendable (Int) throws -> [Measure]] = [
    "apply": { try ApplyBenchmark.run(repeats: $0) },
    "capture": { try CaptureBenchmark.run(repeats: $0) },
    "codec": { try CodecBenchmark.run(repeats: $0) },
    "peers": { try PeersBenchmark.run(repeats: $0) },
  ]

  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let isJSON = arguments.contains("--json")
    arguments.removeAll { $0 == "--json" }
    var repeats = 5
    if let position = arguments.firstIndex(of: "--repeats"), position + 1 < arguments.count,
      let count = Int(arguments[position + 1]), count > 0
    {
      repeats = count
      arguments.removeSubrange(position...position + 1)
    }
    guard arguments.count == 1, let run = benchmarks[arguments[0]] else {
      let names = benchmarks.keys.sorted().joined(separator: "|")
      FileHandle.standardError.write(Data("usage: ticds-bench \(names) [--json] [--repeats N]\n".utf8))
      exit(64)
    }
    #if DEBUG
      FileHandle.standardError.write(Data("ticds-bench: a debug build; figures mean nothing\n".utf8))
    #endif
    let report = BenchmarkReport(benchmark: arguments[0], measures: try run(repeats))
    print(isJSON ? try report.json() : report.table())
  }
}
