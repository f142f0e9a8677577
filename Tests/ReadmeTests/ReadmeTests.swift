import FileManagerBackend
import Foundation
import ProcessTesting
import TICDS
import TemporaryFolders
import Testing

@Suite struct ReadmeTests {
  let readme: String

  init() throws {
    readme = try String(contentsOf: Checkout.root.appending(path: "README.md"), encoding: .utf8)
  }

  @Test func `the example in the README is the file that is compiled here, in sixteen lines`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Example.swift")
    let example = try String(contentsOf: file, encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.contains(example))
    #expect(example.split(separator: "\n").count <= 16)
  }

  @Test func `the example does what it says`() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let remote = folder.url.appending(path: "shared")
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
    func share(_ device: String) async throws -> [String] {
      try await shareChores(
        device: device, store: folder.file("\(device).sqlite"), folder: remote.path,
        password: "correct horse")
    }

    #expect(try await share("laptop") == ["Water the plants of laptop"])
    #expect(try await share("phone") == ["Water the plants of laptop", "Water the plants of phone"])
  }

  @Test func `what the README says of synchronising by itself compiles, and does it`() async throws {
    #expect(readme.contains("`let automatic = await chores.synchronizeAutomatically()`"))
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let remote = folder.url.appending(path: "shared")
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
    let chores = try SyncedStore(
      model: ManagedObjectModel(Chore.self), at: folder.file("laptop.sqlite"),
      application: "com.example.chores", through: FileManagerBackend(folder: remote.path), device: "laptop",
      encryption: .password("correct horse"))
    let automatic = await chores.synchronizeAutomatically()
    _ = try await automatic.synchronize()
    #expect(try !FileManager.default.contentsOfDirectory(atPath: remote.path).isEmpty)
  }

  @Test func `every page that the documentation points to exists`() throws {
    let pages =
      [Checkout.root.appending(path: "README.md")]
      + (try FileManager.default.subpathsOfDirectory(atPath: Checkout.root.appending(path: "Docs").path)
        .filter { $0.hasSuffix(".md") }.map { Checkout.root.appending(path: "Docs/\($0)") })
    var missing: [String] = []
    for page in pages {
      let text = try String(contentsOf: page, encoding: .utf8)
      for link in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
        let target = page.deletingLastPathComponent().appending(path: String(link.1))
        if !FileManager.default.fileExists(atPath: target.path) {
          missing.append("\(page.lastPathComponent): \(link.1)")
        }
      }
    }
    #expect(missing == [])
  }
}
