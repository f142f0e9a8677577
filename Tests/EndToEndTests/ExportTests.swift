import Foundation
import ProcessTesting
import Testing

/// Notes as JSON with their identifiers: out of one notebook, into another, and hostile files.
@Suite struct ExportTests {
  private func save(_ text: String, as name: String, in sandbox: Sandbox) throws -> String {
    let path = sandbox.path(name)
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test func `an export imported elsewhere is the same export, and imported twice changes nothing`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("“Milk”\n", content: "äöü 🙂\ttwo\u{1}", tags: ["b", "a"])
    _ = try await alice.add("long", content: String(repeating: "text ", count: 5_000))
    let export = try await alice.succeed("export")
    let file = try save(export, as: "notes.json", in: sandbox)

    let other = try Sandbox()
    let bob = try await other.device("bob")
    #expect(try await bob.succeed("import", file) == "imported 2 notes, changed 0, unchanged 0\n")
    #expect(try await bob.succeed("export") == export)
    _ = try await bob.sync()
    #expect(try await bob.succeed("import", file) == "imported 0 notes, changed 0, unchanged 2\n")
    #expect(try await bob.status().pending == 0)
    #expect(try await bob.sync().pushed == 0)

    // Through standard input, into the notebook that it came from.
    let again = try await alice.run("import", "-", "--json", input: export)
    #expect(again.ending == .exited(0), "\(again.errors)")
    #expect(try ProgramJSON.object(again.output)["unchanged"] as? Int == 2)
  }

  @Test func `what is later remains, tags are added, and a deleted note comes back`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let (one, two) = (try await alice.add("one", tags: ["x"]), try await alice.add("two"))
    let three = try await alice.add("three")
    let former = try save(try await alice.succeed("export"), as: "former.json", in: sandbox)
    try await alice.succeed("edit", one, "--content", "later")
    try await alice.succeed("untag", one, "x")
    try await alice.succeed("delete", two)
    let latter = try save(try await alice.succeed("export"), as: "latter.json", in: sandbox)

    let result = try await alice.run("import", former)
    #expect(result.output == "imported 1 note, changed 1, unchanged 1\n", "\(result.errors)")
    #expect(result.errors.contains("“\(one)” was changed later here"))
    let notes = try await alice.notes()
    #expect(notes.map(\.title).sorted() == ["one", "three", "two"])
    #expect(Set(notes.map(\.syncID)) == [one, two, three])
    #expect(
      notes.first { $0.syncID == one } == NoteOutput(syncID: one, title: "one", content: "later", tags: ["x"])
    )

    // Elsewhere, the later export goes over the former one.
    let bob = try await Sandbox().device("bob")
    try await bob.succeed("import", former)
    let merged = try ProgramJSON.object(try await bob.succeed("import", latter, "--json"))
    #expect(merged["changed"] as? Int == 1 && merged["unchanged"] as? Int == 1)
    #expect(try await bob.notes().first { $0.syncID == one }?.content == "later")
  }

  @Test func `a file that is no export is refused with its line, and nothing is imported`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("there")
    let before = try await alice.succeed("export")
    let good = #"{"syncID": "A", "title": "t", "content": "c"}"#
    let cases: [(text: String, words: String)] = [
      ("", "is empty"), ("[]", "line 1 it is no object"),
      ("{\n\"version\": 2, \"notes\": []}", "line 2 its “version”"),
      ("{\"version\": 1, \"notes\": [\(good),\n\n\(good)]}", "line 3 the note “A” comes twice"),
      ("{\"version\": 1, \"notes\": [\n{\"syncID\": \"\"}]}", "line 2 a “syncID”"),
      ("{\"version\": 1, \"notes\": [{\"syncID\": \"a b\"}]}", "a “syncID”"),
      ("{\"version\": 1, \"notes\": [{\"syncID\": \"A\", \"title\": \"t\"}]}", "lacks its “content”"),
      ("{\"version\": 1, \"notes\": [{\"syncID\": \"A\",\n\"title\": 1}]}", "line 2 “title” is no text"),
      (
        "{\"version\": 1, \"notes\": [\(good.dropLast()), \"tags\": [\"\"]}]}", "an element of “tags”"
      ),
      (
        "{\"version\": 1, \"notes\": [\(good.dropLast()), \"modified\": \"soon\"}]}", "“modified” is no time"
      ),
      // Programs count from 1970 or from 2001: nobody knows what is meant.
      (
        "{\"version\": 1, \"notes\": [\(good.dropLast()), \"modified\": 1700000000}]}",
        "“modified” is no time"
      ),
      ("{\"version\": 1, \"notes\": [\(good)\n\n", "line 3 the text ends too early"),
      (String(repeating: "[", count: 100_000), "64 deep"),
    ]
    for (text, words) in cases {
      let file = try save(text, as: "hostile.json", in: sandbox)
      let result = try await alice.run("import", file)
      #expect(result.ending == .exited(9), "\(text.prefix(80)): \(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    #expect(try await alice.succeed("export") == before)
  }

  @Test func `all programs show a date by one calendar, and what has no date in it as a number`() async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let old = "1500-02-28T12:00:00.250Z"
    let archive = """
      {"version": 1, "notes": [{"syncID": "A", "title": "t", "content": "c", "created": "\(old)", "modified": 252423993600},
      {"syncID": "B", "title": "t", "content": "c", "created": "0001-01-01T00:00:00.000Z", "modified": -1e300}]}
      """
    try await alice.succeed("import", try save(archive, as: "notes.json", in: sandbox))
    let export = try await alice.succeed("export")
    let notes = try #require(try ProgramJSON.object(export)["notes"] as? [[String: Any]])
    #expect(notes.map { $0["created"] as? String } == [old, "0001-01-01T00:00:00.000Z"])
    #expect(notes.map { $0["modified"] as? Double } == [252_423_993_600, -1e300])
    let again = try await Sandbox().device("again", encrypted: false)
    try await again.succeed("import", try save(export, as: "again.json", in: sandbox))
    #expect(try await again.succeed("export") == export)

    let shown = try await alice.succeed("show", "A")
    #expect(shown.contains("1500-02-28T12:00:00Z") && shown.contains("252423993600.0 seconds since 2001"))
    _ = try await alice.sync()
    let changes = try await sandbox.inspect("changes", password: false).output
    #expect(changes.contains("= \(old)") && changes.contains("= -1e+300 seconds since 2001"), "\(changes)")
    let objects = try await sandbox.inspect("export", password: false).output
    #expect(objects.contains(old) && objects.contains("252423993600"), "\(objects)")
  }

  @Test func `who names a text file is told to name its folder`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)

    let result = try await alice.run("import", try save("# A title", as: "note.md", in: sandbox))

    #expect(result.ending == .exited(9) && result.errors.contains("name the folder"), "\(result.errors)")
  }
}
