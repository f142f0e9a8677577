import Foundation
import ProcessTesting
import Testing

/// The tables of `Docs/Damages.md`, which are what the tests expect.
struct DamageTable {
  private var rows: [String: [String]] = [:]

  /// Reads the table below a heading.
  init(_ heading: String) throws {
    let page = try String(contentsOf: Checkout.root.appending(path: "Docs/Damages.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "## \(heading)\n").dropFirst().first?.components(separatedBy: "\n## ")
        .first)
    let table = section.split(separator: "\n").drop { !$0.hasPrefix("| | ") }.prefix { $0.hasPrefix("|") }
    for line in table where !line.hasPrefix("|---") {
      let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      rows[cells[0]] = Array(cells.dropFirst())
    }
    #expect(rows.removeValue(forKey: "") == Misfortune.allCases.map(\.rawValue))
  }

  /// The kinds of files that it speaks of.
  var files: Set<String> { Set(rows.keys) }

  func cell(_ file: AttackedFile, _ misfortune: Misfortune) -> String? {
    Misfortune.allCases.firstIndex(of: misfortune).flatMap { column in
      rows[file.rawValue].flatMap { $0.indices.contains(column) ? $0[column] : nil }
    }
  }
}
