import Foundation
import ProcessTesting
import Testing

/// `at`, `export` and `diff`: the objects of a document without any device.
@Suite struct InspectStateTests {
  /// Notes of “alice” that “bob” has seen, and one that came later.
  private func sample() async throws -> (sandbox: Sandbox, alice: Device, moment: String) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("first, with a comma", tags: ["a tag"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    let changes = try await sandbox.inspect("changes", "--json")
    let all = try ProgramJSON.objects(changes.output)
    let moment = try #require(all.compactMap { $0["time"] as? String }.max())
    _ = try await alice.add("second")
    _ = try await alice.sync()
    return (sandbox, alice, moment)
  }

  private func run(_ sandbox: Sandbox, _ verb: String, _ words: [String]) async throws -> Subprocess.Result {
    try await Subprocess.run(
      [Checkout.program("ticds-inspect").path, verb, sandbox.remote.path] + words + [
        "--password-file", sandbox.passwordFile.path,
      ])
  }

  private func titles(_ lines: String) throws -> [String] {
    try lines.split(separator: "\n").compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (object?["attributes"] as? [String: Any])?["title"] as? String
    }.sorted()
  }

  @Test func `a document is written as it is and as it was, in every form, and the remote is not`()
    async throws
  {
    let (sandbox, _, moment) = try await sample()
    let before = Snapshot(sandbox.remote)
    let now = try await run(sandbox, "export", [])
    #expect(now.ending == .exited(0), "\(now.errors)")
    #expect(try titles(now.output) == ["first, with a comma", "second"])
    let then = try await run(sandbox, "at", [moment])
    #expect(then.ending == .exited(0), "\(then.errors)")
    #expect(try titles(then.output) == ["first, with a comma"])
    let seen = try await run(sandbox, "export", ["--seen-by", "bob"])
    #expect(seen.output == then.output)

    for (format, check) in [
      ("jsonl", ["cat"]), ("sqlite", ["sqlite3", "-readonly"]),
      ("store", [Checkout.program("ticds-store").path, "verify"]),
    ] {
      let file = sandbox.path("export.\(format)")
      let result = try await run(sandbox, "export", ["--as", format, "--output", file])
      #expect(result.ending == .exited(0), "\(format): \(result.errors)")
      if format == "sqlite" {
        #expect(
          FileManager.default.contents(atPath: file)?.starts(with: Data("SQLite format 3".utf8)) == true)
      } else {
        #expect(try await Subprocess.run(check + [file]).ending == .exited(0), "\(format)")
      }
      #expect(try await run(sandbox, "export", ["--as", format, "--output", file]).ending == .exited(11))
    }
    let folder = sandbox.path("tables")
    _ = try await run(sandbox, "export", ["--as", "csv", "--output", folder])
    let notes = try String(contentsOfFile: "\(folder)/Note.csv", encoding: .utf8)
    #expect(notes.hasPrefix("id,"))
    #expect(notes.contains("\"first, with a comma\""))
    #expect(try await run(sandbox, "export", ["--as", "csv"]).ending == .exited(2))
    let within = sandbox.remote.appending(path: "stolen").path
    #expect(try await run(sandbox, "export", ["--output", within]).ending == .exited(2))
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test
  func
    `names that a database or a file system keeps for itself, or that are too long for it, are written all the same`()
    async throws
  {
    let (sandbox, _, _) = try await sample()
    let long = String(repeating: "n", count: 252)
    let model = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="sqlite_note" elementID="Note"><attribute name="title" optional="YES" attributeType="String"/>
          <attribute name="ticdsSyncID" optional="YES" attributeType="String"/></entity>
        <entity name="\(long)" elementID="Tag"><attribute name="name" optional="YES" attributeType="String"/>
          <attribute name="ticdsSyncID" optional="YES" attributeType="String"/></entity>
      </model>
      """
    let file = sandbox.path("Model.contents")
    try Data(model.utf8).write(to: URL(filePath: file))

    let tables = try await run(
      sandbox, "export", ["--model", file, "--as", "csv", "--output", sandbox.path("long")])
    let database = try await run(
      sandbox, "export", ["--model", file, "--as", "sqlite", "--output", sandbox.path("long.sqlite")])

    #expect(![5, 6, 9, 70].map { Subprocess.Ending.exited($0) }.contains(tables.ending), "\(tables.errors)")
    #expect(
      ![5, 6, 9, 70].map { Subprocess.Ending.exited($0) }.contains(database.ending), "\(database.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("long"))
    #expect(names.contains { $0.hasPrefix("nnn") && $0.utf8.count < 255 })
    let content = try String(contentsOfFile: sandbox.path("long/sqlite_note.csv"), encoding: .utf8)
    #expect(content.contains("second"))
    let rows = try await Subprocess.run([
      "python3", "-c",
      "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM _sqlite_note').fetchone()[0])",
      sandbox.path("long.sqlite"),
    ])
    #expect(rows.output == "2\n", "\(rows.errors)")
  }

  @Test func `two states are compared, and a store with the remote`() async throws {
    let (sandbox, alice, moment) = try await sample()
    let before = Snapshot(sandbox.remote)
    let changed = try await run(sandbox, "diff", ["--from", moment])
    #expect(changed.ending == .exited(1), "\(changed.errors)")
    #expect(changed.output.contains("+ Note"))
    #expect(changed.output.contains("title: “second”"))
    let json = try await run(sandbox, "diff", ["--from", "device:bob", "--json"])
    let object = try ProgramJSON.object(json.output)
    #expect(object["version"] as? Int == 1)
    #expect((object["differences"] as? [[String: Any]])?.first?["kind"] as? String == "added")
    #expect(try await run(sandbox, "diff", ["--from", "device:alice"]).ending == .exited(0))
    #expect(try await run(sandbox, "diff", ["--from", "device:nobody"]).ending == .exited(5))
    #expect(try await run(sandbox, "diff", ["--from", "yesterday"]).ending == .exited(2))
    let store = "store:" + alice.store.appending(path: "notebook.sqlite").path
    let local = try await run(sandbox, "diff", ["--from", store])
    #expect(local.ending == .exited(0), "\(local.output) \(local.errors)")
    _ = try await alice.add("not pushed")
    let unpushed = try await run(sandbox, "diff", ["--from", store])
    #expect(unpushed.ending == .exited(1))
    #expect(unpushed.output.contains("- Note") || unpushed.output.contains("- note"))
    #expect(Snapshot(sandbox.remote) == before)
  }
}
