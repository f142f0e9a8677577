import Foundation
import Simulation

/// `ticds-bench simulate`: runs of several devices over unreliable storage, each reproducible from its seed.
struct SimulateCommand<Kind: SimulationKind> {
  typealias Family = Kind.Family

  static var usage: String {
    """
    usage: ticds-bench simulate\(Kind.option) [--seed S] [--seeds COUNT] [--clients N] [--steps M]
                                [--only FAMILY,... | --without FAMILY,... | --with FAMILY,...] [--trace] [--json]

      --protocol  devices that synchronise through the managers, instead of replicas that exchange sets
      --seed      the first seed; 0 unless given
      --seeds     how many seeds, one after the other; 1 unless given
      --clients   devices, 2 to 6; by turns unless given
      --steps     actions before storage settles; \(Kind.steps) unless given
      --only      what runs contain: all of these families in every run
      --with      besides a random half of the families without known defect, these in every run
      --without   a random half of the families in each run, but none of these; all that have no known defect unless given
      --trace     writes every action to standard error
      --families  lists the families, and ends

    Exits with 1 if an invariant was violated, and names the seed and the families of the run.
    """
  }

  /// The families with what they mean, and what is known to be wrong with them.
  static var familyList: String {
    let width = 2 + (Family.allCases.map(\.rawValue.count).max() ?? 0)
    return Family.allCases.map { family in
      let defect =
        family.knownDefect.map { "\n" + String(repeating: " ", count: width) + "left out: " + $0 } ?? ""
      return family.rawValue.padding(toLength: width, withPad: " ", startingAt: 0) + family.summary + defect
    }.joined(separator: "\n")
  }

  private var seed: UInt64 = 0
  private var count: UInt64 = 1
  private var clients: UInt64?
  private var steps = UInt64(Kind.steps)
  private var families = Family.passing
  private var drawsFamilies = true
  private var required: Set<Family> = []
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
    case "--with":
      families.formUnion(named)
      required.formUnion(named)
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

  /// The families of a list; `nil` if one of them is none. The empty list is one too.
  private static func families(_ list: String?) -> Set<Family>? {
    guard let names = list?.split(separator: ",") else { return nil }
    let families = names.compactMap { Family(rawValue: String($0)) }
    return families.count == names.count ? Set(families) : nil
  }

  /// Runs all seeds.
  /// - Returns: whether every invariant held.
  func run() throws -> Bool {
    var totals: [(name: String, count: Int)] = []
    var violated = 0
    for seed in seed..<seed + count {
      var configuration = SimulationConfiguration<Family>(
        seed: seed, devices: Int(clients ?? 2 + seed % 5), steps: Int(steps), families: families,
        drawsFamilies: drawsFamilies)
      configuration.required = required
      configuration.traces = isTraced
      let result = try Kind.run(configuration)
      totals =
        totals.isEmpty
        ? result.figures : zip(totals, result.figures).map { ($0.name, $0.count + $1.count) }
      guard !result.violations.isEmpty else { continue }
      violated += 1
      let text =
        "seed \(seed), --only \(result.families):\n" + result.violations.joined(separator: "\n") + "\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
    let figures =
      [(name: "seed", count: Int(seed)), ("seeds", Int(count)), ("violations", violated)] + totals
    if isJSON {
      print("{" + figures.map { "\"\($0.name)\":\($0.count)" }.joined(separator: ",") + "}")
    } else {
      print(figures.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
    }
    return violated == 0
  }
}
