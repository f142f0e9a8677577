import Foundation
import ProcessTesting
import Testing

/// A folder that the storage does not list: what a command shows then is not all, and it says so.
@Suite(.enabled(if: ForbiddenFolder.isPossible, "this system has no way to forbid the superuser a folder"))
struct InspectUnlistedTests {
  private static let document = "ticds.notebook/Documents/notes"
  /// Folders of which sets, or what tells of them, is missing where they are not listed. `*` is the first author.
  private static let history = [
    "SyncChanges", "SyncChanges/*", "RecentSyncs", "IntegrityKey",
  ].map { "\(document)/\($0)" }
  /// Commands about them; `OBJECT` is a note.
  private static let commands = [
    ["export"], ["export", "--json"], ["at", "2200-01-01"], ["diff", "--from", "2200-01-01"],
    ["diff", "--from", "2000-01-01", "--json"], ["changes"], ["changes", "--json"], ["stats"],
    ["stats", "--json"], ["devices"], ["devices", "--json"], ["info"], ["info", "--json"], ["documents"],
    ["documents", "--json"], ["history", "notes", "OBJECT"], ["history", "notes", "OBJECT", "--json"],
    ["history", "notes", "no-object"], ["vacuum", "--dry-run"], ["vacuum", "--json"],
  ]

  private func sample(encrypted: Bool) async throws -> (Sandbox, note: String) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    let note = try await alice.add("title", content: "text")
    _ = try await alice.sync()
    _ = try await bob.sync()
    _ = try await bob.add("of bob")
    _ = try await bob.sync()
    return (sandbox, note)
  }

  @Test(arguments: history)
  func `whatever is asked for, standard error names the folder, and nothing passes for all`(
    _ folder: String
  ) async throws {
    let (sandbox, note) = try await sample(encrypted: false)
    let forbidden = try ForbiddenFolder(folder, in: sandbox.remote)
    for words in Self.commands {
      let words = words.map { $0 == "OBJECT" ? note : $0 }
      let result = try await forbidden.inspect(words, sandbox, password: false)
      #expect(result.ending == .exited(14), "\(words): \(result)")
      #expect(result.errors.contains("“\(forbidden.place)”"), "\(words): \(result)")
      #expect(!result.output.contains("equal"), "\(words): \(result)")
      guard words.contains("--json") || words == ["export"], !result.output.isEmpty else { continue }
      let marks = result.output.contains("\"incomplete\": ") || result.output.contains("\"incomplete\":true")
      let isEmptyList = result.output == "[]\n"
      #expect(
        marks || isEmptyList || result.output.contains("\"path\": \"\(forbidden.place)\""),
        "\(words): \(result)")
    }
  }

  @Test(arguments: [
    ["export"], ["at", "2200-01-01"], ["diff", "--from", "2200-01-01"], ["changes"], ["stats"],
    ["history", "notes", "OBJECT"], ["export", "--seen-by", "alice"],
  ])
  func `where the folder of all documents is not listed, none is said to be missing`(
    _ words: [String]
  ) async throws {
    for folder in ["ticds.notebook", "ticds.notebook/Documents", Self.document] {
      let (sandbox, note) = try await sample(encrypted: false)
      let forbidden = try ForbiddenFolder(folder, in: sandbox.remote)
      let words = words.map { $0 == "OBJECT" ? note : $0 }
      let result = try await forbidden.inspect(words, sandbox, password: false)
      #expect([.exited(6), .exited(14)].contains(result.ending), "\(folder) \(words): \(result)")
      #expect(result.errors.contains("“\(folder)”"), "\(folder) \(words): \(result)")
    }
  }

  @Test(arguments: ["SyncChanges", "IntegrityKey"])
  func `nor is it where the remote is encrypted`(_ name: String) async throws {
    let (sandbox, note) = try await sample(encrypted: true)
    let forbidden = try ForbiddenFolder("\(Self.document)/\(name)", in: sandbox.remote)
    for words in Self.commands where !words.contains("--json") {
      let words = words.map { $0 == "OBJECT" ? note : $0 }
      let result = try await forbidden.inspect(words, sandbox)
      #expect(result.ending == .exited(14), "\(words): \(result)")
      #expect(result.errors.contains("“\(forbidden.place)”"), "\(words): \(result)")
    }
  }

  @Test func `a device of whom nothing could be read is not said to be none`() async throws {
    let (sandbox, _) = try await sample(encrypted: false)
    let forbidden = try ForbiddenFolder("\(Self.document)/RecentSyncs", in: sandbox.remote)
    let result = try await forbidden.inspect(["export", "--seen-by", "alice"], sandbox, password: false)
    #expect(result.ending == .exited(6) && result.errors.contains("RecentSyncs"), "\(result)")
  }

  @Test func `a change prevails for all that is known, and not for certain`() async throws {
    let (sandbox, note) = try await sample(encrypted: false)
    let forbidden = try ForbiddenFolder("\(Self.document)/RecentSyncs", in: sandbox.remote)
    let result = try await forbidden.inspect(["history", "notes", note, "--json"], sandbox, password: false)
    let changes = try #require(try ProgramJSON.object(result.output)["changes"] as? [[String: Any]])
    #expect(!changes.isEmpty && changes.allSatisfy { $0["prevails"] is NSNull }, "\(result)")
  }

  @Test(arguments: ["LongValues", "WholeStore"])
  func `what a command does not look at makes no difference to it`(_ name: String) async throws {
    let (sandbox, note) = try await sample(encrypted: false)
    let folder = sandbox.remote.appending(path: "\(Self.document)/\(name)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let forbidden = try ForbiddenFolder("\(Self.document)/\(name)", in: sandbox.remote)
    for words in [["export"], ["changes"], ["stats"], ["devices"], ["history", "notes", note]] {
      let result = try await forbidden.inspect(words, sandbox, password: false)
      #expect(result.ending == .exited(0) && result.errors.isEmpty, "\(words): \(result)")
    }
    for words in [["info"], ["documents"], ["vacuum", "--dry-run"]] {
      let result = try await forbidden.inspect(words, sandbox, password: false)
      #expect(result.ending == .exited(14) && result.errors.contains(forbidden.place), "\(words): \(result)")
    }
  }

  @Test func `a whole store that may not be read is not called damaged, and no repair puts it aside`()
    async throws
  {
    let (sandbox, _) = try await sample(encrypted: false)
    try await Device(name: "alice", sandbox: sandbox).succeed("upload-store")
    let forbidden = try ForbiddenFolder("\(Self.document)/WholeStore/*", in: sandbox.remote)

    let verified = try await forbidden.inspect(["verify", "--json"], sandbox, password: false)
    let plan = try await forbidden.inspect(["repair"], sandbox, password: false)

    #expect(verified.ending == .exited(16) && verified.output.contains("\"unreadable\""), "\(verified)")
    #expect(!verified.output.contains("wholeStoreDamaged"))
    #expect(!plan.output.contains("put aside"), "\(plan)")
  }

  @Test func `a copy, a list of files and a report tell what is not in them`() async throws {
    let (sandbox, _) = try await sample(encrypted: false)
    let forbidden = try ForbiddenFolder("\(Self.document)/SyncChanges", in: sandbox.remote)
    let copy = try await forbidden.inspect(["decrypt", sandbox.path("copy")], sandbox, password: false)
    #expect(copy.ending == .exited(14) && copy.errors.contains(forbidden.place), "\(copy)")
    let tree = try await forbidden.inspect(["tree"], sandbox, password: false)
    #expect(tree.ending == .exited(14) && tree.output.contains("CANNOT BE LISTED"), "\(tree)")
    #expect(tree.errors.contains("1 folder cannot be listed"), "\(tree)")
    let page = sandbox.path("page.html")
    let report = try await forbidden.inspect(["report", "--html", page, "--json"], sandbox, password: false)
    #expect(report.ending == .exited(16), "\(report)")
    #expect(try ProgramJSON.object(report.output)["outcome"] as? String == "unchecked")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("Not everything could be checked") && html.contains("cannot be listed"))
    let set = "\(forbidden.place)/a/0000000001-b.set"
    let shown = try await sandbox.unlistedFile(set, forbidden)
    #expect(shown.ending == .exited(6) && !shown.errors.contains("there is no file"), "\(shown)")
  }
}

/// A folder of a remote that may be entered and not be listed, also by the superuser.
private struct ForbiddenFolder {
  /// Its place on the remote.
  let place: String

  static var isPossible: Bool {
    geteuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
  }

  /// - Parameter pattern: its place; a last `*` is the first folder there.
  init(_ pattern: String, in remote: URL) throws {
    var place = pattern
    if pattern.hasSuffix("/*") {
      let outer = String(pattern.dropLast(2))
      let names = try FileManager.default.contentsOfDirectory(atPath: remote.appending(path: outer).path)
      place = "\(outer)/\(try #require(names.sorted().first))"
    }
    self.place = place
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o300], ofItemAtPath: remote.appending(path: place).path)
  }

  /// Without the right to go past permissions.
  private static var prefix: [String] {
    geteuid() != 0
      ? []
      : [
        "/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
      ]
  }

  func inspect(
    _ words: [String], _ sandbox: Sandbox, password: Bool = true
  ) async throws -> Subprocess.Result {
    let protection = password ? ["--password-file", sandbox.passwordFile.path] : []
    return try await run([words[0], sandbox.remote.path] + words.dropFirst() + protection)
  }

  func run(_ words: [String]) async throws -> Subprocess.Result {
    try await Subprocess.run(Self.prefix + [Checkout.program("ticds-inspect").path] + words)
  }
}

extension Sandbox {
  fileprivate func unlistedFile(
    _ place: String, _ forbidden: ForbiddenFolder
  ) async throws -> Subprocess.Result {
    try await forbidden.run(["show", place, "--in", remote.path])
  }
}
