import Foundation
import ObjectStore
import ProcessTesting
import SampleFiles
import Testing

/// The verb `export`: tables and lines, to standard output, a file or a folder.
@Suite struct ExportTests {
  private func rows(_ tool: StoreTool, _ file: String) async throws -> [[String]] {
    let reading =
      "import csv, json, sys\ncsv.field_size_limit(1 << 24)\nprint(json.dumps(list(csv.reader(open(sys.argv[1], newline='')))))"
    let read = try await Subprocess.run(["python3", "-c", reading, tool.path(file)])
    return try #require(try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [[String]])
  }

  @Test func `a table of an entity is a file that another program reads`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))

    let result = try await tool.run(
      "export", tool.path("store.sqlite"), "--csv", "--entity", "Note", "--output", tool.path("notes.csv"))

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.isEmpty)
    let table = try await rows(tool, "notes.csv")
    #expect(table.count == 7)
    func column(_ name: String) throws -> [String] {
      let index = try #require(table[0].firstIndex(of: name))
      return table.dropFirst().map { $0[index] }
    }
    #expect(Set(try column("entity")) == ["Note", "Memo"])
    #expect(try column("day").allSatisfy { $0.hasPrefix("2023-12-05T16:0") && $0.hasSuffix("Z") })
    #expect(try column("day").contains("2023-12-05T16:05:58.1359481Z"))
    #expect(try column("image").contains(Data(RoundTripTests.long).base64EncodedString()))
    #expect(try column("size").contains("9223372036854775807"))
    #expect(try column("tags").contains { $0.split(separator: " ").count == 2 })
    #expect(!table[0].contains("extra"))
  }

  @Test(arguments: ["csv", "jsonl"])
  func `a folder has a file for each entity, and each object is in one`(form: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))

    let result = try await tool.run(
      "export", tool.path("store.sqlite"), "--\(form)", "--folder", tool.path("all"))

    #expect(result.ending == .exited(0), "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.path("all")).sorted()
    #expect(names == ["Folder", "Memo", "Note", "Tag"].map { "\($0).\(form)" })
    var count = 0
    for name in names {
      let text = try String(contentsOfFile: tool.path("all/\(name)"), encoding: .utf8)
      if form == "csv" {
        count += try await rows(tool, "all/\(name)").count - 1
      } else {
        let lines = text.split(separator: "\n")
        count += lines.count
        #expect(lines.allSatisfy { $0.hasPrefix("{\"entity\":\"\(name.split(separator: ".")[0])\"") })
      }
    }
    #expect(count == 10)
  }

  @Test func `what exists is replaced only if that is asked for, and other files stay`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))
    try FileManager.default.createDirectory(atPath: tool.path("all"), withIntermediateDirectories: false)
    for name in ["all/other", "all/Tag.csv", "file"] {
      try Data("before".utf8).write(to: URL(filePath: tool.path(name)))
    }
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: tool.path(name), encoding: .utf8)
    }
    let (file, folder) = (
      ["export", tool.path("store.sqlite"), "--jsonl", "--output", tool.path("file")],
      ["export", tool.path("store.sqlite"), "--csv", "--folder", tool.path("all")]
    )

    let refused = [try await tool.run(file), try await tool.run(folder)]
    #expect(refused.allSatisfy { $0.ending == .exited(11) && $0.errors.contains("--overwrite") })
    #expect(try text("file") == "before" && text("all/Tag.csv") == "before")
    let replaced = [
      try await tool.run(file + ["--overwrite"]), try await tool.run(folder + ["--overwrite"]),
    ]

    #expect(replaced.allSatisfy { $0.ending == .exited(0) })
    #expect(try text("file").split(separator: "\n").count == 10)
    #expect(try text("all/other") == "before" && text("all/Tag.csv").hasPrefix("id,entity,name,notes\r\n"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).allSatisfy {
        !$0.hasSuffix(".unfinished")
      })
  }

  @Test(arguments: ["store.sqlite", "store.sqlite-wal", "./store.sqlite"])
  func `what is read is never written over`(output: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))
    let before = try await tool.run("count", tool.path("store.sqlite")).output
    if output.hasSuffix("-wal") { try Data().write(to: URL(filePath: tool.path(output))) }

    let result = try await tool.run(
      "export", tool.path("store.sqlite"), "--jsonl", "--overwrite", "--output",
      "\(tool.folder.path)/\(output)")

    #expect(result.ending == .exited(2) && result.errors.contains("is the store that is read"))
    #expect(try await tool.run("count", tool.path("store.sqlite")).output == before)
  }

  @Test func `nothing is left of a file that cannot be completed`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))
    let program = Checkout.program("ticds-store").path
    let limited = "ulimit -f 64; exec \"$0\" \"$@\""

    for words in [["--jsonl", "--output", tool.path("out")], ["--csv", "--folder", tool.path("out")]] {
      let result = try await Subprocess(
        ["bash", "-c", "trap '' XFSZ; \(limited)", program, "export", tool.path("store.sqlite")] + words
      ).result()
      #expect(result.ending == .exited(7), "\(result.ending) \(result.errors)")
    }

    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(!names.contains("out") && names.allSatisfy { !$0.hasSuffix(".unfinished") })
  }

  @Test(
    arguments: [
      (["--csv"], 2), ([], 2), (["--csv", "--jsonl"], 2), (["--csv", "--entity", "Nota"], 5),
      (["--jsonl", "--output", "/nowhere/x"], 5), (["--jsonl", "--folder", "/nowhere/x"], 5),
      (["--jsonl", "--output", "a", "--folder", "b"], 2),
      (["--jsonl", "--entity", "Note", "--folder", "b"], 2),
    ] as [([String], Int32)])
  func `what cannot be exported has its exit code and one sentence`(words: [String], code: Int32) async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))

    let result = try await tool.run(["export", tool.path("store.sqlite")] + words)

    #expect(result.ending == .exited(code), "\(result.errors)")
    #expect(result.output.isEmpty && result.errors.split(separator: "\n").count == 1)
  }

  @Test(.needsSamples, arguments: StoreTool.samples)
  func `tables of published stores hold every object`(sample: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample(sample)

    let result = try await tool.run(
      "export", store, "--csv", "--folder", tool.path("all"), "--lossy")

    #expect(result.ending == .exited(0), "\(result.errors)")
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: tool.path("all")) {
      let table = try await rows(tool, "all/\(name)")
      #expect(table.allSatisfy { $0.count == table[0].count })
      count += table.count - 1
    }
    #expect(try await tool.lines("dump", store).count == count)
  }
}

/// The verb `count`.
@Suite struct CountTests {
  @Test func `objects are counted with and without those of entities that inherit`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))
    _ = try await tool.run(
      "copy", tool.path("store.sqlite"), tool.path("binary"), "--as", "binary", "--lossy")

    for store in ["store.sqlite", "binary"].map(tool.path) {
      let lines = try await tool.lines("count", store, "--json")
      let counts = lines.map { "\($0["entity"] ?? "") \($0["own"] ?? "") \($0["withSubentities"] ?? "")" }
      #expect(counts == ["Folder 2 2", "Note 4 6", "Memo 2 2", "Tag 2 2"])
      #expect(try await tool.run("count", store, "Note").output == "6\n")
      #expect(try await tool.run("count", store, "Note", "--where", "folder != nil").output == "4\n")
      let one = try await tool.lines("count", store, "Memo", "--json")
      #expect(one.first?["count"] as? Int == 2)
      #expect(try await tool.run("count", store).output.contains("4  6  Note\n"))
    }
  }

  @Test(
    arguments: [
      (["--where", "title == 'a'"], 2), (["Nota"], 5), (["Note", "--where", "title =="], 2),
      (["Note", "Folder"], 2),
    ] as [([String], Int32)])
  func `what cannot be counted is explained`(words: [String], code: Int32) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try RoundTripTests.fill(tool.path("store.sqlite"))

    let result = try await tool.run(["count", tool.path("store.sqlite")] + words)

    #expect(result.ending == .exited(code))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(.needsSamples, arguments: StoreTool.samples)
  func `published stores have as many objects as are shown of them`(sample: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample(sample)

    let counts = try await tool.lines("count", store, "--json").compactMap { $0["own"] as? Int }

    #expect(try await tool.lines("dump", store).count == counts.reduce(0, +))
  }
}
