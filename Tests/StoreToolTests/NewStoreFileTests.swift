import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// Where new stores are made, what is in the way there, and names that SQLite takes for something else.
@Suite struct NewStoreFileTests {
  private let tool: StoreTool
  private let store: String

  init() throws {
    tool = try StoreTool()
    store = tool.path("store.sqlite")
    try RoundTripTests.fill(store)
  }

  private func write(_ text: String, to name: String) throws {
    let file = tool.folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// A model with a derived attribute.
  private func model(derivation: String) throws -> String {
    let folder = tool.folder.appending(path: "m.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let type = derivation.contains("uppercase") ? "String" : "Double"
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="A" representedClassName="A">
      <attribute name="x" optional="YES" attributeType="Double"/>
      <attribute name="t" optional="YES" attributeType="String"/>
      <attribute name="d" optional="YES" attributeType="\(type)" derived="YES" derivationExpression="\(derivation)"/>
      <relationship name="ks" optional="YES" toMany="YES" destinationEntity="K" inverseName="a" inverseEntity="K"/>
      </entity>
      <entity name="K" representedClassName="K"><attribute name="x" optional="YES" attributeType="Double"/>
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="a" optional="YES" maxCount="1" destinationEntity="A" inverseName="ks" inverseEntity="A"/>
      </entity></model>
      """
    try Data(text.utf8).write(to: folder.appending(path: "contents"))
    return folder.path
  }

  private func commands(_ path: String) -> [[String]] {
    [
      ["create", store, path], ["create", store, path, "--as", "binary"], ["copy", store, path],
      ["copy", store, path, "--as", "binary", "--lossy"],
      ["migrate", store, "--to", store, "--output", path],
    ]
  }

  @Test func `files with names like those of unfinished stores stay, and are in nobody's way`() async throws {
    defer { tool.remove() }
    let names = [
      "new.new", "new.new-journal", "new.new.migrating", ".new.new_SUPPORT/f", ".new_SUPPORT.new/f",
    ]
    for name in names { try write("mine", to: name) }

    for command in commands(tool.path("new")) {
      let result = try await tool.run(command)
      #expect(result.ending == .exited(0), "\(command): \(result.errors)")
      try FileManager.default.removeItem(atPath: tool.path("new"))
      try? FileManager.default.removeItem(atPath: tool.path(".new_SUPPORT"))
    }

    for name in names {
      #expect(try Data(contentsOf: tool.folder.appending(path: name)) == Data("mine".utf8), "\(name)")
    }
  }

  @Test func `a folder with the name of that of an unfinished store that holds something else is left alone`()
    async throws
  {
    defer { tool.remove() }
    try write("mine", to: ".new.unfinished/notes")

    for command in commands(tool.path("new")) {
      let result = try await tool.run(command)
      #expect(result.ending == .exited(11), "\(command): \(result.errors)")
      #expect(result.errors.contains("holds something else: notes"), "\(result.errors)")
    }

    #expect(
      try Data(contentsOf: tool.folder.appending(path: ".new.unfinished/notes")) == Data("mine".utf8))
  }

  @Test func `of two that make the same file the later is refused, and the file is that of the first`()
    async throws
  {
    defer { tool.remove() }
    try FileManager.default.createDirectory(
      atPath: tool.path(".new.unfinished"), withIntermediateDirectories: true)
    let lock = open(tool.path(".new.unfinished/lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)

    for command in commands(tool.path("new")) {
      let result = try await tool.run(command)
      #expect(result.ending == .exited(8), "\(command): \(result.errors)")
      #expect(result.errors.contains("another program is making this file"), "\(result.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: tool.path(".new.unfinished/lock")))
    close(lock)

    #expect(try await tool.run("copy", store, tool.path("new")).ending == .exited(0))
    #expect(!FileManager.default.fileExists(atPath: tool.path(".new.unfinished")))
  }

  @Test(arguments: 0..<6) func `copies of two stores to one name at once make one of them whole`(seed: Int)
    async throws
  {
    defer { tool.remove() }
    let other = tool.path("other.sqlite")
    #expect(try await tool.run("create", store, other).ending == .exited(0))
    let new = tool.path("new.sqlite")

    async let first = tool.run("copy", store, new)
    try await Task.sleep(for: .milliseconds(seed * 15))
    async let second = tool.run("copy", other, new)
    let (one, two) = try await (first, second)

    let endings = [one.ending, two.ending]
    #expect(endings.filter { $0 == .exited(0) }.count == 1, "\(one.errors) \(two.errors)")
    #expect(endings.allSatisfy { [.exited(0), .exited(8), .exited(11)].contains($0) })
    let count = one.ending == .exited(0) ? "6\n" : "0\n"
    #expect(try await tool.run("count", new, "Note").output == count)
    #expect(try await tool.run("verify", new).ending == .exited(0))
  }

  @Test func `a place that is not there has one exit code, and names what was asked for`() async throws {
    defer { tool.remove() }
    let place = tool.path("nowhere/new")
    let others = [
      ["export", store, "--jsonl", "--output", place], ["generate", store, place],
      ["compile", try model(derivation: "ks.@count"), place + ".mom"],
    ]
    for command in commands(place) + others {
      let result = try await tool.run(command)
      #expect(result.ending == .exited(5), "\(command): \(result.errors)")
      #expect(!result.errors.contains("unfinished") && result.errors.contains("nowhere"), "\(result.errors)")
    }
  }

  @Test func `what an export that was killed has left is gone with the next one`() async throws {
    defer { tool.remove() }
    for name in ["lock", "store", "store.part/f"] { try write("left", to: ".out.unfinished/\(name)") }

    for more in [["--output", tool.path("out")], ["--folder", tool.path("out")]] {
      let result = try await tool.run(["export", store, "--jsonl"] + more)
      #expect(result.ending == .exited(0), "\(result.errors)")
      try FileManager.default.removeItem(atPath: tool.path("out"))
    }

    let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(!names.contains { $0.contains("out") }, "\(names)")
  }

  @Test(arguments: [246, 247, 255, 256])
  func `a store gets no name that leaves no room for those of what lies beside it`(length: Int) async throws {
    defer { tool.remove() }
    let path = tool.path(String(repeating: "n", count: length))

    for command in commands(path) {
      let result = try await tool.run(command)
      #expect(result.ending == .exited(length == 246 ? 0 : 2), "\(command[0]): \(result.errors)")
      if length > 246 { #expect(result.errors.contains("leave room for the names")) }
      try? FileManager.default.removeItem(atPath: path)
      try? FileManager.default.removeItem(
        atPath: tool.path(".\(String(repeating: "n", count: length))_SUPPORT"))
    }
  }

  @Test func `a file in the place of the folder for long values is named`() async throws {
    defer { tool.remove() }
    try write("mine", to: ".new_SUPPORT")

    let result = try await tool.run("copy", store, tool.path("new"))

    #expect(result.ending == .exited(11) && result.errors.contains(".new_SUPPORT"), "\(result.errors)")
  }

  @Test func `a name that looks like an address is that of a file`() async throws {
    defer { tool.remove() }
    let program = Checkout.program("ticds-store").path
    func run(_ words: String...) async throws -> Subprocess.Result {
      try await Subprocess([program] + words, in: tool.folder).result()
    }
    for name in ["file:store.sqlite", ":memory:"] {
      let created = try await run("create", "store.sqlite", name)
      #expect(created.ending == .exited(0), "\(created.errors)")
      try write(#"{"entity":"Folder"}"#, to: "lines")

      let imported = try await run("import", name, "lines")

      #expect(imported.ending == .exited(0), "\(imported.errors)")
      #expect(try await run("count", name, "Folder").output == "1\n")
      #expect(try await run("verify", name).ending == .exited(0))
    }
    #expect(try await run("count", "store.sqlite", "Folder").output == "2\n")
  }

  @Test func `an export does not take the place of a pipe`() async throws {
    defer { tool.remove() }
    #expect(mkfifo(tool.path("pipe"), 0o600) == 0)

    let result = try await tool.run("export", store, "--jsonl", "--output", tool.path("pipe"), "--overwrite")

    #expect(result.ending == .exited(11), "\(result.errors)")
    var status = stat()
    #expect(lstat(tool.path("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test(arguments: ["max:(ks.nope)", "count:(t)", "t.x", "ks.x", "uppercase:(x)", "ks.@sum.name"])
  func `a model with a derivation that cannot be computed is refused, with the attribute's name`(
    derivation: String
  ) async throws {
    defer { tool.remove() }
    let model = try model(derivation: derivation)

    let result = try await tool.run("create", model, tool.path("new.sqlite"))

    #expect(result.ending == .exited(9), "\(result.errors)")
    #expect(result.errors.contains("A.d"), "\(result.errors)")
  }
}
