import Foundation
import Simulation

/// `ticds-bench simulate`: runs of several devices over unreliable storage, each reproducible from its seed.
struct SimulateCommand {
  static let usage = """
    usage: ticds-bench simulate [--seed S] [--seeds COUNT] [--clients N] [--steps M]
                                [--only FAMILY,... | --without FAMILY,... | --with FAMILY,...] [--trace] [--json]
           ticds-bench simulate --protocol ..., for devices that synchronise through the managers

      --seed      the first seed; 0 unless given
      --seeds     how many seeds, one after the other; 1 unless given
      --clients   devices, 2 to 6; by turns unless given
      --steps     actions before storage settles; 200 unless given
      --only      what runs contain beyond plain objects and edits: all of these families in every run
      --with      besides a random half of the families without known defect, these in every run
      --without   a random half of the families in each run, but none of these; all that have no known defect unless given
      --trace     writes every action to standard error
      --families  lists the families, and ends

    Exits with 1 if an invariant was violated, and names the seed and the families of the run.
    """

  /// The families with what they mean, and what is known to be wrong with them.
  static var familyList: String {
    Simulation.Family.allCases.map { family in
      let defect =
        family.knownDefect.map { "\n" + String(repeating: " ", count: 22) + "left out: " + $0 } ?? ""
      return family.rawValue.padding(toLength: 22, withPad: " ", startingAt: 0) + family.summary + defect
    }.joined(separator: "\n")
  }

  private var seed: UInt64 = 0
  private var count: UInt64 = 1
  private var clients: UInt64?
  private var steps: UInt64 = 200
  private var families = Simulation.Family.passing
  private var drawsFamilies = true
  private var required: Set<Simulation.Family> = []
  private var isTraced = false
  private var isJSON = false

  /// Reads the arguments; `nil` if they are not understood.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--json": isJSON = true
      case "--trace": isTraced = true
      case "--only":
        guard let named = Self.families(rest.popFirst()) else { return nil }
        families = named
        drawsFamilies = false
      case "--with":
        guard let named = Self.families(rest.popFirst()) else { return nil }
        families.formUnion(named)
        required.formUnion(named)
      case "--without":
        guard let named = Self.families(rest.popFirst()) else { return nil }
        families.subtract(named)
      default:
        guard let number = rest.popFirst().flatMap({ UInt64($0) }), take(option, number) else { return nil }
      }
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

  /// The families of a list; `nil` if one of them is none. The empty list is one too: plain objects and edits.
  private static func families(_ list: String?) -> Set<Simulation.Family>? {
    guard let names = list?.split(separator: ",") else { return nil }
    let families = names.compactMap { Simulation.Family(rawValue: String($0)) }
    return families.count == names.count ? Set(families) : nil
  }

  /// Runs all seeds.
  /// - Returns: whether every invariant held.
  func run() throws -> Bool {
    var totals = (
      sets: 0, objects: 0, crashes: 0, restorations: 0, clones: 0, joins: 0, collected: 0, refusals: 0
    )
    var violated: [UInt64] = []
    for seed in seed..<seed + count {
      var configuration = Simulation.Configuration(
        seed: seed, clients: Int(clients ?? 2 + seed % 5), steps: Int(steps), families: families,
        drawsFamilies: drawsFamilies)
      configuration.traces = isTraced
      configuration.required = required
      let outcome = try Simulation(configuration).run()
      totals.sets += outcome.sets
      totals.objects += outcome.objects
      totals.crashes += outcome.crashes
      totals.restorations += outcome.restorations
      totals.clones += outcome.clones
      totals.joins += outcome.joins
      totals.collected += outcome.collected
      totals.refusals += outcome.refusals
      guard !outcome.violations.isEmpty else { continue }
      violated.append(seed)
      let text =
        "seed \(seed), --only \(outcome.families):\n" + outcome.violations.joined(separator: "\n") + "\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
    let figures: [(String, Int)] = [
      ("seed", Int(seed)), ("seeds", Int(count)), ("violations", violated.count), ("sets", totals.sets),
      ("objects", totals.objects), ("crashes", totals.crashes), ("restorations", totals.restorations),
      ("clones", totals.clones), ("joins", totals.joins),
      ("collected", totals.collected), ("refusals", totals.refusals),
    ]
    if isJSON {
      print("{" + figures.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    } else {
      print(figures.map { "\($0) \($1)" }.joined(separator: ", "))
    }
    return violated.isEmpty
  }
}
