import BackendConformance
import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import Testing

@Suite struct ConformanceTests {
  @Test(arguments: BackendConformance.laws.filter { !$0.measuresMemory })
  func `a folder keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    let outcome = try await Self.verify(law)
    if case .skipped(let reason) = outcome {
      print("skipped: \(law), because \(reason)")
      try Test.cancel("\(reason)")
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs")),
    arguments: BackendConformance.laws.indices.filter { BackendConformance.laws[$0].measuresMemory })
  func `a folder takes little memory`(_ number: Int) async {
    // In a process of its own, where no other test takes memory.
    await #expect(processExitsWith: .success) { [number] in
      let outcome = try await Self.verify(BackendConformance.laws[number])
      #expect(outcome == .kept)
    }
  }

  private static func verify(_ law: BackendConformance.Law) async throws -> BackendConformance.Outcome {
    // What `Tools/test --long` asks for.
    let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let remote = folder.file("remote")
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: false)
    return try await law.verify(sizes: isLong ? .long : .short, patience: .seconds(600)) {
      storage(in: remote)
    }
  }
}

func storage(in folder: String, takesAnyName: Bool = true) -> ConformanceStorage {
  let connectToClassic: @Sendable () async throws -> any SyncBackend = {
    FileManagerBackend(folder: folder, names: .classic)
  }
  return ConformanceStorage(
    connect: { FileManagerBackend(folder: folder) },
    absentRoot: { FileManagerBackend(folder: folder + "/absent") },
    takeRootAway: { try FileManager.default.moveItem(atPath: folder, toPath: "\(folder)-away") },
    bringRootBack: { try FileManager.default.moveItem(atPath: "\(folder)-away", toPath: folder) },
    addForeign: { name, place in
      try Data(name.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(place)/\(name)"))
    }, connectToClassic: takesAnyName ? connectToClassic : nil)
}
