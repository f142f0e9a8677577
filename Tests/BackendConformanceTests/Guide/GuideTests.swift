import BackendConformance
import Foundation
import ProcessTesting
import SQLite
import TemporaryFolders
import Testing

@Suite struct GuideTests {
  @Test(arguments: BackendConformance.laws.filter { !$0.measuresMemory })
  func `the back end of the guide keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    try skip(law, await Self.verify(law))
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs")),
    arguments: BackendConformance.laws.indices.filter { BackendConformance.laws[$0].measuresMemory })
  func `the back end of the guide takes little memory`(_ number: Int) async {
    // In a process of its own, where no other test takes memory.
    await #expect(processExitsWith: .success) { [number] in
      var failure = "the law was skipped"
      // What else the process takes only ever adds to what is measured, so one of three times is enough.
      for _ in 0..<3 {
        do {
          if try await Self.verify(BackendConformance.laws[number]) == .kept { return }
        } catch {
          failure = "\(error)"
        }
      }
      Issue.record("\(failure)")
    }
  }

  private static func verify(_ law: BackendConformance.Law) async throws -> BackendConformance.Outcome {
    let folder = try TemporaryFolder()
    let file = folder.file("remote.sqlite")
    try SQLiteBackend.create(at: file)
    defer { withExtendedLifetime(folder) {} }
    return try await law.verify(patience: .seconds(600)) {
      ConformanceStorage(
        connect: { SQLiteBackend(file: file) },
        absentRoot: { SQLiteBackend(file: file + ".absent") },
        takeRootAway: { try FileManager.default.moveItem(atPath: file, toPath: file + ".away") },
        bringRootBack: { try FileManager.default.moveItem(atPath: file + ".away", toPath: file) },
        addForeign: { name, place in
          let database = try Connection(path: file)
          let content = Int64.random(in: .min..<0)
          try database.run(
            "INSERT INTO piece VALUES (?, 0, ?)", .integer(content), .blob(Array(name.utf8)))
          try database.run(
            "INSERT INTO entry (folder, name, content, size) SELECT id, ?, ?, ? FROM entry WHERE name = ?",
            .text(name), .integer(content), .integer(Int64(name.utf8.count)),
            .text(place.name?.description ?? ""))
        })
    }
  }

  @Test func `the guide holds the back end that is compiled here`() throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "SQLiteBackend.swift")
    #expect(try guide().contains("```swift\n\(String(contentsOf: source, encoding: .utf8))```"))
  }

  @Test func `the guide holds every signature of the protocol`() throws {
    let file = Checkout.root.appending(path: "Modules/SyncProtocol/Backend/SyncBackend.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(source.range(of: "public protocol SyncBackend"))
    let end = try #require(source[start.lowerBound...].range(of: "\n}\n"))
    let signatures = source[start.lowerBound..<end.upperBound].split(separator: "\n")
      .filter { !$0.contains("///") }.joined(separator: "\n")
    #expect(try guide().contains("```swift\n\(signatures)\n```"), "\(signatures)")
  }

  @Test func `the guide holds all that describes storage to the suite`() throws {
    let file = Checkout.root.appending(path: "Backends/BackendConformance/ConformanceStorage.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(source.range(of: "  public init(\n"))
    let end = try #require(source[start.upperBound...].range(of: "\n  ) {"))
    let parameters = source[start.upperBound..<end.lowerBound].replacing("\n", with: " ").split(
      separator: ", ")
    #expect(parameters.count > 5)
    let guide = try guide()
    for parameter in parameters { #expect(guide.contains(parameter.trimmingPrefix { $0 == " " })) }
  }

  private func guide() throws -> String {
    try String(
      contentsOf: Checkout.root.appending(path: "Docs/Guides/BackendAuthors.md"), encoding: .utf8)
  }
}
