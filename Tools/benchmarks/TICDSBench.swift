import Foundation

/// The benchmarks of the project: `ticds-bench <benchmark> [--json] [--scale N]`.
@main struct TICDSBench {
  private static let benchmarks: [String: @Sendable (Double, Set<String>) throws -> [Measure]] = [
    "apply": { chosen(try ApplyBenchmark.run(scale: $0), $1) },
    "capture": { try CaptureBenchmark.run($1) },
    "codec": { _, only in chosen(try CodecBenchmark.run(), only) },
    "peers": { chosen(try PeersBenchmark.run(scale: $0), $1) },
    "store": { try StoreBenchmark(scale: $0).run($1) },
    "sync": { try SyncBenchmark.run(scale: $0, $1) },
    "webdav": { try WebDAVBenchmark.run(scale: $0, $1) },
    "tracking-scale": { try TrackingScaleBenchmark.run(scale: $0, $1) },
  ]

  private static let help = """
    usage: ticds-bench <benchmark> [--json] [--scale N] [--only ID,...]

      apply    merging changes of another device against SQLite's session extension
      capture  saves that are recorded against saves that are not
      codec    size and speed of the compact format of change sets
      peers    what Tools/benchmarks/peers compares with other libraries
      store    an object store against bare SQLite doing the same work
      sync     devices that meet in an encrypted folder: the first upload, joining, catching up, nothing to do, years
      tracking-scale  merging, making sets and importing ten times as much against as much, and how long others wait
      webdav   a WebDAV server on loopback against curl doing the same

      inspect  ticds-inspect on a remote with many sets: see `ticds-bench inspect --help`
      simulate devices that edit, sync, crash and are copied: see `ticds-bench simulate --help`
      and `ticds-bench simulate --protocol --help`

      --json   print one line of JSON
      --scale  multiply the amount of work, 0.01 to 10; 1 unless given
      --only   take these measures only, separated by commas
    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "simulate" { return simulate(Array(arguments.dropFirst())) }
    if arguments.first == "inspect" { return inspect(Array(arguments.dropFirst())) }
    if arguments.contains("--help") || arguments.isEmpty { return print(help) }
    let isJSON = arguments.contains("--json")
    arguments.removeAll { $0 == "--json" }
    var scale = 1.0
    if let position = arguments.firstIndex(of: "--scale") {
      guard position + 1 < arguments.count, let value = Double(arguments[position + 1]),
        (0.01...10).contains(value)
      else { return fail("--scale needs a number from 0.01 to 10") }
      scale = value
      arguments.removeSubrange(position...(position + 1))
    }
    var only: Set<String> = []
    if let position = arguments.firstIndex(of: "--only"), position + 1 < arguments.count {
      only = Set(arguments[position + 1].split(separator: ",").map(String.init))
      arguments.removeSubrange(position...(position + 1))
    }
    guard arguments.count == 1, let benchmark = benchmarks[arguments[0]] else { return fail(help) }
    do {
      let measures = try benchmark(scale, only)
      show(measures, of: arguments[0], isJSON: isJSON)
    } catch {
      fail("\(arguments[0]): \(error)")
    }
  }

  private static func inspect(_ arguments: [String]) {
    if arguments.contains("--help") { return print(InspectBenchmark.usage) }
    guard let benchmark = InspectBenchmark(arguments) else { return fail(InspectBenchmark.usage) }
    do {
      show(try benchmark.run(), of: "inspect", isJSON: benchmark.isJSON)
    } catch {
      fail("inspect: \(error)")
    }
  }

  private static func show(_ measures: [Measure], of name: String, isJSON: Bool) {
    print(isJSON ? json(name, measures) : measures.map(\.description).joined(separator: "\n"))
  }

  private static func simulate(_ arguments: [String]) {
    if arguments.contains("--protocol") {
      simulate(arguments.filter { $0 != "--protocol" }, as: ManagerSimulation.self)
    } else {
      simulate(arguments, as: ReplicaSimulation.self)
    }
  }

  private static func simulate<Kind: SimulationKind>(_ arguments: [String], as kind: Kind.Type) {
    typealias Command = SimulateCommand<Kind>
    if arguments.contains("--help") { return print(Command.usage) }
    if arguments == ["--families"] { return print(Command.familyList) }
    guard let command = Command(arguments) else { return fail(Command.usage) }
    do {
      if try !command.run() { exit(1) }
    } catch {
      fail("simulate: \(error)")
    }
  }

  private static func chosen(_ measures: [Measure], _ only: Set<String>) -> [Measure] {
    only.isEmpty ? measures : measures.filter { only.contains($0.id) }
  }

  private static func json(_ name: String, _ measures: [Measure]) -> String {
    let list = measures.map(\.json).joined(separator: ",")
    return "{\"benchmark\":\"\(name)\",\"measures\":[\(list)]}"
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }
}
