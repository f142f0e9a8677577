import Foundation
import Simulation

/// `ticds-bench simulate`: runs of several devices over unreliable storage, each reproducible from its seed.
struct SimulateCommand {
  static let usage = """
    usage: ticds-bench simulate [--seed S] [--seeds COUNT] [--clients N] [--steps M] [--json]

      --seed     the first seed; 0 unless given
      --seeds    how many seeds, one after the other; 1 unless given
      --clients  devices, 2 to 6; by turns unless given
      --steps    actions before storage settles; 200 unless given

    Exits with 1 if an invariant was violated, and names the seed.
    """

  private var seed: UInt64 = 0
  private var count: UInt64 = 1
  private var clients: UInt64?
  private var steps: UInt64 = 200
  private var isJSON = false

  /// Reads the arguments; `nil` if they are not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if option == "--json" {
        isJSON = true
        continue
      }
      guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
      switch option {
      case "--seed": seed = number
      case "--seeds": count = number
      case "--clients" where (2...6).contains(number): clients = number
      case "--steps" where number <= 1_000_000: steps = number
      default: return nil
      }
    }
  }

  /// Runs all seeds.
  /// - Returns: whether every invariant held.
  func run() throws -> Bool {
    var totals = (sets: 0, objects: 0, crashes: 0, restorations: 0, clones: 0, joins: 0, collected: 0)
    var violated: [UInt64] = []
    for seed in seed..<seed + count {
      let outcome = try Simulation(
        Simulation.Configuration(seed: seed, clients: Int(clients ?? 2 + seed % 5), steps: Int(steps))
      ).run()
      totals.sets += outcome.sets
      totals.objects += outcome.objects
      totals.crashes += outcome.crashes
      totals.restorations += outcome.restorations
      totals.clones += outcome.clones
      totals.joins += outcome.joins
      totals.collected += outcome.collected
      guard !outcome.violations.isEmpty else { continue }
      violated.append(seed)
      let text = "seed \(seed):\n" + outcome.violations.joined(separator: "\n") + "\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
    let figures: [(String, Int)] = [
      ("seed", Int(seed)), ("seeds", Int(count)), ("violations", violated.count), ("sets", totals.sets),
      ("objects", totals.objects), ("crashes", totals.crashes), ("restorations", totals.restorations),
      ("clones", totals.clones), ("joins", totals.joins),
      ("collected", totals.collected),
    ]
    if isJSON {
      print("{" + figures.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    } else {
      print(figures.map { "\($0) \($1)" }.joined(separator: ", "))
    }
    return violated.isEmpty
  }
}
