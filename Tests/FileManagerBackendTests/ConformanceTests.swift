import BackendConformance
import FileManagerBackend
import Foundation
import TemporaryFolders
import Testing

@Suite struct ConformanceTests {
  @Test(arguments: BackendConformance.laws)
  func `a folder keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await law.verify(sizes: sizes) { storage(in: folder.path) }
    withExtendedLifetime(folder) {}
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }

  /// What `Tools/test --long` asks for.
  private var sizes: ConformanceSizes {
    ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? .short : .long
  }
}

func storage(in folder: String) -> ConformanceStorage {
  ConformanceStorage(
    connect: { FileManagerBackend(folder: folder) },
    absentRoot: { FileManagerBackend(folder: folder + "/absent") },
    addForeign: { name, place in
      try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(place)/\(name)"))
    })
}
