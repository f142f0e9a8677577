import Foundation
import ProtocolSimulation

/// `ticds-bench simulate --protocol`: devices that synchronise through the managers, each run reproducible from its seed.
struct SimulateProtocolCommand {
  static let usage = """
    usage: ticds-bench simulate --protocol [--seed S] [--seeds COUNT] [--clients N] [--steps M]
                                [--only FAMILY,... | --without FAMILY,... | --with FAMILY,...] [--trace] [--json]

      --seed      the first seed; 0 unless given
      --seeds     how many seeds, one after the other; 1 unless given
      --clients   devices, 2 to 6; by turns unless given
      --steps     actions before storage settles; 100 unless given
      --only      all of these families in every run
      --with      a random half of the families, and these in every run
      --without   a random half of the families in each run, but none of these; all that have no known defect unless given
      --trace     writes every action to standard error
      --families  lists the families, and ends

    Exits with 1 if an invariant was violated, and names the seed and the families of the run.
    """

  typealias Family = ProtocolSimulation.Family

  static var familyList: String {
    Family.allCases.map { family in
      let defect =
        family.knownDefect.map { "\n" + String(repeating: " ", count: 18) + "left out: " + $0 } ?? ""
      return family.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0) + family.summary + defect
    }.joined(separator: "\n")
  }

  private var seed: UInt64 = 0
  private var count: UInt64 = 1
  private var clients: UInt64?
  private var steps: UInt64 = 100
  private var families = Family.passing
  private var required: Set<Family> = []
  private var drawsFamilies = true
  private var isTraced = false
  private var isJSON = false

  /// Reads the arguments; `nil` if they are not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--json": isJSON = true
      case "--trace": isTraced = true
      case "--only", "--with", "--without":
        guard let named = Self.families(rest.popFirst()) else { return nil }
        take(option, named)
      default:
        guard let number = rest.popFirst().flatMap({ UInt64($0) }), take(option, number) else { return nil }
      }
    }
  }

  private mutating func take(_ option: String, _ named: Set<Family>) {
    switch option {
    case "--only":
      families = named
      drawsFamilies = false
    case "--with": required.formUnion(named)
    default: families.subtract(named)
    }
  }

  private mutating func take(_ option: String, _ number: UInt64) -> Bool {
    switch option {
    case "--seed": seed = number
    case "--seeds": count = number
    case "--clients" where (2...6).contains(number): clients = number
    case "--steps" where number <= 1_000_000: steps = number
    default: return false
    }
    return true
  }

  private static func families(_ list: String?) -> Set<Family>? {
    guard let names = list?.split(separator: ",") else { return nil }
    let families = names.compactMap { Family(rawValue: String($0)) }
    return families.count == names.count ? Set(families) : nil
  }

  /// Runs all seeds.
  /// - Returns: whether every invariant held.
  func run() throws -> Bool {
    var totals = (syncs: 0, failures: 0, writes: 0)
    var violated = 0
    for seed in seed..<seed + count {
      var configuration = ProtocolSimulation.Configuration(
        seed: seed, devices: Int(clients ?? 2 + seed % 5), steps: Int(steps), families: families,
        drawsFamilies: drawsFamilies)
      configuration.required = required
      configuration.traces = isTraced
      let outcome = try ProtocolSimulation(configuration).run()
      totals.syncs += outcome.syncs
      totals.failures += outcome.failures
      totals.writes += outcome.writes
      guard !outcome.violations.isEmpty else { continue }
      violated += 1
      let text =
        "seed \(seed), --only \(outcome.families):\n" + outcome.violations.joined(separator: "\n") + "\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
    let figures: [(String, Int)] = [
      ("seed", Int(seed)), ("seeds", Int(count)), ("violations", violated), ("syncs", totals.syncs),
      ("failures", totals.failures), ("writes", totals.writes),
    ]
    if isJSON {
      print("{" + figures.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    } else {
      print(figures.map { "\($0) \($1)" }.joined(separator: ", "))
    }
    return violated == 0
  }
}
