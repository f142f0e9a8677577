import Foundation
import ProcessTesting
import Testing

/// What `Tools/mutate` breaks must be there to be broken.
@Suite struct MutantTests {
  private struct Mutant: Decodable {
    let name: String
    let rule: String
    let file: String
    let stale: String?
  }

  private func list(_ options: String...) async throws -> (mutants: [Mutant], result: Subprocess.Result) {
    let tool = Checkout.root.appending(path: "Tools/mutate").path
    let result = try await Subprocess.run([tool, "--list", "--json"] + options)
    return (try JSONDecoder().decode([Mutant].self, from: Data(result.output.utf8)), result)
  }

  @Test func `no declared mutant is stale, and each says which rule it breaks`() async throws {
    let (mutants, result) = try await list()
    #expect(mutants.filter { $0.stale != nil }.map { "\($0.name): \($0.stale ?? "")" } == [])
    #expect(result.ending == .exited(0))
    #expect(mutants.count >= 8)
    #expect(mutants.allSatisfy { $0.rule.hasSuffix(".") && $0.rule.count > 20 })
    #expect(Set(mutants.map(\.rule)).count == mutants.count)
  }

  @Test(arguments: [
    ("no such text anywhere", "its text occurs 0 times in "), ("TICDS", "its text occurs "),
    ("", "it changes nothing"),
  ])
  func `a mutant whose text is not there exactly once is stale`(text: String, reason: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lines = ["rule: A rule.", "file: README.md", "--- replace", text, "--- with", "other", "--- end"]
    try lines.joined(separator: "\n").write(
      to: folder.appending(path: "one.mutant"), atomically: true, encoding: .utf8)

    let (mutants, result) = try await list("--from", folder.path)

    #expect(result.ending == .exited(2))
    #expect(mutants.map(\.name) == ["one"])
    let stale = try #require(mutants.first?.stale)
    #expect(stale.hasPrefix(reason))
  }
}
