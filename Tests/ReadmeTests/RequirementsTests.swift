import Foundation
import ProcessTesting
import Testing

/// `Docs/Requirements.md` promises types and tests: they must be there, and no number may be missing.
@Suite struct RequirementsTests {
  /// The numbers that have a row. A range is added when its rows are.
  static let required: [String] =
    ((8...11) + [62, 63, 65, 67]).map { "R-T-\($0)" } + (1...40).map { "R-XU-\($0)" }
    + [6, 11, 25, 28, 35, 39, 44].map { "H-\($0)" }

  struct Row {
    let number: String
    let fulfilment: String
    let proof: String
  }

  private let rows: [Row]

  init() throws {
    let file = Checkout.root.appending(path: "Docs/Requirements.md")
    rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      guard line.contains(/^\| (R|H)-/) else { return nil }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 6 else {
        throw CocoaError(.formatting, userInfo: [NSDebugDescriptionErrorKey: String(line)])
      }
      return Row(number: cells[1], fulfilment: cells[3], proof: cells[4])
    }
  }

  private func quoted(_ text: String) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }

  @Test func `no number is missing, and none stands there twice`() {
    #expect(Set(Self.required).subtracting(rows.map(\.number)).sorted() == [])
    #expect(Dictionary(grouping: rows, by: \.number).filter { $1.count > 1 }.keys.sorted() == [])
  }

  @Test func `whatever is not fulfilled says why, and what is fulfilled has a test`() {
    for row in rows where !row.fulfilment.contains(/^no( mirror)?: \w/) {
      #expect(!quoted(row.fulfilment).isEmpty, "\(row.number) names no type")
      #expect(!quoted(row.proof).isEmpty, "\(row.number) names no test")
    }
  }

  @Test func `every test that is named exists`() throws {
    var missing: [String] = []
    for row in rows {
      for name in quoted(row.proof) {
        guard let match = name.wholeMatch(of: /(\w+)\/(\w+): (.+)/) else {
          missing.append("\(row.number): “\(name)” does not name a test")
          continue
        }
        let folder = Checkout.root.appending(path: "Tests/\(match.1)").path
        let file = try FileManager.default.subpathsOfDirectory(atPath: folder).first {
          $0.hasSuffix("/\(match.2).swift") || $0 == "\(match.2).swift"
        }
        let text = try file.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) } ?? ""
        if !text.contains("func `\(match.3)`") { missing.append("\(row.number): \(name)") }
      }
    }
    #expect(missing == [])
  }

  @Test func `every type that is named exists`() throws {
    let declared = try Set(
      ["Modules", "Backends", "Tools"].flatMap { folder in
        let root = Checkout.root.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
          .flatMap { file in
            try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
              .matches(of: /\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/).map {
                String($0.1)
              }
          }
      })
    let named = rows.flatMap { row in quoted(row.fulfilment).filter { $0.contains(/^[A-Z]\w*$/) } }
    #expect(named.count > 40)
    #expect(Set(named).subtracting(declared).subtracting(Self.folders).sorted() == [])
  }

  /// What is named and is no type: folders of a remote.
  private static let folders: Set<String> = ["ClientDevices"]
}
