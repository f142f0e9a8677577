import Foundation
import ProcessTesting
import Testing

/// What the pages about the object store show is what is compiled here.
@Suite struct GuideTests {
  private static let guides = ["Docs/Guides/FromCoreData.md", "Docs/Guides/FromGRDB.md"]

  @Test(
    arguments: [("Docs/ObjectStore.md", "ObjectStoreExamples")] + guides.map { ($0, "TaskExamples") })
  func `every example of a page is compiled`(page: String, file: String) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "\(file).swift")
    let compiled = lines(try String(contentsOf: source, encoding: .utf8))

    let examples = try text(page).components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }

    #expect(examples.count > 15)
    for example in examples { #expect("\n\(compiled)\n".contains("\n\(example)\n"), "\(example)") }
  }

  @Test(arguments: guides) func `a guide shows twenty tasks, each in both ways`(page: String) throws {
    let tasks = try text(page).components(separatedBy: "\n## ").dropFirst()
      .filter { $0.contains("```") }

    #expect(tasks.count == 20)
    for task in tasks {
      let languages = task.matches(of: /(?m)^```(\S.*)$/).map { String($0.1) }
      #expect(languages.count == 2 && languages.last == "swift", "\(task)")
    }
  }

  @Test func `both guides show the same tasks`() throws {
    let titles = try Self.guides.map { try text($0).matches(of: /(?m)^## (\d+\. .*)$/).map { String($0.1) } }
    #expect(titles[0] == titles[1])
  }

  private func text(_ page: String) throws -> String {
    try String(contentsOf: Checkout.root.appending(path: page), encoding: .utf8)
  }

  /// The lines without indentation and spaces for alignment, blank lines and imports.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }
}
