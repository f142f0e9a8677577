import Foundation
import ProcessTesting
import Testing

/// What `ticds-inspect` prints with `--json`, verb by verb, against the page that promises it.
@Suite struct InspectJSONTests {
  /// What the page says of a verb.
  private func row(_ verb: String) throws -> Substring {
    let page = try String(
      contentsOf: Checkout.root.appending(path: "Docs/Tools/ticds-inspect.md"), encoding: .utf8)
    let start = ["export", "at"].contains(verb) ? "| `export`, `at` |" : "| `\(verb) --json` |"
    return try #require(page.split(separator: "\n").first { $0.hasPrefix(start) }, "\(verb)")
  }

  /// The objects that a reader gets one by one: the outermost, the elements of a list, or a line each.
  private func objects(_ output: String) throws -> [[String: Any]] {
    if let whole = try? JSONSerialization.jsonObject(with: Data(output.utf8)) {
      if let object = whole as? [String: Any] { return [object] }
      return try #require(whole as? [[String: Any]])
    }
    return try output.split(separator: "\n").map { try ProgramJSON.object(String($0)) }
  }

  @Test(arguments: [
    ["info"], ["documents"], ["devices"], ["tree"], ["stats"], ["changes"], ["verify"], ["repair"],
    ["vacuum", "--dry-run"], ["export"], ["at", "2100-01-01"], ["diff", "--from", "2000-01-01"],
    ["password", "list"],
  ])
  func `every verb prints the version and the keys that the page tells`(_ words: [String]) async throws {
    let sandbox = try await Sandbox.bothWriting()
    let isOfLines = ["export", "at"].contains(words[0])
    let result = try await sandbox.inspect(words + (isOfLines ? [] : ["--json"]))
    let row = try row(words[0])

    let objects = try objects(result.output)

    #expect(!objects.isEmpty, "\(result)")
    for object in objects {
      let version = try #require(object["version"] as? Int, "\(words)")
      #expect(row.contains("`version` (\(version))"))
      for key in object.keys { #expect(row.contains("`\(key)`"), "\(words): \(key)") }
    }
  }

  @Test func `without a set there is an empty list of changes`() async throws {
    let sandbox = try Sandbox()
    _ = try await sandbox.device("alice")
    #expect(try await sandbox.inspect("changes", "--json").output == "[]\n")
  }
}
