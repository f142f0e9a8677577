import CommandLineTool
import Inspection

/// The findings that a person is shown: of each code so many, and how many more there are. One who can write to a remote makes a hundred
/// thousand forged names, and what else is wrong must not drown in them. JSON has them all.
struct ShownFindings {
  /// Findings of one code that are shown.
  static let limit = 100

  /// Those that are shown, in their order.
  let shown: [Finding]
  /// A line for each code of which there are more.
  let others: [String]

  init(_ findings: [Finding]) {
    var counts: [Finding.Code: Int] = [:]
    shown = findings.filter { finding in
      counts[finding.code, default: 0] += 1
      return counts[finding.code, default: 0] <= Self.limit
    }
    others = counts.filter { $0.value > Self.limit }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      "\(Amount.text($0.value - Self.limit, "more finding", "more findings")) of \($0.key.rawValue); --json lists all"
    }
  }
}
