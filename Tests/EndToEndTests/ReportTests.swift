import Foundation
import ProcessTesting
import Testing

/// `report`: the page, and what Chromium makes of it.
@Suite struct ReportTests {
  /// Texts that would be elements, attributes or scripts if a page took them as they are.
  private static let hostile = [
    "<script>window.owned=1</script>", "<img src=x onerror=alert(1)>", "\"' onload=alert(2) x='",
    "</style></title></script><svg onload=alert(3)>", "<iframe src=http://example.org></iframe>&lt;b&gt;",
  ]

  private static func date(_ file: URL) throws -> Date {
    try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate ?? .distantPast
  }

  /// A remote of two devices on which everything that a person can name is hostile, with a damaged set.
  private func sample() async throws -> Sandbox {
    let sandbox = try Sandbox()
    let first = try await sandbox.device(Self.hostile[0] + Self.hostile[1])
    let second = try await sandbox.device(Self.hostile[3])
    for text in Self.hostile {
      _ = try await first.add(text, content: text, tags: [text])
      _ = try await first.sync()
    }
    _ = try await second.sync()
    _ = try await second.add("an innocent title")
    _ = try await second.sync()
    for name in [Self.hostile[1], "javascript:alert(4)"] {
      try Data().write(to: sandbox.remote.appending(path: name))
    }
    let files = FileManager.default.enumerator(at: sandbox.remote, includingPropertiesForKeys: nil)
    let sets = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "set" }
    // The innocent one came last; which of the devices sorts last is chance.
    let damaged = try #require(try sets.max { try Self.date($0) < Self.date($1) })
    var bytes = [UInt8](try Data(contentsOf: damaged))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: damaged)
    return sandbox
  }

  @Test func `a report changes nothing on the remote, and ends as verify does`() async throws {
    let sandbox = try await sample()
    let before = Snapshot(sandbox.remote)
    let page = sandbox.path("report.html")
    let result = try await sandbox.inspect("report", "--html", page, "--json")
    #expect(result.ending == .exited(1), "\(result.errors)")
    #expect(Snapshot(sandbox.remote) == before)
    let summary = try ProgramJSON.object(result.output)
    #expect(summary["outcome"] as? String == "damaged")
    #expect(summary["bytes"] as? Int == (try Data(contentsOf: URL(filePath: page))).count)
  }

  @Test func `a report within the remote is refused, for it would reach every device`() async throws {
    let sandbox = try Sandbox()
    _ = try await sandbox.device("alice")
    let before = Snapshot(sandbox.remote)
    for place in ["report.html", "notebook/report.html"] {
      let result = try await sandbox.inspect(
        "report", "--html", sandbox.remote.appending(path: place).path)
      #expect(result.ending == .exited(2))
      #expect(result.errors.contains("within the remote"))
    }
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test func `without the password the page shows what can be told without it`() async throws {
    let sandbox = try await sample()
    let page = sandbox.path("report.html")
    let result = try await sandbox.inspect("report", "--html", page, password: false)
    #expect(result.ending == .exited(1), "\(result.errors)")
    let text = try String(contentsOf: URL(filePath: page), encoding: .utf8)
    #expect(text.contains("encrypted; its content was not opened"))
    #expect(text.contains("no password that opens them was given"))
  }

  @Test func `nothing that lies on a remote becomes markup`() async throws {
    let sandbox = try await sample()
    let page = sandbox.path("report.html")
    _ = try await sandbox.inspect("report", "--html", page)
    let text = try String(contentsOf: URL(filePath: page), encoding: .utf8)
    for hostile in Self.hostile { #expect(!text.contains(hostile)) }
    #expect(text.contains("&lt;img src=x onerror=alert(1)&gt;"))
    #expect(text.contains("&lt;iframe src=http://example.org&gt;&lt;/iframe&gt;&amp;lt;b&amp;gt;"))
  }

  private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private struct Examination: Decodable {
    struct State: Decodable {
      struct Contrast: Decodable {
        let ratio: Double
        let `where`: String
      }
      let landmarks: [String]
      let titles: Int
      let doubleIDs: [String]
      let tablesWithoutHeaders: Int
      let rowsWithoutHeaders: Int
      let controlsWithoutLabels: Int
      let picturesWithoutLabels: Int
      let unnamedRegions: Int
      let strangeElements: [String]
      let scripts: Int
      let styles: Int
      let attributes: Int
      let links: [String]
      let overflow: Int
      let contrast: Contrast
      let hiddenControls: Int
      let controls: Int?
      let filtered: [Int]?
      let opened: [Int]?
      let firstFocus: String?
      let outline: String?
      let complaints: [String]
      let requests: [String]
    }
    let states: [String: State]
  }

  @Test(.enabled(if: chromium != nil, "Chromium is not installed"))
  func
    `Chromium shows the page by day and night, narrow and without scripts, and asks the network for nothing`()
    async throws
  {
    let sandbox = try await sample()
    let page = sandbox.path("report.html")
    _ = try await sandbox.inspect("report", "--html", page)
    let program = Checkout.root.appending(path: "Tests/EndToEndTests/Browser/examine.py").path
    let result = try await Subprocess.run([
      "/usr/bin/env", "python3", program, try #require(Self.chromium), page,
    ])
    #expect(result.ending == .exited(0), "\(result.errors)")
    let examination = try JSONDecoder().decode(Examination.self, from: Data(result.output.utf8))
    #expect(examination.states.keys.sorted() == ["dark", "light", "narrow", "noScript"])
    for (name, state) in examination.states {
      #expect(state.complaints == [], "\(name)")
      #expect(state.requests == [], "\(name)")
      #expect(state.strangeElements == [] && state.attributes == 0 && state.links == [], "\(name)")
      #expect(state.scripts == 1 && state.styles == 1, "\(name)")
      #expect(state.landmarks == [] && state.titles == 1 && state.doubleIDs == [], "\(name)")
      #expect(state.tablesWithoutHeaders == 0 && state.rowsWithoutHeaders == 0, "\(name)")
      #expect(state.controlsWithoutLabels == 0 && state.picturesWithoutLabels == 0, "\(name)")
      #expect(state.unnamedRegions == 0, "\(name)")
      #expect(state.overflow <= 0, "\(name)")
      #expect(state.contrast.ratio >= 4.5, "\(name): \(state.contrast.where)")
      if name == "noScript" {
        #expect(state.hiddenControls == 3)
      } else {
        #expect(state.hiddenControls == 0 && state.controls == 3)
        let filtered = try #require(state.filtered)
        #expect(filtered[0] > 0 && filtered[1] == 0 && filtered[2] == filtered[0], "\(name)")
        let opened = try #require(state.opened)
        #expect(opened[0] == opened[1] && opened[2] == 0, "\(name)")
        #expect(state.firstFocus == "skip" && state.outline == "solid", "\(name)")
      }
    }
  }
}
