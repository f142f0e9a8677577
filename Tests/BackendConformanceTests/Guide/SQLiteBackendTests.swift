import BackendConformance
import Foundation
import TICDSSQLite
import SyncProtocol
import Testing

@Suite struct SQLiteBackendTests {
  /// While you develop, one law alone, and not for long: `LAW='moved whole' PATIENCE=5 swift test --filter SQLiteBackendTests`
  static let environment = ProcessInfo.processInfo.environment
  static let laws = BackendConformance.laws.filter { law in
    environment["LAW"].map { law.description.contains($0) } ?? true
  }
  static let patience = environment["PATIENCE"].flatMap { Int($0) } ?? 600

  @Test(arguments: laws.filter { !$0.measuresMemory })
  func `a remote in SQLite keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    let outcome = try await Self.verify(law)
    if case .skipped(let reason) = outcome {
      print("skipped: \(law), because \(reason)")
      try Test.cancel("\(reason)")
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs")),
    arguments: laws.filter(\.measuresMemory).map(\.description))
  func `a remote in SQLite takes little memory`(_ name: String) async {
    // In a process of its own, where no other test takes memory.
    await #expect(processExitsWith: .success) { [name] in
      var failure = "the law was skipped"
      // What else the process takes only ever adds to what is measured, so one of three times is enough.
      for law in Array(repeating: BackendConformance.laws.filter { $0.description == name }, count: 3)
        .joined()
      {
        do {
          if try await Self.verify(law) == .kept { return }
        } catch {
          failure = "\(error)"
        }
      }
      Issue.record("\(failure)")
    }
  }

  static func verify(_ law: BackendConformance.Law) async throws -> BackendConformance.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "remote.sqlite").path
    try SQLiteBackend.create(at: file)
    return try await law.verify(patience: .seconds(patience)) {
      ConformanceStorage(
        connect: { SQLiteBackend(file: file) },
        absentRoot: { SQLiteBackend(file: file + ".absent") },
        takeRootAway: { try FileManager.default.moveItem(atPath: file, toPath: file + ".away") },
        bringRootBack: { try FileManager.default.moveItem(atPath: file + ".away", toPath: file) },
        addForeign: { try addForeign($0, to: $1, in: file) })
    }
  }

  /// Puts a file that holds its name there as another program would.
  static func addForeign(_ name: String, to folder: RemotePath, in file: String) throws {
    let database = try Connection(path: file)
    // The root is number 0. A folder's last name is not enough, for others have it, too.
    var place: Int64 = 0
    for inner in folder.names {
      let row = try database.prepare("SELECT id FROM entry WHERE folder = ? AND name = ?")
      try row.bind([.integer(place), .text(inner.description)])
      guard try row.step() else { throw BackendError(.notFound, path: folder) }
      place = row.int64(0)
    }
    let content = Int64.random(in: .min..<0)
    try database.run("INSERT INTO piece VALUES (?, 0, ?)", .integer(content), .blob(Array(name.utf8)))
    try database.run(
      "INSERT INTO entry (folder, name, content, size) VALUES (?, ?, ?, ?)", .integer(place), .text(name),
      .integer(content), .integer(Int64(name.utf8.count)))
  }
}
